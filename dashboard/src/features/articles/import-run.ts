/** Runs an import: sends one file after another and collects the results as they arrive. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ImportLine } from "../../../../src/http/admin/contract/imports.ts";
import { ApiError, fetchRaw } from "../../api/client.ts";
import { toMessage } from "../../shared/error-note.tsx";
import { getFolder, type NamedFile } from "./dropped-files.ts";

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
  phase: "idle" | "running" | "done" | "stopped";
  /** A file was under way when it was stopped: the service may have saved more of it than the counts say. */
  isCutOff: boolean;
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
  /** Stops after the articles being saved now; what has been imported stays. */
  stop: () => void;
  reset: () => void;
}

export function useImport(): ImportControls {
  const client = useQueryClient();
  const [state, setState] = useState(IDLE);
  const running = useRef<AbortController | null>(null);
  // On sign-out, for example: nobody would see the results.
  useEffect(() => () => running.current?.abort(), []);

  async function start(files: readonly NamedFile[], settings: ImportSettings): Promise<void> {
    const controller = new AbortController();
    running.current = controller;
    const results = new Results();
    const { dryRun } = settings;
    let isCutOff = false;
    const show = (done: number, current: string | null, phase: ImportState["phase"] = "running") =>
      setState({
        ...results.shown(),
        phase,
        isCutOff,
        dryRun,
        files: files.length,
        progress: done / files.length,
        current,
      });
    show(0, files[0]?.name ?? null);
    const folder = getFolder(files);
    for (const [index, one] of files.entries()) {
      if (controller.signal.aborted) break;
      try {
        await sendFile(one, folder, settings, controller.signal, (line) => {
          results.take(one.name, line);
          show(index + (line.kind === "progress" ? line.part : 0), one.name);
        });
      } catch (error) {
        isCutOff = controller.signal.aborted;
        if (!isCutOff) results.fail(one.name, toMessage(error));
        if (concernsAll(error)) controller.abort();
      }
      show(index + 1, one.name);
    }
    running.current = null;
    show(files.length, null, controller.signal.aborted ? "stopped" : "done");
    await client.invalidateQueries({ queryKey: ["articles", settings.websiteId] });
  }

  return { state, start, stop: () => running.current?.abort(), reset: () => setState(IDLE) };
}

/** The next file would fail, too: signed out, forbidden, rate-limited, unavailable. */
function concernsAll(error: unknown): boolean {
  return error instanceof ApiError && [0, 401, 403, 409, 429, 503].includes(error.status);
}

class Results {
  readonly #counts = { ...NO_COUNTS };
  /** With pictures that were not copied. */
  readonly #failed: ImportedItem[] = [];
  readonly #others: ImportedItem[] = [];
  readonly #warnings = new Map<string, WarningGroup>();

  /** `file`: names the file in errors that concern all of it. */
  take(file: string, line: ImportLine): void {
    if (line.kind === "error") this.fail(file, line.message);
    if (line.kind === "item") this.#add(line);
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
async function sendFile(
  { name, file }: NamedFile,
  folder: string | null,
  { websiteId, status, events, acceptLoss, overwrite, copyImages, dryRun }: ImportSettings,
  signal: AbortSignal,
  onLine: (line: ImportLine) => void,
): Promise<void> {
  const response = await fetchRaw(
    "/imports",
    { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file, signal },
    {
      website_id: websiteId,
      name,
      folder,
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
