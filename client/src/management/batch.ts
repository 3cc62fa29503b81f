/** Many articles, some megabytes in each request. */
import { queryOf } from "../articles.ts";
import { sleep } from "../pace.ts";
import { type CallOptions, ManagementError, type ManagementTransport } from "./transport.ts";
import type { BatchItem, BroughtArticle } from "./types.generated.ts";

export interface BatchArticle extends BroughtArticle {
  /** Your own id of the article. */
  external_id: string;
}

export interface BatchOptions extends CallOptions {
  /** Replaces what people changed; otherwise that is held. Needs the scope `publish`. */
  overwrite?: boolean | undefined;
  /** Saves articles even if more than a tenth of their text is lost. */
  acceptLoss?: boolean | undefined;
  /** Where new articles begin that name no state. Default `in_review`. */
  reviewState?: "draft" | "in_review" | undefined;
  /** Says what would be done, and saves nothing. */
  dryRun?: boolean | undefined;
  /** Characters of one request; the service takes 200 million bytes. Default 8 million. */
  maxCharacters?: number | undefined;
}

interface Line {
  /** From 1. */
  no: number;
  text: string;
}

type Answer = BatchItem | { kind: "progress" | "picture" | "summary" } | { kind: "error"; message: string };

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 16_000;

export async function* sendBatch(
  transport: ManagementTransport,
  articles: AsyncIterable<BatchArticle> | Iterable<BatchArticle>,
  { maxCharacters = 8_000_000, ...options }: BatchOptions,
): AsyncGenerator<BatchItem, void, undefined> {
  let lines: Line[] = [];
  let characters = 0;
  let no = 0;
  for await (const article of articles) {
    const text = `${JSON.stringify(article)}\n`;
    lines.push({ no: ++no, text });
    characters += text.length;
    if (characters < maxCharacters) continue;
    yield* sendLines(transport, lines, options);
    lines = [];
    characters = 0;
  }
  if (lines.length > 0) yield* sendLines(transport, lines, options);
}

/** Sends those again that were not answered: what was saved of them is unchanged then. */
async function* sendLines(
  transport: ManagementTransport,
  lines: readonly Line[],
  options: BatchOptions,
): AsyncGenerator<BatchItem, void, undefined> {
  const { signal, overwrite, acceptLoss, reviewState, dryRun } = options;
  const query = queryOf({
    overwrite: overwrite === true ? "true" : undefined,
    accept_loss: acceptLoss === true ? "true" : undefined,
    review_state: reviewState,
    dry_run: dryRun === true ? "true" : undefined,
  });
  let left = lines;
  let end = performance.now() + transport.giveUpAfterMs;
  let waitMs = FIRST_WAIT_MS;
  while (left.length > 0) {
    const bytes = left.map(({ text }) => text).join("");
    const content = { type: "application/x-ndjson", bytes };
    const answered = new Set<number>();
    let failure: unknown = new ManagementError(0, "The answer ended before all articles were answered.");
    try {
      const answers = transport.lines({ method: "POST", path: `/articles/batch${query}`, content, signal });
      for await (const answer of answers as AsyncGenerator<Answer>) {
        if (answer.kind === "error") failure = new ManagementError(0, answer.message);
        if (answer.kind !== "item") continue;
        const line = left[answer.line - 1];
        if (line === undefined) throw new ManagementError(200, "The answer names a line that was not sent.");
        answered.add(line.no);
        end = performance.now() + transport.giveUpAfterMs;
        yield { ...answer, line: line.no };
      }
    } catch (error) {
      // Refused, or without an answer for too long.
      if (!(error instanceof ManagementError) || error.status !== 0 || answered.size === 0) throw error;
      failure = error;
    }
    left = left.filter(({ no }) => !answered.has(no));
    if (left.length === 0) return;
    waitMs = answered.size > 0 ? FIRST_WAIT_MS : Math.min(waitMs * 2, MAX_WAIT_MS);
    if (performance.now() + waitMs > end) throw failure;
    await sleep(waitMs, signal);
  }
}
