/** An import: file after file, each with its results as they come. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ImportLine } from "../../../../src/http/admin/contract/imports.ts";
import { ApiError, fetchRaw } from "../../api/client.ts";
import { messageOf } from "../../shared/error-note.tsx";
import { folderOf, type NamedFile } from "./dropped-files.ts";

export interface ImportWishes {
  websiteId: string;
  /** Instead of what each article says; null: as it says. */
  status: "pending" | "approved" | "published" | null;
  /** Whether webhooks are told. */
  events: boolean;
  /** Whether articles are taken that lose much of their text; if not, they fail. */
  acceptLoss: boolean;
  /** Nothing is written. */
  dryRun: boolean;
}

type Item = Extract<ImportLine, { kind: "item" }>;
export type ImportOutcome = Item["outcome"];
export interface ImportedItem extends Item {
  /** In the order of arrival. */
  no: number;
}

export interface ImportState {
  phase: "idle" | "running" | "done" | "stopped";
  dryRun: boolean;
  files: number;
  /** Files that are done, and the part of the one under way. */
  progress: number;
  /** Its name; null: none is under way. */
  current: string | null;
  counts: Record<ImportOutcome, number>;
  /** The failed ones first; at most `MAX_ITEMS`. */
  items: readonly ImportedItem[];
}

/** So many results are kept for the screen; all are counted. */
const MAX_ITEMS = 2_000;
const NO_COUNTS: ImportState["counts"] = { created: 0, updated: 0, unchanged: 0, failed: 0, skipped: 0 };
const IDLE: ImportState = {
  phase: "idle",
  dryRun: false,
  files: 0,
  progress: 0,
  current: null,
  counts: NO_COUNTS,
  items: [],
};

export interface ImportRun {
  state: ImportState;
  start: (files: readonly NamedFile[], wishes: ImportWishes) => Promise<void>;
  /** After the articles that are being saved now; what is done stays done. */
  stop: () => void;
  reset: () => void;
}

export function useImport(): ImportRun {
  const client = useQueryClient();
  const [state, setState] = useState(IDLE);
  const running = useRef<AbortController | null>(null);
  // Signed out meanwhile: nobody would see what becomes of it.
  useEffect(() => () => running.current?.abort(), []);

  async function start(files: readonly NamedFile[], wishes: ImportWishes): Promise<void> {
    const controller = new AbortController();
    running.current = controller;
    const results = new Results();
    const { dryRun } = wishes;
    const show = (done: number, current: string | null, phase: ImportState["phase"] = "running") =>
      setState({ ...results.shown(), phase, dryRun, files: files.length, progress: done / files.length, current });
    show(0, files[0]?.name ?? null);
    const folder = folderOf(files);
    for (const [index, one] of files.entries()) {
      if (controller.signal.aborted) break;
      try {
        await sendFile(one, folder, wishes, controller.signal, (line) => {
          results.take(one.name, line);
          show(index + (line.kind === "progress" ? line.part : 0), one.name);
        });
      } catch (error) {
        if (!controller.signal.aborted) results.fail(one.name, messageOf(error));
        if (concernsAll(error)) controller.abort();
      }
      show(index + 1, one.name);
    }
    running.current = null;
    show(files.length, null, controller.signal.aborted ? "stopped" : "done");
    await client.invalidateQueries({ queryKey: ["articles", wishes.websiteId] });
  }

  return { state, start, stop: () => running.current?.abort(), reset: () => setState(IDLE) };
}

/** The service would take the next file no more than this one: signed out, no right to it, too busy, not there. */
function concernsAll(error: unknown): boolean {
  return error instanceof ApiError && [0, 401, 403, 409, 429, 503].includes(error.status);
}

class Results {
  readonly #counts = { ...NO_COUNTS };
  readonly #failed: ImportedItem[] = [];
  readonly #others: ImportedItem[] = [];

  /** `file`: for what concerns all of it. */
  take(file: string, line: ImportLine): void {
    if (line.kind === "error") this.fail(file, line.message);
    if (line.kind !== "item") return;
    this.#counts[line.outcome] += 1;
    const list = line.outcome === "failed" ? this.#failed : this.#others;
    if (list.length < MAX_ITEMS) list.push({ ...line, no: this.#failed.length + this.#others.length });
  }

  fail(file: string, reason: string): void {
    this.take(file, { kind: "item", source: file, outcome: "failed", article_id: null, title: null, reason });
  }

  shown(): Pick<ImportState, "counts" | "items"> {
    return { counts: { ...this.#counts }, items: [...this.#failed, ...this.#others].slice(0, MAX_ITEMS) };
  }
}

/** @throws ApiError when the file was refused as a whole. */
async function sendFile(
  { name, file }: NamedFile,
  folder: string | null,
  { websiteId, status, events, acceptLoss, dryRun }: ImportWishes,
  signal: AbortSignal,
  onLine: (line: ImportLine) => void,
): Promise<void> {
  const response = await fetchRaw(
    "/imports",
    { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file, signal },
    { website_id: websiteId, name, folder, status, events, accept_loss: acceptLoss, dry_run: dryRun },
  );
  let rest = "";
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done = true, value = "" } = (await reader?.read().catch(() => lost(signal))) ?? {};
    const lines = (rest + value).split("\n");
    rest = done ? "" : (lines.pop() ?? "");
    // The service writes each line in the contract's shape.
    for (const line of lines) if (line.trim() !== "") onLine(JSON.parse(line) as ImportLine);
    if (done) return;
  }
}

/** In the middle of an answer. */
function lost(signal: AbortSignal): never {
  signal.throwIfAborted();
  throw new ApiError(
    0,
    "The connection to the service was lost. What is in the list was imported. Import the files again to continue.",
  );
}
