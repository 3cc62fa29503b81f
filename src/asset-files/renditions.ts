/** Forms of pictures in other widths and formats: made when they are first asked for, and cached on this machine. */
import { open, writeFile } from "node:fs/promises";
import type { RenderRequest } from "../content-processes/picture-worker.ts";
import { renditionName, type RenditionType } from "../domain/articles/assets/rendition.ts";
import { sniffPicture } from "../domain/articles/assets/picture-header.ts";
import { AppError } from "../domain/system/errors.ts";
import type { AssetFiles, OpenRendition } from "../operations/system/deps.ts";
import { PRIVATE_FILE_MODE, syncFile } from "../store/system/files.ts";
import type { FileCache } from "./file-cache.ts";

/** Enough for `sniffPicture`. */
const HEAD_BYTES = 16;
/** How long a reader waits for a rendition that has not been begun. */
const MAX_WAIT_MS = 1_000;

/** `onStart` is called when its turn has come. */
type Render = (websiteId: string, request: RenderRequest, onStart: () => void) => Promise<void>;

export class Renditions {
  readonly #cache: FileCache;
  readonly #render: Render;
  readonly #maxWaitMs: number;
  readonly #started = new Set<string>();

  constructor(cache: FileCache, render: Render, maxWaitMs = MAX_WAIT_MS) {
    this.#cache = cache;
    this.#render = render;
    this.#maxWaitMs = maxWaitMs;
  }

  open: OpenRendition = async ({ websiteId, hash }, path, rendition) => {
    const name = renditionName(hash, rendition);
    const making = this.#make(name, websiteId, { path, ...rendition });
    const made = await this.#unlessWaiting(name, making);
    await using file = await open(made);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    // An empty file says that this picture has no such form.
    if (bytesRead === 0) return null;
    const type = sniffPicture(buffer);
    if (type === undefined) throw new Error(`the file ${made} is not a picture`);
    return { path: made, type: type as RenditionType, bytes: (await file.stat()).size };
  };

  async #make(name: string, websiteId: string, request: Omit<RenderRequest, "target">): Promise<string> {
    try {
      return await this.#cache.get(name, async (target) => {
        try {
          await this.#render(websiteId, { ...request, target }, () => this.#started.add(name));
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== "too_expensive") throw error;
          await writeFile(target, "", { mode: PRIVATE_FILE_MODE });
        }
        syncFile(target);
      });
    } finally {
      this.#started.delete(name);
    }
  }

  /** @throws AppError `busy` if it waits for its turn for too long. It is made all the same. */
  async #unlessWaiting(name: string, making: Promise<string>): Promise<string> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      if (!this.#started.has(name)) reject(new AppError("busy", "Too many pictures are being processed."));
    }, this.#maxWaitMs);
    try {
      return await Promise.race([making, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The files, with the forms of each removed together with it. */
  removedWith(files: AssetFiles): AssetFiles {
    return {
      isShared: files.isShared,
      put: (key, path) => files.put(key, path),
      open: (key) => files.open(key),
      has: (key) => files.has(key),
      list: () => files.list(),
      remove: async (key) => {
        await files.remove(key);
        const [, hash = ""] = /\/([0-9a-f]{64})\./.exec(key) ?? [];
        await this.#cache.remove((name) => name.startsWith(`${hash}-`));
      },
    };
  }
}
