/**
 * Links that let somebody without an account review one text of one article.
 *
 * A guest decides about exactly the text that the link was created for, and only if its sender may decide at that time:
 * the sender's role and the second-person rule apply. The guest's actions are recorded under their name.
 */
import { labelKey } from "../../../domain/system/collation.ts";
import type { Article } from "../../../domain/articles/article.ts";
import { type Millis, DAY_MS } from "../../../domain/system/time.ts";
import { getAccountState } from "../../../domain/people/account.ts";
import { hashToken, mintToken } from "../../../domain/people/one-time-token.ts";
import { can, roleOn } from "../../../domain/people/permissions.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { foreignLine, foreignText } from "../../../domain/system/foreign-text.ts";
import type { Website } from "../../../domain/system/website.ts";
import { allows, getState } from "../../../domain/articles/verbs.ts";
import {
  findReviewLink,
  type GuestDecision,
  insertReviewLink,
  listOtherGuests,
  listReviewLinks as listRows,
  type ReviewLink,
  revokeReviewLink as revokeRow,
  setGuestDecision,
} from "../../../store/articles/review-links.ts";
import { findAccount } from "../../../store/people/accounts.ts";
import { listMemberships } from "../../../store/people/memberships.ts";
import { findPerson } from "../../../store/system/audit.ts";
import type { Snapshot, StoredFull, Writer } from "../../../store/store.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { recordArticleChange } from "../write/article-notes.ts";
import { loadArticle, loadToChange } from "../write/article-persistence.ts";
import { loadWebsite } from "../../../store/system/websites.ts";
import { decideForGuest } from "../write/articles.ts";
import { needsOther } from "../write/second-person.ts";

const DEFAULT_DAYS = 7;
const MAX_DAYS = 30;
const MAX_NAME = 200;
const MAX_LABEL = 200;

type LinkDeps = Pick<Deps, "store" | "clock" | "newId" | "randomBytes" | "secrets">;

interface NewReviewLink {
  label?: string | undefined;
  days?: number | undefined;
}

/** The token is in the fragment, which browsers do not send: no log and no Referer contains it. */
export function reviewUrl(base: string, token: string): string {
  return `${base}/dashboard/review#${token}`;
}

/** @throws AppError `not_found`; `conflict` if the article needs no decision now; `invalid`. */
export function createReviewLink(
  deps: LinkDeps,
  id: string,
  { label = "", days = DEFAULT_DAYS }: NewReviewLink,
  actor: Actor,
): Promise<{ link: ReviewLink; token: string }> {
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS) {
    throw new AppError("invalid", `A review link is valid for 1 to ${MAX_DAYS} days.`, { field: "days" });
  }
  const token = mintToken(deps.randomBytes);
  return deps.store.write(async (db) => {
    const { full } = await loadToChange(db, id);
    const { article } = full;
    const { contentHash } = article;
    if (article.deletedAt !== null || article.status === "published" || contentHash === null) {
      throw new AppError("conflict", "Only an article that is not published yet can be sent to somebody for review.");
    }
    const now = deps.clock();
    const link = {
      id: deps.newId(),
      websiteId: article.websiteId,
      articleId: id,
      contentHash,
      label: foreignLine(label.trim(), MAX_LABEL),
      createdBy: actor.id,
      createdAt: now,
      expiresAt: now + days * DAY_MS,
    };
    await insertReviewLink(db, hashToken(token), link);
    const detail = { link: link.id, ...(link.label === "" ? {} : { label: link.label }), days };
    await recordArticleChange(db, deps, actor, article, { action: "article.review_link_created", detail });
    return { link: { ...link, revokedAt: null, guest: null, decision: null, decidedAt: null }, token };
  });
}

export function listReviewLinks(deps: Pick<Deps, "store" | "clock">, id: string): Promise<ReviewLink[]> {
  return deps.store.read((db) => listRows(db, id, deps.clock()));
}

/** @throws AppError `not_found`. */
export function revokeReviewLink(deps: LinkDeps, id: string, linkId: string, actor: Actor): Promise<void> {
  return deps.store.write(async (db) => {
    const { full } = await loadToChange(db, id);
    if (!(await revokeRow(db, id, linkId, deps.clock()))) {
      throw new AppError("not_found", "This article has no such review link, or it has been revoked already.");
    }
    const note = { action: "article.review_link_revoked", detail: { link: linkId } } as const;
    await recordArticleChange(db, deps, actor, full.article, note);
  });
}

export interface GuestReview {
  /** null once the text has changed, because the link is for the earlier one. */
  article: Pick<Article, "title" | "featuredImageUrl" | "featuredImageAlt"> | null;
  html: string;
  /** Of the text; null: unknown. */
  language: string | null;
  websiteName: string;
  websiteUrl: string | null;
  /** As the guest sees it. */
  sender: string;
  expiresAt: Millis;
  decisions: GuestDecision[];
  decision: GuestDecision | null;
  link: ReviewLink;
}

/** @throws AppError `not_found` unless the token is valid. */
export function readGuestReview(deps: Pick<Deps, "store" | "clock">, token: string): Promise<GuestReview> {
  return deps.store.read(async (db) => {
    const { link, full, website, senderForGuest } = await loadUsableLink(db, token, deps.clock());
    const { article, body } = full;
    const isSame = article.contentHash === link.contentHash;
    const state = getState(article);
    return {
      article: isSame ? article : null,
      html: isSame ? body.html : "",
      language: article.language ?? website.language,
      websiteName: website.name,
      websiteUrl: website.url,
      sender: senderForGuest,
      expiresAt: link.expiresAt,
      decisions: isSame ? DECISIONS.filter((decision) => allows(decision, state, false)) : [],
      decision: link.decision,
      link,
    };
  });
}

const DECISIONS: readonly GuestDecision[] = ["approve", "request-changes"];

/** The guest's actions have the link's id as their actor. */
export function toGuestActor(
  { link, sender }: Pick<UsableLink, "link" | "sender">,
  guest: string,
  address: string | null,
): Actor {
  return { id: link.id, mayApprove: false, address, facts: { guest: toGuestName(guest), invited_by: sender } };
}

interface GuestInput {
  name: string;
  decision: GuestDecision;
  /** The requested changes; only for `request-changes`. */
  reason: string;
}

/**
 * Decides in the guest's name. @throws AppError `not_found` unless the token is valid; `conflict` if the text has
 * changed, its state forbids it, or the sender may not approve it; `invalid` without a name or a reason.
 */
export async function decideAsGuest(
  deps: LinkDeps & Pick<Deps, "deriveContent">,
  token: string,
  { name: given, decision, reason }: GuestInput,
  address: string | null,
): Promise<void> {
  const name = checkGuestName(given);
  const load = async (db: Snapshot) => {
    const usable = await loadUsableLink(db, token, deps.clock());
    assertSameText(usable);
    return usable;
  };
  const usable = await deps.store.read(load);
  const guest = describeGuest(usable, name);
  const admit = async (db: Writer) => {
    const now = await load(db);
    const { link, full, website, senderForGuest } = now;
    const isOperator = link.createdBy === "cli" ? ({ isOperator: true } as const) : {};
    const isApproval = decision === "approve";
    if (isApproval && (await needsOther(db, website, full, { id: link.createdBy, ...isOperator }))) {
      throw new AppError(
        "conflict",
        `This text was written or last changed by ${senderForGuest}, so somebody else has to approve it.`,
      );
    }
    assertSameGuest(now, name, guest);
    await setGuestDecision(db, link.id, { guest, decision, at: deps.clock() });
  };
  const { link, full } = usable;
  const actor = { ...toGuestActor(usable, guest, address), mayApprove: true };
  const input = { reason: decision === "approve" ? null : foreignText(reason, reason.length), admit };
  await decideForGuest(deps, link.articleId, input, actor, { version: full.article.version });
}

const GUEST_OF = ", guest invited by ";

/** Makes a name look like another: overrides of the direction, and characters that nobody sees. */
const INVISIBLE =
  /[\u00AD\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u2800\u3164\uFEFF\uFFA0]/g;
/** Seen only with other characters. */
const COMBINED = /[\p{M}\u200C\u200D]/gu;

/** @throws AppError `invalid` without a name. */
export function checkGuestName(given: string): string {
  const name = foreignLine(given.replaceAll(INVISIBLE, "").trim(), MAX_NAME);
  if (name.replaceAll(COMBINED, "") === "") {
    throw new AppError("invalid", "Enter your name. It is shown with what you write.", { field: "name" });
  }
  if (name.normalize("NFKC").includes("@")) {
    const message = "Give your name, not an e-mail address: nobody has checked that it is yours.";
    throw new AppError("invalid", message, { field: "name" });
  }
  return name;
}

/** Describes the guest: a second Ada of an article is "Ada (2)". @throws AppError `conflict` if another used it. */
export function describeGuest({ link, sender, senderForGuest, otherGuests }: UsableLink, name: string): string {
  if (link.guest === null) {
    const taken = new Set(otherGuests.map((guest) => labelKey(toGuestName(guest))));
    let distinct = name;
    for (let number = 2; taken.has(labelKey(distinct)); number++) distinct = `${name} (${number})`;
    return `${distinct}${GUEST_OF}${sender}`;
  }
  const known = toGuestName(link.guest);
  if (known === name || known.replace(/ \(\d+\)$/, "") === name) return link.guest;
  // The history shows the name for what was done before, too.
  throw new AppError("conflict", `Somebody else has used this link: ask ${senderForGuest} for one of your own.`);
}

export function getGuestName({ guest }: ReviewLink): string | null {
  return guest === null ? null : toGuestName(guest);
}

function toGuestName(guest: string): string {
  return guest.slice(0, guest.lastIndexOf(GUEST_OF));
}

/** @throws AppError `conflict` when somebody else has taken the name meanwhile. */
export function assertSameGuest(usable: UsableLink, name: string, guest: string): void {
  if (describeGuest(usable, name) !== guest) throw new AppError("conflict", "Reload the page, then try again.");
}

/** @throws AppError `conflict`. */
export function assertSameText({ link, full, senderForGuest }: UsableLink): void {
  if (full.article.contentHash === link.contentHash) return;
  throw new AppError("conflict", `The text has changed since this link was sent: ask ${senderForGuest} for a new one.`);
}

interface UsableLink {
  link: ReviewLink;
  full: StoredFull;
  website: Website;
  sender: string;
  senderForGuest: string;
  /** The guests of other links, in words. */
  otherGuests: string[];
}

/** @throws AppError `not_found` unless the link is valid, its sender may still decide, and the article exists. */
export async function loadUsableLink(db: Snapshot, token: string, now: Millis): Promise<UsableLink> {
  const link = await findReviewLink(db, hashToken(token), now);
  if (link !== undefined && (await maySend(db, link))) {
    const full = await loadArticle(db, link.articleId);
    if (full.article.deletedAt === null && full.article.websiteId === link.websiteId) {
      const { name } = await findPerson(db, link.createdBy);
      const sender = name ?? "the administrator";
      const senderForGuest = isAddress(sender) ? "an editor" : sender;
      const website = await loadWebsite(db, link.websiteId);
      return { link, full, website, sender, senderForGuest, otherGuests: await listOtherGuests(db, link) };
    }
  }
  throw new AppError("not_found", "This link is invalid or has expired: ask the person who sent it for a new one.");
}

/** Members without a name are shown by their e-mail address, but not to strangers. */
export function isAddress(name: string | null): boolean {
  return name?.includes("@") === true;
}

async function maySend(db: Snapshot, { createdBy, websiteId }: ReviewLink): Promise<boolean> {
  if (createdBy === "cli") return true;
  const account = await findAccount(db, createdBy);
  if (account === undefined || getAccountState(account) === "disabled") return false;
  return can(roleOn(await listMemberships(db, createdBy), websiteId), "articles.approve");
}
