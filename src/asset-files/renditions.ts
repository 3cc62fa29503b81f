/** Forms of pictures in other widths and formats: made when they are first asked for, and cached on this machine. */
import { open } from "node:fs/promises";
import type { RenderRequest } from "../content-processes/picture-worker.ts";
import { renditionName, type RenditionType } from "../domain/articles/assets/rendition.ts";
import { sniffPicture } from "../domain/articles/assets/picture-header.ts";
import type { AssetFiles, OpenRendition } from "../operations/system/deps.ts";
import { syncFile } from "../store/system/files.ts";
import type { FileCache } from "./file-cache.ts";

/** Enough for `sniffPicture`. */
const HEAD_BYTES = 16;

type Render = (websiteId: string, request: RenderRequest) => Promise<void>;

export class Renditions {
  readonly #cache: FileCache;
  readonly #render: Render;

  constructor(cache: FileCache, render: Render) {
    this.#cache = cache;
    this.#render = render;
  }

  open: OpenRendition = async ({ websiteId, hash }, path, rendition) => {
    const made = await this.#cache.get(renditionName(hash, rendition), async (target) => {
      await this.#render(websiteId, { path, target, ...rendition });
      syncFile(target);
    });
    await using file = await open(made);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    // An empty file says that this picture has no other forms.
    if (bytesRead === 0) return null;
    const type = sniffPicture(buffer);
    if (type === undefined) throw new Error(`the file ${made} is not a picture`);
    return { path: made, type: type as RenditionType, bytes: (await file.stat()).size };
  };

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
