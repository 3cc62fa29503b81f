/** Applies one action to many articles, with progress and a result for each article. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type {
  BulkAction,
  BulkFields,
  BulkLine,
  BulkResult,
  BulkStopResult,
} from "../../../../src/http/admin/contract/articles.ts";
import { ApiError, apiPath, fetchRaw, post } from "../../api/client.ts";
import type { QueueSearch } from "../../shared/article-queue.ts";
import { toMessage } from "../../shared/error-note.tsx";
import type { ChosenArticle } from "./selection.ts";

type Named = Pick<ChosenArticle, "id" | "title">;

export interface BulkOutcome {
  action: BulkAction;
  done: number;
  changed: Named[];
  /** Number of refused articles; `refused` lists at most `MAX_REFUSED` of them. */
  refusals: number;
  refused: { article: Named; message: string }[];
  /** Number of the refused that are held by what was found in their texts. */
  held: number;
  /** Why the action ended early; null if it did not. */
  end: string | null;
}

/** Additional input of some actions. */
export type BulkInput = Omit<BulkFields, "website_id">;

/** Selected articles, or all matching ones. An article is changed only in the version on the screen, if one is given. */
export type BulkTarget =
  | { articles: readonly (Named & { version?: number })[] }
  | { matching: QueueSearch; total: number };

const PORTION = 25;
const MAX_REFUSED = 500;

export interface Bulk {
  run: (action: BulkAction, target: BulkTarget, input?: BulkInput) => Promise<BulkOutcome>;
  /** Stops after the articles that are being changed now; completed changes are kept. */
  stop: () => void;
  isRunning: boolean;
  isStopping: boolean;
  /** Number of articles handled, and of all. */
  progress: { handled: number; total: number };
}

export function useBulk(websiteId: string): Bulk {
  const client = useQueryClient();
  const [progress, setProgress] = useState({ handled: 0, total: 0 });
  const [isStopping, setStopping] = useState(false);
  const running = useRef<AbortController | null>(null);
  const { mutateAsync, isPending } = useMutation({
    mutationFn: async ({ action, target, input }: { action: BulkAction; target: BulkTarget; input: BulkInput }) => {
      const controller = new AbortController();
      running.current = controller;
      const outcome: BulkOutcome = { action, done: 0, changed: [], refusals: 0, refused: [], held: 0, end: null };
      const { signal } = controller;
      const show = (total: number) => setProgress({ handled: outcome.done + outcome.refusals, total });
      // Groups all parts, so that people get one notification.
      const bulk_id = `${Date.now()}-${Math.random()}`;
      if ("matching" in target) {
        setProgress({ handled: 0, total: target.total });
        const body = { website_id: websiteId, ...target.matching, ...input, bulk_id };
        await changeMatching(body, outcome, signal, show).catch((error: unknown) => {
          outcome.end = signal.aborted ? CUT_OFF : toMessage(error);
        });
        return outcome;
      }
      const { articles } = target;
      for (let from = 0; from < articles.length; from += PORTION) {
        if (signal.aborted) {
          outcome.end = STOPPED;
          break;
        }
        setProgress({ handled: from, total: articles.length });
        await changePortion(websiteId, articles.slice(from, from + PORTION), { ...input, bulk_id }, outcome);
      }
      return outcome;
    },
    onMutate: () => {
      setProgress({ handled: 0, total: 0 });
      setStopping(false);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["articles", websiteId] }),
  });
  useWarnBeforeUnload(isPending);
  return {
    run: (action, target, input = {}) => mutateAsync({ action, target, input }),
    stop: () => {
      setStopping(true);
      running.current?.abort();
    },
    isRunning: isPending,
    isStopping,
    progress,
  };
}

const STOPPED = "Stopped. What was already done is kept.";
const CUT_OFF = "Stopped, but the service did not confirm it: a few more articles may have been changed.";

/** Closing the page stops the action; navigating within the dashboard does not. */
function useWarnBeforeUnload(isRunning: boolean): void {
  useEffect(() => {
    if (!isRunning) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isRunning]);
}

async function changePortion(
  websiteId: string,
  portion: readonly (Named & { version?: number })[],
  input: BulkInput,
  outcome: BulkOutcome,
): Promise<void> {
  const articles = portion.map(({ id, version }) => ({ id, version }));
  const refuse = (article: Named, message: string) => {
    outcome.refusals += 1;
    outcome.refused.push({ article, message });
  };
  try {
    const { results, held } = await post<BulkResult>(apiPath`/articles/bulk/${outcome.action}`, {
      body: { website_id: websiteId, articles, ...input },
    });
    outcome.held += held;
    for (const [index, { ok, message }] of results.entries()) {
      const article = portion[index];
      if (article === undefined) continue;
      if (ok) {
        outcome.done += 1;
        outcome.changed.push(article);
      } else refuse(article, message ?? "Refused.");
    }
  } catch (error) {
    // The list shows whether any of these changed; the next batch may still succeed.
    for (const article of portion) refuse(article, toMessage(error));
  }
}

/**
 * Ends the action and still receives what its last batch did. Where several processes serve the dashboard, another one may
 * get the request, so it is repeated. @returns whether the action will end; false also if it has ended by itself.
 */
async function stopMatching(body: { website_id: string; bulk_id: string }): Promise<boolean> {
  for (let attempt = 0; attempt < STOP_ATTEMPTS; attempt += 1) {
    try {
      const { website_id, bulk_id } = body;
      const { is_stopped } = await post<BulkStopResult>("/articles/bulk/stop", { body: { website_id, bulk_id } });
      if (is_stopped) return true;
    } catch {
      // The next attempt may reach the service again.
    }
    await new Promise((resolve) => setTimeout(resolve, STOP_INTERVAL_MS));
  }
  return false;
}

const STOP_ATTEMPTS = 12;
const STOP_INTERVAL_MS = 250;

/** @throws ApiError, or another error if it was stopped without the service's confirmation. */
async function changeMatching(
  body: { website_id: string; bulk_id: string },
  outcome: BulkOutcome,
  signal: AbortSignal,
  onProgress: (total: number) => void,
): Promise<void> {
  const connection = new AbortController();
  const stop = async () => {
    if (!(await stopMatching(body))) connection.abort();
  };
  signal.addEventListener("abort", () => void stop());
  const response = await fetchRaw(apiPath`/articles/bulk/${outcome.action}/matching`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: connection.signal,
  });
  let total = 0;
  let isOver = false;
  for await (const line of readLines(response)) {
    if (line.kind === "start") ({ total } = line);
    if (line.kind === "refused") {
      const { id, title, message } = line;
      if (outcome.refused.length < MAX_REFUSED) outcome.refused.push({ article: { id, title }, message });
    }
    if (line.kind === "progress") {
      outcome.done = line.done;
      outcome.refusals = line.refused;
      outcome.held = line.held;
      outcome.changed.push(...line.changed);
      onProgress(total);
    }
    if (line.kind === "error") outcome.end = line.message;
    // Everything may have been done before the stop arrived.
    if (line.kind === "stopped" && !isOver) outcome.end = STOPPED;
    isOver ||= line.kind === "summary" || line.kind === "error" || line.kind === "stopped";
  }
  if (!isOver) {
    throw new ApiError(
      0,
      "The connection to the service was lost. What was done is kept: the list shows what is left.",
    );
  }
}

async function* readLines(response: Response): AsyncGenerator<BulkLine> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let rest = "";
  for (;;) {
    const { done, value = "" } = await reader.read();
    const lines = (rest + value).split("\n");
    rest = done ? "" : (lines.pop() ?? "");
    // The service writes each line in this format.
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line) as BulkLine;
    if (done) return;
  }
}

/** The action that undoes another; null if none restores the previous state. `search`: the list in which it began. */
export function findOppositeOf(action: BulkAction, { view = "in_review" }: QueueSearch): BulkAction | null {
  switch (action) {
    case "approve":
    case "approve-and-schedule":
      return "unapprove";
    case "schedule":
      return view === "approved" ? "unschedule" : null;
    case "delete":
      return "restore";
    default:
      return null;
  }
}
