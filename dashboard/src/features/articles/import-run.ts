/** Runs an import: sends the files and collects the results as they arrive. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ImportLine } from "../../../../src/http/admin/contract/imports.ts";
import type { ImportStopResult } from "../../../../src/http/admin/contract/imports.ts";
import { ApiError, fetchRaw, post } from "../../api/client.ts";
import { toMessage } from "../../shared/error-note.tsx";
import { ExplainedError } from "../../shared/explained-error.ts";
import type { NamedFile } from "./dropped-files.ts";
import { countNotStarted, toUploads, type Upload } from "./import-uploads.ts";

export interface ImportSettings {
  websiteId: string;
  /** Overrides the status of each article; null keeps it. `draft` is pending, and begins as a draft. */
  status: "draft" | "pending" | "approved" | "published" | null;
  /** Whether webhooks are notified. */
  events: boolean;
  /** Whether to accept articles that lose much of their text; otherwise they fail. */
  acceptLoss: boolean;
  /** Whether the files replace what was changed here. */
  overwrite: boolean;
  /** Whether pictures elsewhere on the web are copied. */
  copyImages: boolean;
  /** Nothing is saved. */
  dryRun: boolean;
}

type Item = Extract<ImportLine, { kind: "item" }>;
/** `copied` and `not_copied` are pictures. */
export type ImportOutcome = Item["outcome"] | "copied" | "not_copied";
export interface ImportedItem extends Omit<Item, "outcome"> {
  outcome: ImportOutcome;
  /** In order of arrival. */
  no: number;
}

export interface ImportState {
  phase: "idle" | "running" | "stopping" | "done" | "stopped";
  /** The connection ended with a file under way: the service may have saved more of it than the counts say. */
  isCutOff: boolean;
  /** Files that a stopped import had not begun. */
  notStarted: number;
  dryRun: boolean;
  files: number;
  /** Share of the files that are done, including part of the current one. */
  progress: number;
  /** The current file's name; null if none is in progress. */
  current: string | null;
  counts: Record<ImportOutcome, number>;
  /** Failures first; at most `MAX_ITEMS`. */
  items: readonly ImportedItem[];
  /** What articles lack of their sources, by kind. */
  warnings: readonly WarningGroup[];
}

type Warning = Item["warnings"][number];
export interface WarningGroup {
  kind: Warning["kind"];
  count: number;
  /** The first ones. */
  places: (Pick<Item, "source" | "title" | "article_id"> & Pick<Warning, "detail"> & { no: number })[];
}

const MAX_PLACES = 20;

/** Maximum number of results kept for display; all are counted. */
const MAX_ITEMS = 2_000;
const NO_COUNTS: ImportState["counts"] = {
  created: 0,
  updated: 0,
  held: 0,
  unchanged: 0,
  failed: 0,
  skipped: 0,
  copied: 0,
  not_copied: 0,
};
const IDLE: ImportState = {
  phase: "idle",
  isCutOff: false,
  notStarted: 0,
  dryRun: false,
  files: 0,
  progress: 0,
  current: null,
  counts: NO_COUNTS,
  items: [],
  warnings: [],
};

export interface ImportControls {
  state: ImportState;
  start: (files: readonly NamedFile[], settings: ImportSettings) => Promise<void>;
  /** Stops after the articles being saved now, which are counted; what has been imported stays. */
  stop: () => void;
  reset: () => void;
}

/** An import in progress. */
interface Run {
  id: string;
  websiteId: string;
  /** Ends the request in progress. */
  controller: AbortController;
  isStopping: boolean;
  /** Whether the service has begun with what was sent. */
  hasBegun: boolean;
}

export function useImport(): ImportControls {
  const client = useQueryClient();
  const [state, setState] = useState(IDLE);
  const running = useRef<Run | null>(null);
  // On sign-out, for example: nobody would see the results.
  useEffect(() => () => running.current?.controller.abort(), []);

  async function start(files: readonly NamedFile[], settings: ImportSettings): Promise<void> {
    const { websiteId, dryRun } = settings;
    const run: Run = {
      id: crypto.randomUUID(),
      websiteId,
      controller: new AbortController(),
      isStopping: false,
      hasBegun: false,
    };
    running.current = run;
    const results = new Results();
    let isCutOff = false;
    let notStarted = 0;
    const show = (done: number, current: string | null, phase?: ImportState["phase"]) =>
      setState({
        ...results.shown(),
        phase: phase ?? (run.isStopping ? "stopping" : "running"),
        isCutOff,
        notStarted,
        dryRun,
        files: files.length,
        progress: done / files.length,
        current,
      });
    show(0, files[0]?.name ?? null);
    let before = 0;
    for (const upload of toUploads(files)) {
      if (run.isStopping) break;
      run.hasBegun = false;
      results.part = 0;
      try {
        await send(upload, settings, run, (line) => {
          run.hasBegun = true;
          results.take(upload.name, line);
          if (line.kind === "item") show(before + results.part * upload.files.length, line.source);
          if (line.kind === "progress") show(before + line.part * upload.files.length, results.latest ?? upload.name);
        });
      } catch (failure) {
        const error = await explainFailure(failure, upload);
        isCutOff = run.controller.signal.aborted && run.hasBegun;
        if (!run.controller.signal.aborted) results.fail(upload.name, toMessage(error));
        if (concernsAll(error)) run.isStopping = true;
      }
      before += upload.files.length;
      show(before, upload.name);
    }
    running.current = null;
    if (run.isStopping) notStarted = countNotStarted(files, results.sources);
    show(files.length, null, run.isStopping ? "stopped" : "done");
    await client.invalidateQueries({ queryKey: ["articles", websiteId] });
  }

  async function stop(): Promise<void> {
    const run = running.current;
    if (run === null || run.isStopping) return;
    run.isStopping = true;
    setState((now) => ({ ...now, phase: "stopping" }));
    // Nothing has been saved of what is still being sent.
    const isStopped = run.hasBegun && (await askToStop(run));
    if (!isStopped && running.current === run) run.controller.abort();
  }

  return { state, start, stop: () => void stop(), reset: () => setState(IDLE) };
}

/** @returns false if the service cannot end the import after its current batch. */
async function askToStop({ id, websiteId }: Run): Promise<boolean> {
  try {
    const body = { website_id: websiteId, import_id: id };
    return (await post<ImportStopResult>("/imports/stop", { body })).is_stopped;
  } catch {
    return false;
  }
}

/**
 * A browser that cannot read a file any more, as it has been edited since it was chosen, fails like a connection. The
 * service is there, and other files can be imported.
 */
async function explainFailure(failure: unknown, { files }: Upload): Promise<unknown> {
  if (!(failure instanceof ApiError) || failure.status !== 0) return failure;
  for (const { name, file } of files) {
    try {
      await file.slice(0, 1).arrayBuffer();
    } catch {
      return new ExplainedError(`${name} has been changed or moved since you chose it. Choose it again.`);
    }
  }
  return failure;
}

/** The next file would fail, too: signed out, forbidden, rate-limited, unavailable. */
function concernsAll(error: unknown): boolean {
  return error instanceof ApiError && [0, 401, 403, 409, 429, 503].includes(error.status);
}

class Results {
  /** What the results are called. */
  readonly sources = new Set<string>();
  latest: string | null = null;
  /** Share of the upload that was read, as the service last said. */
  part = 0;
  readonly #counts = { ...NO_COUNTS };
  /** With pictures that were not copied. */
  readonly #failed: ImportedItem[] = [];
  readonly #others: ImportedItem[] = [];
  readonly #warnings = new Map<string, WarningGroup>();

  /** `file`: names the file in errors that concern all of it. */
  take(file: string, line: ImportLine): void {
    if (line.kind === "error") this.fail(file, line.message);
    if (line.kind === "progress") this.part = line.part;
    if (line.kind === "item") {
      this.sources.add(line.source);
      this.latest = line.source;
      this.#add(line);
    }
    if (line.kind === "picture") {
      const { url: source, reason } = line;
      const outcome = reason === null ? "copied" : "not_copied";
      this.#add({ kind: "item", source, outcome, article_id: null, title: null, reason, warnings: [] });
    }
  }

  #add(item: Omit<ImportedItem, "no">): void {
    this.#counts[item.outcome] += 1;
    for (const warning of item.warnings) this.#warn(item, warning);
    const list = item.outcome === "failed" || item.outcome === "not_copied" ? this.#failed : this.#others;
    if (list.length < MAX_ITEMS) list.push({ ...item, no: this.#failed.length + this.#others.length });
  }

  #warn({ source, title, article_id }: Omit<ImportedItem, "no">, { kind, detail }: Warning): void {
    const group = this.#warnings.get(kind) ?? { kind, count: 0, places: [] };
    this.#warnings.set(kind, group);
    if (group.places.length < MAX_PLACES) group.places.push({ no: group.count, source, title, article_id, detail });
    group.count += 1;
  }

  fail(file: string, reason: string): void {
    this.#add({ kind: "item", source: file, outcome: "failed", article_id: null, title: null, reason, warnings: [] });
  }

  shown(): Pick<ImportState, "counts" | "items" | "warnings"> {
    const items = [...this.#failed, ...this.#others].slice(0, MAX_ITEMS);
    return { counts: { ...this.#counts }, items, warnings: [...this.#warnings.values()] };
  }
}

/** @throws ApiError if the whole file was rejected. */
async function send(
  { name, folder, isTogether, body }: Upload,
  { websiteId, status, events, acceptLoss, overwrite, copyImages, dryRun }: ImportSettings,
  { id, controller: { signal } }: Run,
  onLine: (line: ImportLine) => void,
): Promise<void> {
  const response = await fetchRaw(
    "/imports",
    { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body, signal },
    {
      website_id: websiteId,
      name,
      folder,
      files: isTogether,
      import_id: id,
      status: status === "draft" ? "pending" : status,
      ...(status === "draft" && { review_state: status }),
      events,
      accept_loss: acceptLoss,
      overwrite,
      copy_images: copyImages,
      dry_run: dryRun,
    },
  );
  let rest = "";
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done = true, value = "" } = (await reader?.read().catch(() => throwConnectionLost(signal))) ?? {};
    const lines = (rest + value).split("\n");
    rest = done ? "" : (lines.pop() ?? "");
    // The service writes each line in this format.
    for (const line of lines) if (line.trim() !== "") onLine(JSON.parse(line) as ImportLine);
    if (done) return;
  }
}

/** The connection was lost in the middle of a response. */
function throwConnectionLost(signal: AbortSignal): never {
  signal.throwIfAborted();
  throw new ApiError(
    0,
    "The connection to the service was lost. What is in the list was imported. Import the files again to continue.",
  );
}
