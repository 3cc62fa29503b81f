import type { Origin } from "../../domain/system/audit.ts";
import { AppError } from "../../domain/system/errors.ts";
import {
  assertAddressPerLanguage,
  type IntegrityGate,
  parseAssetUrl,
  parsePreviewUrl,
  parseResponsibleName,
  parseResponsibleUrl,
  parseSeriesLabels,
  parseUrlPattern,
  parseWebsiteLanguage,
  parseWebsiteName,
  parseWebsiteUrl,
  PUBLISH_DELAY_SECONDS,
  type Website,
} from "../../domain/system/website.ts";
import {
  insertWebsite,
  listWebsites as listRows,
  loadWebsite,
  loadWebsiteToChange,
  raiseContentVersion,
  saveWebsite,
} from "../../store/system/websites.ts";
import { findSharedSlugs } from "../../store/articles/articles.ts";
import { parseTimeZone } from "../../domain/system/time-zone.ts";
import type { Snapshot } from "../../store/store.ts";
import { startIndexNow, stopIndexNow } from "../../store/system/index-now.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps } from "../system/deps.ts";

const INDEX_NOW_KEY_BYTES = 16;
const DEFAULT_TIME_ZONE = "UTC";

export interface NewWebsite {
  name: string;
  url: string | null;
  urlPattern: string | null;
  previewUrl?: string | null;
  assetUrl?: string | null;
  language?: string | null;
  /** Default: UTC. */
  timeZone?: string;
}

export interface WebsiteChange extends Partial<NewWebsite> {
  requiresSecondFactor?: boolean;
  requiresSecondPerson?: boolean;
  publishDelaySeconds?: number;
  servesFeeds?: boolean;
  slugsPerLanguage?: boolean;
  indexNow?: boolean;
  integrityGate?: IntegrityGate;
  seriesLabels?: string[];
  responsibleName?: string | null;
  responsibleUrl?: string | null;
  namesReviewers?: boolean;
  /** Values that settings had when they were read: one that has got another one since is not overwritten. */
  expected?: Partial<Pick<Website, ExpectedSetting>>;
}

type ExpectedSetting = keyof typeof EXPECTED_SETTINGS;

/** With their names in the API. A switch has two values: whoever turns it overwrites no choice unseen. */
const EXPECTED_SETTINGS = {
  name: "name",
  url: "url",
  urlPattern: "url_pattern",
  previewUrl: "preview_url",
  assetUrl: "asset_url",
  language: "language",
  timeZone: "time_zone",
  publishDelaySeconds: "publish_delay_seconds",
  integrityGate: "integrity_gate",
  seriesLabels: "series_labels",
  responsibleName: "responsible_name",
  responsibleUrl: "responsible_url",
} as const satisfies Partial<Record<keyof Website, string>>;

/** @throws AppError `invalid`. */
export async function createWebsite(
  deps: Pick<Deps, "store" | "clock" | "newId" | "randomBytes">,
  input: NewWebsite,
  origin: Origin,
): Promise<Website> {
  const website: Website = {
    ...parsed(input),
    requiresSecondFactor: false,
    requiresSecondPerson: false,
    publishDelaySeconds: PUBLISH_DELAY_SECONDS.default,
    servesFeeds: false,
    slugsPerLanguage: false,
    integrityGate: "machine",
    seriesLabels: [],
    responsibleName: null,
    responsibleUrl: null,
    namesReviewers: false,
    indexNowKey: null,
    id: deps.newId(),
    urlChangedAt: 0,
    createdAt: deps.clock(),
    contentVersion: 1,
    eventSequence: 0,
    epoch: newEpoch(deps),
  };
  const { id, name, url, urlPattern, previewUrl, assetUrl, language, timeZone } = website;
  await deps.store.write(async (db) => {
    await insertWebsite(db, website);
    await recordAudit(db, deps, origin, {
      action: "website.created",
      targetKind: "website",
      targetId: id,
      websiteId: id,
      detail: {
        name,
        url,
        url_pattern: urlPattern,
        ...(previewUrl === null ? {} : { preview_url: previewUrl }),
        ...(assetUrl === null ? {} : { asset_url: assetUrl }),
        ...(language === null ? {} : { language }),
        ...(timeZone === DEFAULT_TIME_ZONE ? {} : { time_zone: timeZone }),
      },
    });
  });
  return website;
}

/**
 * Published articles keep their URL: a page does not move because a setting changes. The new pattern applies to later
 * publications, and to articles published without a URL when they are saved next. @throws AppError `not_found`,
 * `invalid`; `conflict` if a setting no longer has the value in `expected`.
 */
export function updateWebsite(
  deps: Pick<Deps, "store" | "clock" | "newId" | "randomBytes">,
  id: string,
  change: WebsiteChange,
  origin: Origin,
): Promise<Website> {
  return deps.store.write(async (db) => {
    const before = await loadWebsiteToChange(db, id);
    const {
      requiresSecondFactor = before.requiresSecondFactor,
      requiresSecondPerson = before.requiresSecondPerson,
      publishDelaySeconds = before.publishDelaySeconds,
      servesFeeds = before.servesFeeds,
      slugsPerLanguage = before.slugsPerLanguage,
      indexNow = before.indexNowKey !== null,
      integrityGate = before.integrityGate,
      namesReviewers = before.namesReviewers,
    } = change;
    const hadIndexNow = before.indexNowKey !== null;
    const after = {
      ...before,
      ...parsed({ ...before, ...change }, change),
      requiresSecondFactor,
      requiresSecondPerson,
      publishDelaySeconds,
      servesFeeds,
      slugsPerLanguage,
      integrityGate,
      namesReviewers,
      ...parsedResponsible(before, change),
      seriesLabels: change.seriesLabels === undefined ? before.seriesLabels : parseSeriesLabels(change.seriesLabels),
      indexNowKey: indexNow ? (before.indexNowKey ?? deps.randomBytes(INDEX_NOW_KEY_BYTES).toString("hex")) : null,
    };
    assertExpected(before, after, change.expected);
    if (after.url !== before.url) after.urlChangedAt = deps.clock();
    if (servesFeeds && after.url === null) {
      throw new AppError("invalid", "Feeds need the website's address: set it first, or turn the feeds off.", {
        field: "url",
      });
    }
    if (indexNow && after.url === null) {
      throw new AppError("invalid", "IndexNow needs the website's address: set it first, or turn IndexNow off.", {
        field: "url",
      });
    }
    await assertUniqueSlugs(db, before, after);
    const detail = {
      ...(requiresSecondFactor === before.requiresSecondFactor
        ? {}
        : { second_factor: requiresSecondFactor ? "required" : "optional" }),
      ...(requiresSecondPerson === before.requiresSecondPerson
        ? {}
        : { second_person: requiresSecondPerson ? "required" : "optional" }),
      ...(publishDelaySeconds === before.publishDelaySeconds ? {} : { publish_delay_seconds: publishDelaySeconds }),
      ...(servesFeeds === before.servesFeeds ? {} : { feeds: servesFeeds ? "on" : "off" }),
      ...(slugsPerLanguage === before.slugsPerLanguage
        ? {}
        : { slugs_unique_per: slugsPerLanguage ? "language" : "website" }),
      ...(indexNow === hadIndexNow ? {} : { index_now: indexNow ? "on" : "off" }),
      ...(namesReviewers === before.namesReviewers ? {} : { reviewers: namesReviewers ? "named" : "pseudonyms" }),
      ...difference("integrity_gate", before.integrityGate, after.integrityGate),
      ...difference("series_labels", before.seriesLabels.join(", "), after.seriesLabels.join(", ")),
      ...difference("responsible_name", before.responsibleName, after.responsibleName),
      ...difference("responsible_url", before.responsibleUrl, after.responsibleUrl),
      ...difference("name", before.name, after.name),
      ...difference("url", before.url, after.url),
      ...difference("url_pattern", before.urlPattern, after.urlPattern),
      ...difference("preview_url", before.previewUrl, after.previewUrl),
      ...difference("asset_url", before.assetUrl, after.assetUrl),
      ...difference("language", before.language, after.language),
      ...difference("time_zone", before.timeZone, after.timeZone),
    };
    if (Object.keys(detail).length === 0) return before;
    await saveWebsite(db, after);
    // Readers see another list where they filter by language, and other redirects.
    const hasOtherSlugs = slugsPerLanguage !== before.slugsPerLanguage;
    if (after.language !== before.language || hasOtherSlugs) await raiseContentVersion(db, id);
    if (indexNow && !hadIndexNow) await startIndexNow(db, id, before.eventSequence, deps.clock());
    if (!indexNow && hadIndexNow) await stopIndexNow(db, id);
    await recordAudit(db, deps, origin, {
      action: "website.changed",
      targetKind: "website",
      targetId: id,
      websiteId: id,
      detail,
    });
    return after;
  });
}

/** Two people who choose the same value agree. @throws AppError `conflict`. */
function assertExpected(before: Website, after: Website, expected: WebsiteChange["expected"] = {}): void {
  for (const [setting, field] of Object.entries(EXPECTED_SETTINGS) as [ExpectedSetting, string][]) {
    const [seen, now] = [expected[setting], before[setting]];
    if (seen === undefined || isSame(now, seen) || isSame(now, after[setting])) continue;
    const shown = [now].flat().join(", ");
    const what = shown === "" ? "emptied this" : `changed this to “${shown}”`;
    throw new AppError("conflict", `Somebody else has ${what} since you opened the page. Save again to replace it.`, {
      field,
    });
  }
}

function isSame(one: Website[ExpectedSetting], other: Website[ExpectedSetting]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** @throws AppError `invalid`; `conflict` when several articles would share a slug that has to be unique. */
async function assertUniqueSlugs(db: Snapshot, before: Website, after: Website): Promise<void> {
  if (after.slugsPerLanguage) assertAddressPerLanguage(after);
  const isStricter = before.slugsPerLanguage && !after.slugsPerLanguage;
  if (!isStricter && !(after.slugsPerLanguage && after.language !== before.language)) return;
  const shared = await findSharedSlugs(db, after);
  if (shared === null) return;
  const named = `${shared.count} ${shared.count === 1 ? "slug is" : "slugs are"} used more than once, such as "${shared.slug}"`;
  throw isStricter
    ? new AppError("conflict", `Slugs cannot be unique within the website: ${named}. Change these first.`, {
        field: "slugs_per_language",
      })
    : new AppError("conflict", `With ${after.language} as the website's own language, ${named}. Change these first.`, {
        field: "language",
      });
}

/** @throws AppError `not_found`. */
export function readWebsite(deps: Pick<Deps, "store">, id: string): Promise<Website> {
  return deps.store.read((db) => loadWebsite(db, id));
}

/** Validates settings and returns them as stored. Existing values are validated only if they are in `given`. */
function parsed(
  {
    name,
    url,
    urlPattern,
    previewUrl = null,
    assetUrl = null,
    language = null,
    timeZone = DEFAULT_TIME_ZONE,
  }: NewWebsite,
  given: Partial<NewWebsite> = { name, url, urlPattern, previewUrl, assetUrl, language, timeZone },
): Required<NewWebsite> {
  return {
    name: given.name === undefined ? name : parseWebsiteName(name),
    url: given.url === undefined || url === null ? url : parseWebsiteUrl(url),
    urlPattern: given.urlPattern === undefined || urlPattern === null ? urlPattern : parseUrlPattern(urlPattern),
    previewUrl: given.previewUrl === undefined || previewUrl === null ? previewUrl : parsePreviewUrl(previewUrl),
    assetUrl: given.assetUrl === undefined || assetUrl === null ? assetUrl : parseAssetUrl(assetUrl),
    language: given.language === undefined || language === null ? language : parseWebsiteLanguage(language),
    timeZone: given.timeZone === undefined ? timeZone : parseTimeZone(timeZone),
  };
}

function parsedResponsible(
  before: Pick<Website, "responsibleName" | "responsibleUrl">,
  { responsibleName: name, responsibleUrl: url }: Pick<WebsiteChange, "responsibleName" | "responsibleUrl">,
): Pick<Website, "responsibleName" | "responsibleUrl"> {
  return {
    responsibleName: name === undefined ? before.responsibleName : name && parseResponsibleName(name),
    responsibleUrl: url === undefined ? before.responsibleUrl : url && parseResponsibleUrl(url),
  };
}

function difference(field: string, earlier: string | null, now: string | null): Record<string, string | null> {
  return earlier === now ? {} : { [field]: now, [`earlier_${field}`]: earlier };
}

/** By id, or by name if exactly one has it. @throws AppError `not_found`; `conflict` if several have the name. */
export function getWebsite(deps: Pick<Deps, "store">, idOrName: string): Promise<Website> {
  return deps.store.read(async (db) => {
    const named = (await listRows(db)).filter(({ id, name }) => id !== idOrName && name === idOrName);
    if (named[0] === undefined) return loadWebsite(db, idOrName);
    if (named.length === 1) return named[0];
    const ids = named.map(({ id, url }) => `\n  ${id}${url === null ? "" : `  ${url}`}`).join("");
    throw new AppError(
      "conflict",
      `Several websites have the name "${idOrName}". Give the id of the one you mean:${ids}`,
    );
  });
}

export function listWebsites(deps: Pick<Deps, "store">): Promise<Website[]> {
  return deps.store.read(listRows);
}

export function newEpoch(deps: Pick<Deps, "randomBytes">): string {
  return deps.randomBytes(6).toString("base64url");
}
