/** Pictures of a service beside the files of `rostrum pull`, and their addresses in the texts. */
import { createHash } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ASSET_EXTENSIONS, MAX_ASSET_BYTES } from "../../domain/articles/assets/asset.ts";
import { AppError, getErrorCode } from "../../domain/system/errors.ts";
import { placeFile } from "./place-file.ts";

/** An address of a picture, at the service, at its CDN or relative; a query asks for another size. */
const ADDRESS =
  /(?<![\w/.:-])(?:https?:\/\/[\w.:-]{1,253}(?:\/[\w.~-]{1,100}){0,5})?(\/assets\/[\w-]{1,100}\/([0-9a-f]{64})\/([\w.%~-]{1,300}))(?:\?[\w=&;%.-]{0,200})?/g;
const PLAIN_NAME = /^[\w-][\w.-]{0,120}$/;
const EXTENSIONS: ReadonlySet<string> = new Set(Object.values(ASSET_EXTENSIONS));
const FETCH_MS = 60_000;

export class PulledPictures {
  /** How many pictures the service does not have; their addresses stay. */
  missing = 0;
  readonly prefix: string;
  readonly #service: string;
  readonly #folder: string;
  readonly #signal: AbortSignal;
  /** By hash: the name of the file; null: the service does not have it. */
  readonly #names = new Map<string, string | null>();

  /** @param prefix what addresses begin with, such as `/pictures`. */
  constructor(options: { service: string; folder: string; prefix: string; signal: AbortSignal }) {
    this.#service = options.service;
    this.#folder = options.folder;
    this.prefix = options.prefix;
    this.#signal = options.signal;
  }

  /** The text with addresses of files in the folder. */
  async localize(text: string): Promise<string> {
    for (const [, path = "", hash = "", name = ""] of text.matchAll(ADDRESS)) {
      if (!this.#names.has(hash)) this.#names.set(hash, await this.#take(path, hash, name));
    }
    return text.replaceAll(ADDRESS, (address, _path: string, hash: string) => {
      const name = this.#names.get(hash);
      return name == null ? address : `${this.prefix}/${name}`;
    });
  }

  /** Asks only this service, wherever the address leads, and keeps only what has the hash. */
  async #take(path: string, hash: string, name: string): Promise<string | null> {
    const extension = name.slice(name.lastIndexOf(".") + 1);
    if (!EXTENSIONS.has(extension)) return null;
    const plain = PLAIN_NAME.test(name) ? name : `picture.${extension}`;
    const file = `${hash.slice(0, 16)}-${plain}`;
    const target = join(this.#folder, file);
    if (await isFile(target)) return file;
    const bytes = await this.#fetch(path);
    if (bytes === null || createHash("sha256").update(bytes).digest("hex") !== hash) {
      this.missing += 1;
      return null;
    }
    await mkdir(this.#folder, { recursive: true });
    await placeFile(target, bytes);
    return file;
  }

  async #fetch(path: string): Promise<Buffer | null> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(FETCH_MS)]);
    try {
      const response = await fetch(this.#service.replace(/\/$/, "") + path, { redirect: "error", signal });
      if (response.status !== 200 || response.body === null) {
        await response.body?.cancel();
        return null;
      }
      const parts: Uint8Array[] = [];
      let length = 0;
      for await (const part of response.body) {
        length += part.length;
        if (length > MAX_ASSET_BYTES) return null;
        parts.push(part);
      }
      return Buffer.concat(parts);
    } catch (error) {
      throw new AppError("invalid", `${this.#service}${path} cannot be fetched: pull again.`, { cause: error });
    }
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}
