/** Articles as their sender sees them: with its own name, and with what it has brought since people published them. */
import type { ArticleInput, FullArticle } from "../../../domain/articles/article.ts";
import { mergeChanges, writtenInput } from "../../../domain/articles/composition.ts";
import { type Sender, senderSource } from "../../../domain/articles/senders/sender.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { type Website } from "../../../domain/system/website.ts";
import { findArticleByRow, findBody } from "../../../store/articles/articles.ts";
import { findDraftCopy } from "../../../store/articles/draft-copies.ts";
import { listTagNames } from "../../../store/articles/labels.ts";
import { hasWaiting } from "../../../store/articles/senders/arrivals.ts";
import { listSent, type SentFilter } from "../../../store/articles/senders/sent-articles.ts";
import type { Snapshot, StoredArticle } from "../../../store/store.ts";
import { loadWebsite } from "../../../store/system/websites.ts";
import type { Deps } from "../../system/deps.ts";
import { findKnown } from "../write/source-edit.ts";

export interface SentArticle {
  /** As its sender calls it. */
  externalId: string;
  website: Website;
  article: FullArticle["article"];
  /** With the draft copy's changes. */
  input: ArticleInput;
  html: string;
  /** Of the text or its draft copy. */
  changedAt: Millis;
}

/** Undefined if it has brought none of this id, or that is in the trash. */
export function readSent(
  deps: Pick<Deps, "store">,
  sender: Pick<Sender, "id" | "websiteId">,
  externalId: string,
): Promise<SentArticle | undefined> {
  return deps.store.read(async (db) => {
    const source = senderSource(sender.id, externalId);
    const { article } = await findKnown(db, sender.websiteId, { source, id: undefined });
    if (article === undefined || article.deletedAt !== null) return undefined;
    return complete(db, await loadWebsite(db, sender.websiteId), article, externalId);
  });
}

/** Whether a request is stored and not read yet that brings something new: its `member` has this value. */
export function isReceived(
  { store }: Pick<Deps, "store">,
  sender: Pick<Sender, "id">,
  member: string,
  value: string,
): Promise<boolean> {
  return store.read((db) => hasWaiting(db, sender.id, member, value));
}

/** Those that are not in the trash, the newest first. */
export function readAllSent(
  deps: Pick<Deps, "store">,
  sender: Pick<Sender, "id" | "websiteId">,
  filter: SentFilter,
  page: { limit: number; offset: number },
): Promise<{ total: number; articles: SentArticle[] }> {
  return deps.store.read(async (db) => {
    const website = await loadWebsite(db, sender.websiteId);
    const { total, sent } = await listSent(db, sender, filter, page);
    const articles: SentArticle[] = [];
    for (const { externalId, rowNo } of sent) {
      const article = await findArticleByRow(db, rowNo);
      if (article !== undefined) articles.push(await complete(db, website, article, externalId));
    }
    return { total, articles };
  });
}

const MAX_TAGS = 1_000;

/** The tags of the website's articles. */
export function listTags({ store }: Pick<Deps, "store">, websiteId: string): Promise<string[]> {
  return store.read((db) => listTagNames(db, websiteId, MAX_TAGS));
}

async function complete(
  db: Snapshot,
  website: Website,
  article: StoredArticle,
  externalId: string,
): Promise<SentArticle> {
  const body = await findBody(db, article.rowNo);
  const draft = await findDraftCopy(db, article.rowNo);
  const input = mergeChanges(writtenInput({ article, body }), draft?.changes ?? {});
  const changedAt = Math.max(article.updatedAt, draft?.savedAt ?? 0);
  return { externalId, website, article, input, html: input.content ?? body.html, changedAt };
}
