/** Uploads pictures, two at a time. A failure or a cancellation does not stop the others. */
import type { Asset } from "../../../src/http/admin/contract/assets.ts";
import { toMessage } from "./error-note.tsx";
import { uploadPicture } from "./pictures.ts";

export interface PictureUpload {
  id: number;
  name: string;
  state: "waiting" | "uploading" | "done" | "failed" | "cancelled";
  /** From 0 to 1. */
  progress: number;
  /** Why it failed. */
  reason: string;
  /** The picture once it is done. */
  asset: Asset | null;
}

const AT_ONCE = 2;

export class PictureUploads {
  readonly #websiteId: string;
  readonly #onSettled: (upload: PictureUpload) => void;
  readonly #listeners = new Set<() => void>();
  readonly #files = new Map<number, { file: File; stopping: AbortController }>();
  #all: readonly PictureUpload[] = [];
  #next = 1;

  /** `onSettled` is called when an upload is done, has failed or was cancelled. */
  constructor(websiteId: string, onSettled: (upload: PictureUpload) => void = () => undefined) {
    this.#websiteId = websiteId;
    this.#onSettled = onSettled;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): readonly PictureUpload[] => this.#all;

  /** @returns the uploads' ids, in the order of the files. */
  add(files: readonly File[]): number[] {
    const made = files.map((file): PictureUpload => {
      const id = this.#next;
      this.#next += 1;
      this.#files.set(id, { file, stopping: new AbortController() });
      return { id, name: file.name, state: "waiting", progress: 0, reason: "", asset: null };
    });
    this.#all = [...this.#all, ...made];
    this.#startNext();
    this.#notify();
    return made.map(({ id }) => id);
  }

  cancel(id: number): void {
    const upload = this.#all.find((one) => one.id === id);
    if (upload?.state !== "waiting" && upload?.state !== "uploading") return;
    this.#files.get(id)?.stopping.abort();
    this.#settle(id, { state: "cancelled" });
  }

  cancelAll(): void {
    for (const { id } of this.#all) this.cancel(id);
  }

  /** Forgets an upload that has ended. */
  dismiss(id: number): void {
    this.#all = this.#all.filter((one) => one.id !== id);
    this.#files.delete(id);
    this.#notify();
  }

  #startNext(): void {
    let running = this.#all.filter(({ state }) => state === "uploading").length;
    for (const { id, state } of this.#all) {
      if (running >= AT_ONCE) return;
      if (state !== "waiting") continue;
      running += 1;
      void this.#run(id);
    }
  }

  async #run(id: number): Promise<void> {
    const { file, stopping } = this.#files.get(id) ?? {};
    if (file === undefined || stopping === undefined) return;
    this.#change(id, { state: "uploading" });
    const { signal } = stopping;
    const onProgress = (progress: number) => this.#change(id, { progress });
    try {
      const asset = await uploadPicture(this.#websiteId, file, { signal, onProgress });
      // What was cancelled after its last byte stays in the library only.
      if (!signal.aborted) this.#settle(id, { state: "done", progress: 1, asset });
    } catch (error) {
      if (!signal.aborted) this.#settle(id, { state: "failed", reason: toMessage(error) });
    }
  }

  #settle(id: number, values: Partial<PictureUpload>): void {
    this.#change(id, values);
    const upload = this.#all.find((one) => one.id === id);
    if (upload !== undefined) this.#onSettled(upload);
    this.#startNext();
    this.#notify();
  }

  #change(id: number, values: Partial<PictureUpload>): void {
    this.#all = this.#all.map((one) => (one.id === id ? { ...one, ...values } : one));
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
