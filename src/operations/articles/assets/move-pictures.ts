/** Articles hold whole addresses of their pictures: these follow the service to another one, and approvals stay valid. */
import { carryApproval } from "../../../domain/articles/approval.ts";
import { updatedEvent } from "../../../domain/articles/api-format.ts";
import type { FullArticle } from "../../../domain/articles/article.ts";
import { deliveredFields, editedFields, mergeChanges, writtenInput } from "../../../domain/articles/composition.ts";
import {
  findPictureBase,
  findTextsWith,
  listDraftSizes,
  listUsingArticles,
  savePictureBase,
} from "../../../store/articles/assets.ts";
import { type ArticleRow, listArticleRows } from "../../../store/articles/purging.ts";
import { listWebsites } from "../../../store/system/websites.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { catchFailure, type OnError } from "../../system/set-aside.ts";
import { loadReviewed } from "../review/article-review.ts";
import { makeEdit } from "../write/article-changes.ts";
import { editDetail } from "../write/edit-article.ts";
import { saveRevision } from "../write/save-revision.ts";
import { type TransitionDeps, transitionWith } from "../write/transition.ts";

const AT_ONCE = 256;
/** It changes nothing that an editor wrote. */
const ROSTRUM: Actor = { id: "rostrum", mayApprove: true, isOperator: true };

type MoveDeps = TransitionDeps & Pick<Deps, "deriveContent">;

/**
 * After the service's address has changed: once for each address. Websites with an address of their own for pictures keep
 * it. Pauses after each batch, and begins anew after a restart.
 */
export async function* followPublicUrl(deps: MoveDeps, publicUrl: string, onError: OnError): AsyncGenerator<void> {
  if ((await deps.store.read(findPictureBase)) === publicUrl) return;
  for (const { id, assetUrl } of await deps.store.read(listWebsites)) {
    if (assetUrl === null) yield* movePictures(deps, id, publicUrl, onError);
  }
  await deps.store.write((db) => savePictureBase(db, publicUrl));
}

async function* movePictures(deps: MoveDeps, websiteId: string, base: string, onError: OnError): AsyncGenerator<void> {
  const move = (text: string) => moveAddresses(text, websiteId, base);
  const each = async (rows: readonly number[], work: (id: string) => Promise<unknown>) => {
    for (const { id } of await deps.store.read((db) => listUsingArticles(db, websiteId, rows))) {
      await catchFailure(
        async () => void (await work(id)),
        (error) => {
          onError(error, `the pictures of article ${id} keep their earlier addresses`);
          return Promise.resolve();
        },
      );
    }
  };
  for (let after: ArticleRow | undefined = { version: 0, rowNo: 0 }; after !== undefined;) {
    const from: ArticleRow = after;
    const batch = await deps.store.read((db) => listArticleRows(db, websiteId, from, AT_ONCE));
    const rows = batch.map(({ rowNo }) => rowNo);
    const found = await deps.store.read((db) => findTextsWith(db, websiteId, rows, `%/assets/${websiteId}/%`));
    const old = found.filter(({ text }) => move(text) !== text).map(({ rowNo }) => rowNo);
    await each([...new Set(old)], (id) => moveInArticle(deps, id, move, ROSTRUM));
    // A changed article is listed again, because its version is new; the second time nothing changes.
    after = batch.at(-1);
    yield;
  }
  const drafts = await deps.store.read((db) => listDraftSizes(db, websiteId));
  await each(
    drafts.map(({ rowNo }) => rowNo),
    (id) => moveInDraft(deps, id, move),
  );
}

type Move = (text: string) => string;

const moveInArticle = transitionWith(async ({ full: before, db, entry, actor }, move: Move) => {
  const { article, body } = before;
  const { featuredImageUrl: image } = article;
  const after: FullArticle = carryApproval(before, {
    article: { ...article, featuredImageUrl: image && move(image) },
    body: {
      ...body,
      html: move(body.html),
      markdown: move(body.markdown),
      markdownSource: body.markdownSource && move(body.markdownSource),
    },
  });
  await saveRevision(db, before, after, { ...entry, actor: actor.id, action: "article.edited" });
  const isLive = article.status === "published" && article.deletedAt === null;
  return {
    ...after,
    event: isLive ? (cause) => updatedEvent(after, article, deliveredFields(before, after), cause) : null,
    notes: [{ action: "article.edited", detail: editDetail(article, article, editedFields(before, after)) }],
  };
});

async function moveInDraft(deps: MoveDeps, id: string, move: Move): Promise<void> {
  const { full, draft } = await deps.store.read((db) => loadReviewed(db, id));
  if (draft == null || full.article.deletedAt !== null) return;
  const { content, markdown, featuredImageUrl } = mergeChanges(writtenInput(full), draft.changes);
  const written = { ...(markdown === undefined ? { content } : { markdown }), featuredImageUrl };
  const changes = Object.fromEntries(
    Object.entries(written).flatMap(([field, text]) =>
      text == null || move(text) === text ? [] : [[field, move(text)]],
    ),
  );
  if (Object.keys(changes).length === 0) return;
  const seen = { version: full.article.version, draftSavedAt: draft.savedAt };
  await makeEdit(deps, id, { changes, seen, asDraft: true, acceptLoss: true }, ROSTRUM);
}

/** An address is no longer before its path. */
const MAX_BEGINNING = 400;
const ENDS_ADDRESS = /[\s"'<>()\\,]/;

function moveAddresses(text: string, websiteId: string, base: string): string {
  const path = `/assets/${websiteId}/`;
  let done = "";
  let from = 0;
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + path.length)) {
    const after = at + path.length;
    if (!/^[0-9a-f]{64}\//.test(text.slice(after, after + 65))) continue;
    let start = at;
    while (start > from && at - start < MAX_BEGINNING && !ENDS_ADDRESS.test(text.charAt(start - 1))) start -= 1;
    const beginning = text.slice(start, at);
    const scheme = Math.max(beginning.lastIndexOf("http://"), beginning.lastIndexOf("https://"));
    // Another path that only ends in the same way.
    if (scheme < 0 && beginning !== "") continue;
    done += text.slice(from, start + Math.max(0, scheme)) + base + path;
    from = after;
  }
  return done + text.slice(from);
}
