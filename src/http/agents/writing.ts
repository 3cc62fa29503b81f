/** Tools that write. Each answer says what undoes the change. */
import { setImmediate } from "node:timers/promises";
import { editPassages, type PassageEdit } from "../../domain/articles/passage-edits.ts";
import { AppError } from "../../domain/system/errors.ts";
import { type Json, type ManagementCalls, RefusedCall } from "./management-calls.ts";
import { type AgentsArticle, loadArticle, pick, present, toAgentsArticle } from "./reading.ts";

interface Fields extends Json {
  markdown?: string;
  content?: string;
}

export async function createDraft(
  calls: ManagementCalls,
  { external_id: externalId, ...article }: Fields & { external_id?: string },
): Promise<Json> {
  const body = { ...article, review_state: "draft", ...(externalId !== undefined && { external_id: externalId }) };
  const find = async () => {
    const { article: found } = await calls.send("GET", ["articles", "by-external-id", String(externalId)]);
    return { created: false, ...present(toAgentsArticle(found as Json)) };
  };
  try {
    const { article: made } = (await calls.send("POST", ["articles"], { body })) as { article: Json };
    const undo = "A person deletes it, in the dashboard.";
    return { created: true, ...presentSaved(made), undo };
  } catch (error) {
    const isKnown = error instanceof RefusedCall && error.status === 409 && error.facts["param"] === "external_id";
    if (!isKnown) throw error;
    return find();
  }
}

interface EditInput {
  id: string;
  etag: string;
  edits?: PassageEdit[];
  text?: string;
  rewrite?: boolean;
  fields?: Json;
}

export async function editArticle(calls: ManagementCalls, input: EditInput): Promise<Json> {
  const { id, etag, edits, text, fields = {} } = input;
  if (edits === undefined && text === undefined && Object.keys(fields).length === 0) {
    throw new AppError("invalid", "Give edits, text or fields: there is nothing to change.", { field: "edits" });
  }
  const article = await loadArticle(calls, id);
  assertCurrent(article, etag);
  const edited = await editText(article, input);
  const body = {
    ...fields,
    ...(edited !== undefined && { [article.format === "html" ? "content" : "markdown"]: edited }),
  };
  const { article: saved } = (await calls.send("PATCH", ["articles", id], { body, etag })) as { article: Json };
  return { ...presentSaved(saved), undo: await findUndo(calls, article, saved) };
}

/** @throws RefusedCall for an earlier version, as the management API would. */
function assertCurrent({ etag: now }: AgentsArticle, etag: string): void {
  if (etag === now) return;
  const message = "The article has changed since you read it: read it again, then repeat the change.";
  throw new RefusedCall(412, { message, code: "stale", etag: now });
}

async function editText({ text }: AgentsArticle, input: EditInput): Promise<string | undefined> {
  const { edits, text: whole, rewrite = false } = input;
  if (edits !== undefined && whole !== undefined) {
    throw new AppError("invalid", "Give either edits or text, not both.", { field: "text" });
  }
  if (whole !== undefined && !rewrite) {
    throw new AppError("invalid", "A whole new text needs rewrite: true; or give edits.", { field: "rewrite" });
  }
  return edits === undefined ? whole : editPassages(text, edits, { rewrite, pause: () => setImmediate() });
}

/** The call that brings back the article as it was before; null if nothing has changed. */
async function findUndo(calls: ManagementCalls, before: AgentsArticle, { id, etag }: Json): Promise<unknown> {
  if (etag === before.etag) return null;
  const revision =
    before.hasDraft || before.state === "published" ? "live" : await findFormerRevision(calls, before.id);
  return before.hasDraft || revision === undefined
    ? "edit_article with the former passages and fields"
    : { tool: "restore_revision", arguments: { id, etag, revision } };
}

/** Finds the newest revision but one: the newest is the article itself. */
async function findFormerRevision(calls: ManagementCalls, id: string): Promise<unknown> {
  const { entries } = (await calls.send("GET", ["articles", id, "history"])) as { entries: Json[] };
  return entries.filter(({ revision }) => revision !== null)[1]?.["revision"];
}

/** Presents an article that was just saved. */
function presentSaved(article: Json): Json {
  return { ...present(toAgentsArticle(article)), ...pick(article, ["removed"]) };
}

export async function checkArticle(
  calls: ManagementCalls,
  { id, ...changes }: Fields & { id?: string },
): Promise<Json> {
  const body = { changes, ...(id !== undefined && { id }) };
  const found = await calls.send("POST", ["articles", "check"], { body });
  return pick(found, ["slug", "excerpt", "word_count", "reading_time", "quality_metrics", "removed", "loss"]);
}

export async function submitForReview(
  calls: ManagementCalls,
  { id, etag, withdraw = false }: { id: string; etag: string; withdraw?: boolean },
): Promise<Json> {
  const verb = withdraw ? "withdraw" : "submit";
  const { article } = (await calls.send("POST", ["articles", id, verb], { body: {}, etag })) as { article: Json };
  const undo = { tool: "submit_for_review", arguments: { id, etag: article["etag"], withdraw: !withdraw } };
  return { ...presentSaved(article), undo };
}

export async function comment(
  calls: ManagementCalls,
  { id, text, quote, thread }: { id: string; text: string; quote?: string; thread?: string },
): Promise<Json> {
  const path = ["articles", id, "comments"];
  if (thread !== undefined) {
    if (quote !== undefined) {
      throw new AppError("invalid", "A reply has no quote: its thread has one.", { field: "quote" });
    }
    return lastThread(await calls.send("POST", [...path, thread, "replies"], { body: { text } }), thread);
  }
  let passage = null;
  if (quote !== undefined) {
    // Fails if the token may not read the article.
    await calls.send("GET", path);
    passage = await calls.locateQuote(id, quote);
  }
  return lastThread(await calls.send("POST", path, { body: { text, passage } }));
}

function lastThread({ threads }: Json, id?: string): Json {
  const all = threads as Json[];
  const thread = id === undefined ? all.at(-1) : all.find((one) => one["id"] === id);
  return { thread, undo: "A person deletes or resolves it, in the dashboard." };
}

export async function restoreRevision(
  calls: ManagementCalls,
  { id, etag, revision }: { id: string; etag: string; revision: string },
): Promise<Json> {
  const article = await loadArticle(calls, id);
  assertCurrent(article, etag);
  if (revision === "live") {
    const { article: left } = await calls.send("DELETE", ["articles", id, "draft"], { etag });
    return presentSaved(left as Json);
  }
  const path = ["articles", id, "revisions", revision, "restore"];
  const { article: saved } = (await calls.send("POST", path, { body: {}, etag })) as { article: Json };
  return { ...presentSaved(saved), undo: await findUndo(calls, article, saved) };
}
