/** Copies of files on this machine, up to a number of bytes; the least recently used are removed first. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { opendir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { getErrorCode } from "../domain/system/errors.ts";
import { makePrivateFolder } from "../store/system/files.ts";

const UNFINISHED = ".unfinished";
const ABANDONED_AFTER_MS = 3_600_000;

export class FileCache {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** Sizes by name, least recently used first. */
  readonly #files = new Map<string, number>();
  readonly #making = new Map<string, Promise<string>>();
  #bytes = 0;
  #loading: Promise<void> | undefined;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** The path of the file of this name. If it is missing, `make` writes it to the path that it is given. */
  async get(name: string, make: (path: string) => Promise<void>): Promise<string> {
    await this.#loaded();
    const size = this.#files.get(name);
    const path = join(this.#folder, name);
    if (size !== undefined) {
      this.#forget(name);
      // An operator may have emptied the folder.
      if (existsSync(path)) {
        this.#record(name, size);
        return path;
      }
    }
    const making = this.#making.get(name) ?? this.#make(name, path, make).finally(() => this.#making.delete(name));
    this.#making.set(name, making);
    return making;
  }

  async remove(fits: (name: string) => boolean): Promise<void> {
    await this.#loaded();
    for (const name of [...this.#files.keys()].filter(fits)) {
      this.#forget(name);
      await rm(join(this.#folder, name), { force: true });
    }
  }

  /** After a failure the next request tries again. */
  async #loaded(): Promise<void> {
    const loading = (this.#loading ??= this.#load());
    try {
      await loading;
    } catch (error) {
      if (this.#loading === loading) this.#loading = undefined;
      throw error;
    }
  }

  #record(name: string, size: number): void {
    this.#files.set(name, size);
    this.#bytes += size;
  }

  #forget(name: string): void {
    this.#bytes -= this.#files.get(name) ?? 0;
    this.#files.delete(name);
  }

  async #make(name: string, path: string, make: (path: string) => Promise<void>): Promise<string> {
    makePrivateFolder(this.#folder);
    const unfinished = join(this.#folder, `${randomUUID()}${UNFINISHED}`);
    try {
      await make(unfinished);
      await rename(unfinished, path);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    const { size } = await stat(path);
    this.#record(name, size);
    await this.#evict(name);
    return path;
  }

  async #evict(newest: string): Promise<void> {
    for (const [name] of this.#files) {
      if (this.#bytes <= this.#maxBytes || name === newest) return;
      this.#forget(name);
      await rm(join(this.#folder, name), { force: true });
    }
  }

  async #load(): Promise<void> {
    const found: { name: string; size: number; at: number }[] = [];
    try {
      for await (const { name } of await opendir(this.#folder)) {
        const path = join(this.#folder, name);
        const { size, atimeMs, mtimeMs } = await stat(path);
        if (!name.endsWith(UNFINISHED)) found.push({ name, size, at: atimeMs });
        // Another process that serves during a takeover may be writing it.
        else if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
      }
    } catch (error) {
      if (getErrorCode(error) !== "ENOENT") throw error;
    }
    for (const { name, size } of found.toSorted((one, other) => one.at - other.at)) this.#record(name, size);
  }
}
