/** Records a change in its transaction: audit entries, and notifications of the people whom it concerns. */
import type { NotificationKind } from "../../../domain/people/notification.ts";
import { listHeld } from "../../../store/articles/origins.ts";
import { findSenderAnywhere } from "../../../store/articles/senders/senders.ts";
import { findTokenAnywhere } from "../../../store/people/access-tokens.ts";
import { settleNotifications } from "../../../store/people/notifications.ts";
import type { Article } from "../../../domain/articles/article.ts";
import type { Website } from "../../../domain/system/website.ts";
import { findLastEntry } from "../../../store/system/audit.ts";
import type { Writer } from "../../../store/store.ts";
import { notify, notifyOfArticle } from "../../people/notifications.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import type { AuditAction, AuditEntry } from "../../../domain/system/audit.ts";
import { recordAudit } from "../../system/audit.ts";

type NotifyDeps = Pick<Deps, "clock" | "newId">;

/** `notes`: what happened to it in this transaction; `eventId`: the id of its first audit entry. */
export async function notifyOfTransition(
  db: Writer,
  deps: NotifyDeps,
  {
    article,
    website,
    actor,
    notes,
    eventId,
  }: {
    article: Article;
    website: Pick<Website, "requiresSecondPerson">;
    actor: Actor;
    notes: readonly ArticleNote[];
    eventId: string;
  },
): Promise<void> {
  const actions = new Set(notes.map(({ action }) => action));
  const detail = notes.find(({ action }) => action === "article.changes_requested")?.detail;
  const submitted = notes.find(({ action }) => action === "article.submitted");
  if (submitted?.detail?.["undone"] === true)
    return settleNotifications(db, article.id, ["changes_requested"], deps.clock());
  if (submitted !== undefined) return notifyOfReview(db, deps, { article, website, actor, eventId });
  if (actions.has("article.assigned")) {
    return notifyOfArticle(db, deps, article, actor, { kind: "assigned", to: [article.assigneeId], eventId });
  }
  const settled = SETTLED.filter(({ by }) => by.some((action) => actions.has(action))).flatMap(({ kinds }) => kinds);
  if (settled.length > 0) await settleNotifications(db, article.id, settled, deps.clock());
  const to = [await findWriter(db, article)];
  if (to[0] === null) return undefined;
  if (actions.has("article.published")) {
    const by = actor.id === "schedule" ? await findScheduler(db, article) : undefined;
    // A scheduled publication counts as made by the person who scheduled it.
    const told = to.filter((id) => id !== by);
    return notifyOfArticle(db, deps, article, actor, { kind: "published", to: told, eventId });
  }
  if (actions.has("article.approved")) {
    return notifyOfArticle(db, deps, article, actor, { kind: "approved", to, eventId });
  }
  if (detail === undefined) return undefined;
  const text = String(detail["reason"] ?? "");
  return notifyOfArticle(db, deps, article, actor, { kind: "changes_requested", to, eventId, detail: { text } });
}

/** The author, unless it is unknown or a machine: then the assignee. */
async function findWriter(db: Writer, { authorId, assigneeId }: Article): Promise<string | null> {
  if (authorId === null || assigneeId === null) return authorId ?? assigneeId;
  const isMachine =
    (await findTokenAnywhere(db, authorId)) !== undefined || (await findSenderAnywhere(db, authorId)) !== undefined;
  return isMachine ? assigneeId : authorId;
}

const SETTLED: readonly { kinds: readonly NotificationKind[]; by: readonly ArticleNote["action"][] }[] = [
  {
    kinds: ["to_review", "resubmitted"],
    by: ["article.withdrawn", "article.approved", "article.changes_requested", "article.deleted"],
  },
  { kinds: ["removal_requested"], by: ["article.deleted"] },
  {
    kinds: ["approved"],
    by: ["article.unapproved", "article.changes_requested", "article.published", "article.deleted"],
  },
];

export function notifyOfReview(
  db: Writer,
  deps: NotifyDeps,
  {
    article,
    website,
    actor,
    eventId,
  }: {
    article: Article;
    website: Pick<Website, "requiresSecondPerson">;
    actor: Actor;
    eventId: string;
  },
): Promise<void> {
  const kind = article.reviewState === "resubmitted" ? "resubmitted" : "to_review";
  const except = website.requiresSecondPerson ? article.authorId : null;
  return notifyOfArticle(db, deps, article, actor, { kind, to: "everybody", except, eventId });
}

/** One notification per import run, of articles to review or with held changes; each batch updates it. */
export function notifyOfImport(
  db: Writer,
  deps: NotifyDeps,
  kind: "to_review" | "held",
  { id, websiteId, actor }: { id: string; websiteId: string; actor: Pick<Actor, "id"> },
  articleIds: readonly string[],
): Promise<void> {
  const [only, ...others] = articleIds;
  if (only === undefined) return Promise.resolve();
  return notify(db, deps, {
    kind,
    websiteId,
    targetId: others.length === 0 ? only : null,
    actor: actor.id,
    eventId: `${kind === "held" ? "held" : "import"} ${id}`,
    to: "everybody",
    ...(kind === "to_review" && { detail: { isImport: true } }),
    count: articleIds.length,
    joins: true,
  });
}

/** Settles notifications of held changes, once no source has any left. */
export async function settleHeld(
  db: Writer,
  deps: Pick<Deps, "clock">,
  { id, rowNo }: { id: string; rowNo: number },
): Promise<void> {
  if ((await listHeld(db, rowNo)).length === 0) await settleNotifications(db, id, ["held"], deps.clock());
}

export function notifyOfFailedPublication(
  db: Writer,
  deps: NotifyDeps,
  { id, websiteId }: Pick<Article, "id" | "websiteId">,
  reason: string,
): Promise<void> {
  const what = { kind: "publication_failed", websiteId, targetId: id, actor: "schedule" } as const;
  return notify(db, deps, { ...what, eventId: deps.newId(), to: "everybody", detail: { text: reason } });
}

async function findScheduler(db: Writer, { id }: Pick<Article, "id">): Promise<string | undefined> {
  return (await findLastEntry(db, id, ["article.scheduled"]))?.person.id;
}

export interface ArticleNote {
  action: Extract<AuditAction, `article.${string}`>;
  detail?: AuditEntry["detail"];
}

/** Characters; enough to identify an article with a longer title. */
const TITLE_LENGTH = 200;

/** `entry`: the id and time of the audit entry, if something else refers to it. */
export async function recordArticleChange(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock">,
  actor: Actor,
  article: Pick<Article, "id" | "websiteId" | "title">,
  { action, detail }: ArticleNote,
  entry?: Pick<AuditEntry, "id" | "at">,
): Promise<void> {
  const origin = { actor: actor.id, address: actor.address ?? null };
  await recordAudit(
    db,
    deps,
    origin,
    {
      action,
      targetKind: "article",
      targetId: article.id,
      websiteId: article.websiteId,
      detail: { title: article.title.slice(0, TITLE_LENGTH).toWellFormed(), ...detail, ...actor.facts },
    },
    entry,
  );
  await actor.inTransaction?.(db, article.id);
}
