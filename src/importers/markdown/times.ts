/** When an article of a file was published and changed, by its front matter, its address and the name of its file. */
import type { Warnings } from "../../domain/articles/warnings.ts";
import type { Millis } from "../../domain/system/time.ts";
import { clearDate, type LifecycleSource, parseTime, writtenParts, type ZonedParts, zonedParts } from "../dates.ts";
import { toText } from "../import-item.ts";
import type { Site } from "../site.ts";
import { describeHiding, whyHidden } from "../visibility.ts";
import type { FrontMatterFields } from "./front-matter.ts";
import { parsePath, type PathMetadata } from "./path-metadata.ts";

export interface Times extends LifecycleSource {
  date: Millis | null;
  /** The publication date on the site's clock. */
  day: ZonedParts | null;
}

const PUBLISHED_AT = [
  "published_at",
  "date_published",
  "publish_date",
  "publish_at",
  "pub_date",
  "pub_datetime",
  "published_on",
];
const CREATED_AT = ["created_at", "created", "created_on", "date_created"];
const UPDATED_AT = [
  "updated_at",
  "updated",
  "lastmod",
  "last_modified_at",
  "last_modified",
  "last_updated",
  "modified",
  "updated_date",
  "mod_datetime",
  "updated_on",
  "date_modified",
];

interface Found {
  at: Millis;
  value: unknown;
}

/** A date that cannot be read is left out with a warning: if there is no other, the article is pending. */
export function readTimes(
  fields: FrontMatterFields,
  place: PathMetadata,
  address: string | undefined,
  { now, site, warnings }: { now: Millis; site: Site; warnings: Pick<Warnings, "add"> },
): Times {
  let isUnreadable = false;
  const read = (names: string[], isPublication: boolean): Found | null => {
    const found = fields.find(...names);
    // Hugo writes the year 1 if there is no date yet.
    if (found === null || toText(found.value)?.startsWith("0001-") === true) return null;
    const { name, value } = found;
    const at = parseTime(value, site.timeZone ?? undefined);
    if (at !== null) return { at, value };
    const clear = clearDate(value);
    if (clear === null && !isPublication) return null;
    const shown = typeof value === "string" ? `${name}: ${value.slice(0, 60)}` : name;
    warnings.add("date_guessed", clear === null ? `${shown} (not a date that can be read)` : `${shown} (${clear})`);
    if (clear !== null) return { at: parseTime(clear) ?? 0, value: clear };
    isUnreadable = true;
    return null;
  };
  const created = read(CREATED_AT, false);
  const flag = parseTime(fields.get("published"), site.timeZone ?? undefined);
  const byPath = (address === undefined ? null : parsePath(`${address}/index.md`).date) ?? place.date;
  const found =
    read(PUBLISHED_AT, true) ??
    (flag === null ? null : { at: flag, value: fields.get("published") }) ??
    read(["date"], true) ??
    created;
  const date = found?.at ?? byPath;
  const state = isUnreadable && date === null ? "draft" : toState(fields);
  const isAhead = state !== "scheduled" && date !== null && date > now;
  const hidden =
    whyHidden(fields, now) ??
    (place.isDraft
      ? describeHiding("draft", "_drafts")
      : isAhead
        ? describeHiding("future", new Date(date).toISOString())
        : null);
  const updated = read(UPDATED_AT, false);
  return {
    state,
    hidden,
    date,
    created: created?.at ?? null,
    updated: updated?.at ?? null,
    day: found === null ? (byPath === null ? null : zonedParts(byPath, "UTC")) : wallClock(found, site),
  };
}

/** Hugo keeps the zone of the text; others convert it to the site's, if that is known. */
function wallClock({ at, value }: Found, { timeZone, generator }: Site): ZonedParts {
  const isDay = typeof value === "string" && !value.includes(":");
  const written = timeZone === null || generator === "Hugo" ? writtenParts(value, at) : null;
  return written ?? zonedParts(at, isDay || timeZone === null ? "UTC" : timeZone);
}

function toState(fields: FrontMatterFields): LifecycleSource["state"] {
  switch (toText(fields.get("status"))?.trim().toLowerCase()) {
    case "published":
    case "publish":
    case "public":
      return "published";
    case "approved":
    case "scheduled":
    case "future":
      return "scheduled";
    case "pending":
      return "draft";
    default:
      return null;
  }
}
