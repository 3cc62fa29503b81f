/** Changes many articles, and reports the outcome line by line in the response. */
import type { BulkVerb } from "../../../domain/articles/verbs.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { type BulkInput, changeEach } from "../../../operations/articles/write/bulk.ts";
import type { Actor, Deps } from "../../../operations/system/deps.ts";
import { listVersions } from "../../../store/articles/article-lists.ts";
import type { BulkLine } from "../contract/articles.ts";

/** Number of articles after which lines are sent. */
const BATCH_ARTICLES = 20;

export interface BulkJob {
  action: BulkVerb;
  websiteId: string;
  /** Row numbers of the articles that matched at the start. */
  rowNos: readonly number[];
  actor: Actor;
  input: BulkInput;
}

interface BulkDeps {
  deps: Deps;
  onError: (error: unknown, message: string) => void;
  /** Aborts when the service stops. */
  stopping: AbortSignal;
}

/** Stops after the current batch when the consumer stops reading. An article that was changed in between is refused. */
export async function* bulkLines(
  { deps, onError, stopping }: BulkDeps,
  { action, websiteId, rowNos, actor, input }: BulkJob,
): AsyncGenerator<string, void> {
  const counts = { done: 0, refused: 0 };
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
      for await (const { id, refusal } of changeEach(deps, action, websiteId, batch, actor, input, report)) {
        const title = titles.get(id) ?? "";
        if (refusal === null) changed.push({ id, title });
        else lines.push({ kind: "refused", id, title, message: refusal });
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
export async function* untilStopped(
  lines: AsyncGenerator<string, void>,
  stop: AbortSignal,
): AsyncGenerator<string, void> {
  for await (const line of lines) {
    yield line;
    if (stop.aborted) {
      yield serializeLine({ kind: "stopped" });
      return;
    }
  }
}

/** The last line of a bulk action that failed. */
export function bulkFailureLine(error: unknown): string {
  return serializeLine({ kind: "error", message: error instanceof AppError ? error.message : FAILED });
}

const STOPPING = "The service is stopping. What was done is kept; repeat the action in a moment for the rest.";
const FAILED = "Something went wrong on the server, and its log says what. What was done is kept.";

function serializeLine(line: BulkLine): string {
  return `${JSON.stringify(line)}\n`;
}
