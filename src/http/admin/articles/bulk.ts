/** Actions on several articles at once. Each action has its own route, as each has its own access. */
import { Readable } from "node:stream";
import { BULK_VERBS, type BulkVerb, VERBS } from "../../../domain/articles/verbs.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { listRowNos } from "../../../operations/articles/lists/article-lists.ts";
import { type BulkInput, changeEach } from "../../../operations/articles/write/bulk.ts";
import type { ReadModel } from "../../../operations/articles/read-model/read-model.ts";
import type { Deps } from "../../../operations/system/deps.ts";
import { listVersions } from "../../../store/articles/article-lists.ts";
import type { AdminOptions } from "../admin-options.ts";
import { OperationLimits } from "../concurrency-limit.ts";
import {
  type BulkFields,
  bulkInput,
  type BulkLine,
  bulkMatchingInput,
  bulkResult,
  bulkStopInput,
  bulkStopResult,
} from "../contract/articles.ts";
import { closeWhenIdle } from "../idle-timeout.ts";
import type { BulkJob } from "../dashboard-thread.ts";
import { getActor, type Admin, type AdminServer, getSignedIn } from "../routes.ts";
import { parseTimeParam } from "../parameters.ts";
import { toArticleList } from "./articles.ts";

const MAX_ARTICLES = 100_000;
/** Limits per process of actions on everything that matches. */
const LIMITS = { perPerson: 2, perWebsite: 2, atOnce: 6 };
/** Number of articles after which lines are sent. */
const BATCH_ARTICLES = 20;

export function bulkRoutes(
  app: AdminServer,
  admin: Admin,
  { readModel, dashboardThread }: { readModel: ReadModel; dashboardThread: AdminOptions["dashboardThread"] },
): void {
  const limits = new OperationLimits({ what: "bulk actions", ...LIMITS });
  /** Actions on everything that matches, by who performs them, where, and their ids. */
  const running = new Map<string, AbortController>();

  app.post(
    "/articles/bulk/stop",
    {
      config: { access: { may: "articles.read", on: "named" } },
      schema: { body: bulkStopInput, response: { 200: bulkStopResult } },
    },
    async (request) => {
      const { website_id: websiteId, bulk_id: bulkId } = request.body;
      const found = running.get(JSON.stringify([getSignedIn(request).id, websiteId, bulkId]));
      found?.abort();
      return { is_stopped: found !== undefined };
    },
  );

  for (const action of BULK_VERBS) {
    const access = { may: VERBS[action].may, on: "named" } as const;
    app.post(
      `/articles/bulk/${action}`,
      { config: { access }, schema: { body: bulkInput, response: { 200: bulkResult } } },
      async (request) => {
        const { website_id: websiteId, articles } = request.body;
        const actor = getActor(admin, request);
        const input = parseInput(action, request.body, admin.deps.clock());
        const onError = (error: unknown) =>
          admin.onError(error, `an article could not be changed by the bulk action ${action}`);
        const outcomes = await Array.fromAsync(
          changeEach(admin.deps, action, websiteId, articles, actor, input, onError),
        );
        return {
          results: outcomes.map(({ id, refusal }) => ({ id, ok: refusal === null, message: refusal })),
          done: outcomes.filter(({ refusal }) => refusal === null).length,
          held: outcomes.filter(({ isHeld }) => isHeld).length,
        };
      },
    );

    app.post(
      `/articles/bulk/${action}/matching`,
      { config: { access }, schema: { body: bulkMatchingInput } },
      async (request, reply) => {
        const { website_id: websiteId } = request.body;
        const { bulk_id: bulkId = admin.deps.newId() } = request.body;
        const input = { ...parseInput(action, request.body, admin.deps.clock()), bulkId };
        const { id: accountId } = getSignedIn(request);
        const stop = new AbortController();
        const key = JSON.stringify([accountId, websiteId, bulkId]);
        const place = new DisposableStack();
        place.use(limits.begin(accountId, websiteId));
        running.set(key, stop);
        place.defer(() => running.delete(key));
        try {
          const rowNos = await listRowNos(readModel, websiteId, toArticleList(request, request.body));
          if (rowNos.length > MAX_ARTICLES) {
            throw new AppError(
              "invalid",
              `These are more than ${MAX_ARTICLES.toLocaleString("en")} articles: choose fewer with a search or a filter.`,
            );
          }
          closeWhenIdle(reply);
          const job: BulkJob = { action, websiteId, rowNos: [...rowNos], actor: getActor(admin, request), input };
          const lines = Readable.from(
            explained(untilStopped(dashboardThread.changeInBulk(job), stop.signal), admin.onError),
          );
          // `close` is emitted even if no line was ever read.
          lines.once("close", () => place[Symbol.dispose]());
          return await reply
            .header("Content-Type", "application/x-ndjson; charset=utf-8")
            .header("X-Accel-Buffering", "no")
            .send(lines);
        } catch (error) {
          place[Symbol.dispose]();
          throw error;
        }
      },
    );
  }
}

/** @throws AppError `invalid` when the action needs a value that is missing. */
function parseInput(action: BulkVerb, fields: BulkFields, now: number): BulkInput {
  const { reason, assignee_id: assigneeId, author_id: authorId, bulk_id: bulkId, publish_at: text } = fields;
  const labels = {
    addTags: fields.add_tags,
    removeTags: fields.remove_tags,
    addCategories: fields.add_categories,
    removeCategories: fields.remove_categories,
  };
  const publishAt = text === undefined ? undefined : parseTimeParam("publish_at", text);
  if (action === "request-changes" && (reason ?? "").trim() === "") {
    throw new AppError("invalid", "Describe what should change.", { field: "reason" });
  }
  if ((action === "schedule" || action === "approve-and-schedule") && (publishAt === undefined || publishAt <= now)) {
    throw new AppError("invalid", "Choose a publication time in the future.", { field: "publish_at" });
  }
  if (action === "label" && Object.values(labels).every((one) => one === undefined || one.length === 0)) {
    throw new AppError("invalid", "Enter a tag or category to add or remove.", { field: "add_tags" });
  }
  return { reason, assigneeId, authorId, bulkId, publishAt, ...labels };
}

/** Yields the lines. The response has begun, so a failure can only be reported in its last line. */
async function* explained(lines: AsyncGenerator<string, void>, onError: Admin["onError"]): AsyncGenerator<string> {
  try {
    yield* lines;
  } catch (error) {
    onError(error, "a bulk action failed");
    yield bulkFailureLine(error);
  }
}

interface BulkDeps {
  deps: Deps;
  onError: (error: unknown, message: string) => void;
  stopping: AbortSignal;
}

/** Stops after the current batch when its reader does. An article that changed meanwhile is refused. */
export async function* bulkLines(
  { deps, onError, stopping }: BulkDeps,
  { action, websiteId, rowNos, actor, input }: BulkJob,
): AsyncGenerator<string, void> {
  const counts = { done: 0, refused: 0, held: 0 };
  try {
    const chosen = await deps.store.read((db) => listVersions(db, websiteId, rowNos));
    yield serializeLine({ kind: "start", total: chosen.length });
    const report = (error: unknown) => onError(error, `an article could not be changed by the bulk action ${action}`);
    const titles = new Map(chosen.map(({ id, title }) => [id, title]));
    for (let from = 0; from < chosen.length; from += BATCH_ARTICLES) {
      if (stopping.aborted) {
        yield serializeLine({ kind: "error", message: STOPPING });
        return;
      }
      const batch = chosen.slice(from, from + BATCH_ARTICLES);
      const lines: BulkLine[] = [];
      const changed: { id: string; title: string }[] = [];
      for await (const { id, refusal, isHeld } of changeEach(deps, action, websiteId, batch, actor, input, report)) {
        const title = titles.get(id) ?? "";
        if (refusal === null) changed.push({ id, title });
        else lines.push({ kind: "refused", id, title, message: refusal });
        if (isHeld === true) counts.held++;
      }
      counts.done += changed.length;
      counts.refused += lines.length;
      lines.push({ kind: "progress", ...counts, changed });
      yield lines.map(serializeLine).join("");
    }
    yield serializeLine({ kind: "summary", ...counts });
  } catch (error) {
    if (!(error instanceof AppError)) onError(error, "a bulk action failed");
    yield bulkFailureLine(error);
  }
}

/** Ends `lines` after the batch in progress once `stop` is aborted, so that they report everything that was done. */
async function* untilStopped(lines: AsyncGenerator<string, void>, stop: AbortSignal): AsyncGenerator<string, void> {
  for await (const line of lines) {
    yield line;
    if (stop.aborted) {
      yield serializeLine({ kind: "stopped" });
      return;
    }
  }
}

function bulkFailureLine(error: unknown): string {
  return serializeLine({ kind: "error", message: error instanceof AppError ? error.message : FAILED });
}

const STOPPING = "The service is stopping. What was done is kept; repeat the action in a moment for the rest.";
const FAILED = "Something went wrong on the server, and its log says what. What was done is kept.";

function serializeLine(line: BulkLine): string {
  return `${JSON.stringify(line)}\n`;
}
