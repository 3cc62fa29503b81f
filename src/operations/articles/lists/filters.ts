/** Conditions of a list beside labels and words: days, people, language, score. */
import type { Millis } from "../../../domain/system/time.ts";
import { endOfDay, startOfDay } from "../../../domain/system/time-zone.ts";
import {
  dateRows,
  languageRows,
  otherLanguageRows,
  personRows,
  scoreRows,
} from "../../../store/articles/filter-rows.ts";
import { findWebsite } from "../../../store/system/websites.ts";
import { intersectRows, subtractRows } from "../read-model/intersect-rows.ts";
import type { SnapshotReader } from "../read-model/read-model.ts";

/** As checks do: they pass from 80 and fail below 40. */
export const SCORES = {
  poor: { least: 0, most: 39 },
  fair: { least: 40, most: 79 },
  good: { least: 80, most: 100 },
} as const;
export type ScoreFilter = keyof typeof SCORES;

/** Days (`2026-11-29`) are those of the website's time zone, and included. */
export interface ListConditions {
  publishedFrom?: string;
  publishedUntil?: string;
  updatedFrom?: string;
  updatedUntil?: string;
  /** Ids of accounts. */
  writer?: string;
  assignee?: string;
  /** BCP 47; articles that name none have the website's. */
  language?: string;
  score?: ScoreFilter;
}

const EVER = { from: -8_640_000_000_000_000, until: 8_640_000_000_000_000 };

/** Reduces `rows` to those that meet the conditions. */
export async function meetConditions(
  { db, view: { websiteId } }: SnapshotReader,
  rows: Uint32Array,
  { publishedFrom, publishedUntil, updatedFrom, updatedUntil, writer, assignee, language, score }: ListConditions,
): Promise<Uint32Array> {
  const website = await findWebsite(db, websiteId);
  const zone = website?.timeZone ?? "UTC";
  const range = (from: string | undefined, until: string | undefined): { from: Millis; until: Millis } => ({
    from: (from === undefined ? undefined : startOfDay(from, zone)) ?? EVER.from,
    until: (until === undefined ? undefined : endOfDay(until, zone)) ?? EVER.until,
  });
  let found = rows;
  const keep = (matching: Uint32Array) => {
    found = intersectRows(found, matching);
  };
  if (publishedFrom !== undefined || publishedUntil !== undefined) {
    keep(await dateRows(db, websiteId, "published_at", range(publishedFrom, publishedUntil)));
  }
  if (updatedFrom !== undefined || updatedUntil !== undefined) {
    keep(await dateRows(db, websiteId, "updated_at", range(updatedFrom, updatedUntil)));
  }
  if (writer !== undefined) keep(await personRows(db, websiteId, "author_id", writer));
  if (assignee !== undefined) keep(await personRows(db, websiteId, "assignee_id", assignee));
  if (language !== undefined) {
    if (language === website?.language) found = subtractRows(found, await otherLanguageRows(db, websiteId, language));
    else keep(await languageRows(db, websiteId, language));
  }
  if (score !== undefined) keep(await scoreRows(db, websiteId, SCORES[score]));
  return found;
}
