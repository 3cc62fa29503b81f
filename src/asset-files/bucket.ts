/** Assets in an S3-compatible bucket. Files read are cached, once verified. */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { AppError } from "../domain/system/errors.ts";
import type { AssetFiles } from "../operations/system/deps.ts";
import type { BucketPlace } from "../process/settings/file-places.ts";
import { PRIVATE_FILE_MODE, syncFile } from "../store/system/files.ts";
import type { FileCache } from "./file-cache.ts";
import { Bucket, BucketError } from "./s3.ts";

export class AssetBucket implements AssetFiles {
  readonly isShared = true;
  readonly #bucket: Bucket;
  readonly #cache: FileCache;

  constructor(settings: BucketPlace, cache: FileCache, signal?: AbortSignal) {
    this.#bucket = new Bucket(settings, signal);
    this.#cache = cache;
  }

  async put(key: string, path: string): Promise<void> {
    const body = await readFile(path);
    await explained(() => this.#bucket.put(key, body));
  }

  async open(key: string): Promise<string | undefined> {
    try {
      return await this.#cache.get(basename(key), (path) => this.#download(key, path));
    } catch (error) {
      if (error instanceof MissingObject) return undefined;
      throw error;
    }
  }

  async has(key: string): Promise<boolean> {
    return explained(() => this.#bucket.has(key));
  }

  async remove(key: string): Promise<void> {
    await explained(() => this.#bucket.remove(key));
  }

  async *list(): AsyncGenerator<string> {
    const objects = this.#bucket.list();
    for (;;) {
      const { done, value } = await explained(() => objects.next());
      if (done === true) return;
      yield value.key;
    }
  }

  async #download(key: string, path: string): Promise<void> {
    const bytes = await explained(() => this.#bucket.get(key));
    if (bytes === undefined) throw new MissingObject();
    const [, hash] = /\/([0-9a-f]{64})\./.exec(key) ?? [];
    if (createHash("sha256").update(bytes).digest("hex") !== hash) {
      throw new Error(`the object ${key} in the bucket is not the file that was put there`);
    }
    await writeFile(path, bytes, { mode: PRIVATE_FILE_MODE });
    syncFile(path);
  }
}

class MissingObject extends Error {}

/** @throws AppError `service_unavailable`. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BucketError)) throw error;
    throw new AppError(
      "service_unavailable",
      "The pictures cannot be reached at the moment. Try again in a few seconds.",
      { cause: error },
    );
  }
}
