/** What a site does not show to everybody: an import never publishes it. */
import { isRecord } from "../domain/articles/json-values.ts";
import type { Millis } from "../domain/system/time.ts";
import { parseTime } from "./dates.ts";
import { toText } from "./import-item.ts";
import type { FrontMatterFields } from "./markdown/front-matter.ts";

const HIDDEN = {
  draft: "It is a draft on its site",
  closed: "It is not open to everybody on its site",
  unlisted: "Its site does not list it",
  expired: "It has expired on its site",
  future: "It is dated in the future",
} as const;
type Hiding = keyof typeof HIDDEN;

/** As in `It is a draft on its site (isDraft).` */
export function describeHiding(why: Hiding, field: string): string {
  return `${HIDDEN[why]} (${field}).`;
}

/** Fields that hide an article if they are true. */
const HIDES: Record<string, Hiding> = {
  draft: "draft",
  is_draft: "draft",
  unpublished: "draft",
  private: "closed",
  is_private: "closed",
  protected: "closed",
  is_protected: "closed",
  encrypted: "closed",
  encrypt: "closed",
  is_encrypted: "closed",
  members_only: "closed",
  subscribers_only: "closed",
  paid: "closed",
  unlisted: "unlisted",
  is_unlisted: "unlisted",
  hidden: "unlisted",
  is_hidden: "unlisted",
  // A list names parts of the page that MkDocs hides, which is something else.
  hide: "unlisted",
  headless: "unlisted",
  archived: "unlisted",
  eleventy_exclude_from_collections: "unlisted",
  exclude_from_collections: "unlisted",
  exclude_from_collection: "unlisted",
  expired: "expired",
};

/** Fields that hide an article if they are false. */
const SHOWS: Record<string, Hiding> = {
  published: "draft",
  publish: "draft",
  is_published: "draft",
  dg_publish: "draft",
  public: "closed",
  is_public: "closed",
  listed: "unlisted",
  visible: "unlisted",
  show: "unlisted",
  // Eleventy writes no page, Zola renders none, VuePress lists it nowhere.
  permalink: "unlisted",
  render: "unlisted",
  article: "unlisted",
};

const PASSWORDS = ["password", "passwd", "passphrase"];
const EXPIRES = [
  "expiry_date",
  "expiration_date",
  "expires",
  "expires_at",
  "expires_on",
  "expire_at",
  "unpublish_date",
];
const STATES = ["status", "state", "visibility", "access", "audience"];

/** Values of `STATES`; others say nothing. */
const VALUES: Record<string, Hiding> = {
  draft: "draft",
  review: "draft",
  in_review: "draft",
  unpublished: "draft",
  trash: "draft",
  wip: "draft",
  private: "closed",
  protected: "closed",
  password: "closed",
  internal: "closed",
  members: "closed",
  paid: "closed",
  tiers: "closed",
  subscribers: "closed",
  paid_subscribers: "closed",
  unlisted: "unlisted",
  hidden: "unlisted",
  skip: "unlisted",
  archived: "unlisted",
  expired: "expired",
};

/** Why the site does not show an article with this front matter to everybody; null: it does. */
export function whyHidden(fields: FrontMatterFields, now: Millis): string | null {
  for (const [name, why] of Object.entries(HIDES)) if (isTrue(fields.get(name))) return describeHiding(why, name);
  for (const [name, why] of Object.entries(SHOWS)) if (isFalse(fields.get(name))) return describeHiding(why, name);
  for (const name of PASSWORDS) {
    const value = fields.get(name);
    if (value !== undefined && !isFalse(value)) return describeHiding("closed", name);
  }
  for (const name of STATES) {
    const value = toText(fields.get(name))?.toLowerCase().replace(/[-\s]/g, "_");
    const why = value === undefined || !Object.hasOwn(VALUES, value) ? undefined : VALUES[value];
    if (why !== undefined) return describeHiding(why, `${name}: ${value}`);
  }
  for (const name of EXPIRES) {
    const value = fields.get(name);
    // Hugo writes the year 1 if there is no date.
    if (value === undefined || isFalse(value) || toText(value)?.startsWith("0001-") === true) continue;
    const at = parseTime(value);
    if (at === null || at <= now) return describeHiding("expired", name);
  }
  return hiddenByBuild(fields);
}

/** Hugo's `build: {list: never}`, and `_build` of earlier versions. */
function hiddenByBuild(fields: FrontMatterFields): string | null {
  const options = fields.get("build", "_build");
  if (!isRecord(options)) return null;
  const hidden = ["list", "render"].find((name) => {
    const value = options[name];
    return isFalse(value) || (typeof value === "string" && /^(?:never|local|link)$/i.test(value));
  });
  return hidden === undefined ? null : describeHiding("unlisted", `build.${hidden}`);
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === "string" && /^(?:true|yes|on|1)$/i.test(value.trim()));
}

function isFalse(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === "string" && /^(?:false|no|off|0)$/i.test(value.trim()));
}
