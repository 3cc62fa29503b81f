/** Makes the signed statement about an approval (docs/review-records.md), for websites that say who is responsible. */
import {
  composeReviewRecord,
  describeOrigin,
  readOwnRecord,
  reissue,
  signReviewRecord,
} from "../../../domain/articles/review-record.ts";
import { type FullArticle, parseMetrics } from "../../../domain/articles/article.ts";
import type { Millis } from "../../../domain/system/time.ts";
import type { Website } from "../../../domain/system/website.ts";
import type { NewEvent } from "../../../domain/webhooks/event.ts";
import {
  findReviewRecord,
  isEditedByPerson,
  saveReviewRecord,
} from "../../../store/articles/quality/review-records.ts";
import { listOverrides } from "../../../store/articles/quality/finding-overrides.ts";
import type { StoredFull, Writer } from "../../../store/store.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { loadSigner, pseudonym } from "../../system/signing-keys.ts";
import { needsOther } from "./second-person.ts";

export type SigningDeps = Pick<Deps, "secrets" | "randomBytes">;

interface Approved {
  website: Website;
  before: StoredFull;
  /** As it was saved. */
  after: FullArticle;
  actor: Actor;
  now: Millis;
  /** Whether nothing of the text is by the actor; if omitted, the revisions say so. */
  isSecondPerson?: boolean;
}

/**
 * Makes the record of an approval, in its transaction. Nobody else than a person who is signed in makes one: no command,
 * access token or guest. @returns the record; null if there is none.
 */
export async function recordReview(
  db: Writer,
  deps: SigningDeps,
  { website, before, after, actor, now, isSecondPerson }: Approved,
): Promise<string | null> {
  const { reviewer } = actor;
  const { responsibleName } = website;
  if (reviewer === undefined || responsibleName === null) return null;
  const { rowNo, websiteId } = before.article;
  const isNamed = website.namesReviewers && reviewer.name !== "";
  const record = composeReviewRecord(
    after,
    {
      issuer: reviewer.issuer,
      website,
      responsibleName,
      review: {
        person: isNamed ? reviewer.name : await pseudonym(db, deps, websiteId, actor.id),
        is_pseudonym: !isNamed,
        role: reviewer.role,
        is_second_person: isSecondPerson ?? !(await needsOther(db, { requiresSecondPerson: true }, before, actor)),
        signed_in_with: reviewer.signedInWith,
      },
      origin: describeOrigin(after.article.origin, after.body.suppliedSteps, await isEditedByPerson(db, rowNo)),
      overridden: await listOverrides(db, rowNo, parseMetrics(before.body.metricsJson).content_hash),
    },
    now,
  );
  return save(db, rowNo, after, signReviewRecord(record, await loadSigner(db, deps, now)));
}

/**
 * The record of an approval that stays valid, signed anew where something of what it says has changed: a publication
 * may give the article its address. @returns null if there is none.
 */
export async function carryReview(
  db: Writer,
  deps: SigningDeps,
  { before, after, now }: Omit<Approved, "actor" | "website">,
): Promise<string | null> {
  if (before.article.approvedAt !== after.article.approvedAt) return null;
  const earlier = await findReviewRecord(db, before.article);
  if (earlier === undefined || before.article.contentHash === after.article.contentHash) return earlier ?? null;
  const record = reissue(readOwnRecord(earlier), after, now);
  return save(db, before.article.rowNo, after, signReviewRecord(record, await loadSigner(db, deps, now)));
}

async function save(db: Writer, rowNo: number, { article }: FullArticle, jws: string): Promise<string> {
  const { websiteId, contentHash, approvedAt } = article;
  await saveReviewRecord(db, { rowNo, websiteId, contentHash, approvedAt, jws });
  return jws;
}

/** The event with the record, in the extended form of webhooks. */
export function withReviewRecord(event: NewEvent, jws: string | null): NewEvent {
  if (jws === null || event.extension === null) return event;
  return { ...event, extension: `${event.extension.slice(0, -1)},"review_record":${JSON.stringify(jws)}}` };
}
