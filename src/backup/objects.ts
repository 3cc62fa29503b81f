/** The files of a backup, in a folder or a bucket. Names have slashes, and are relative to the backup's address. */
import { open, opendir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Bucket, type ListedObject } from "../asset-files/s3.ts";
import { getErrorCode } from "../domain/system/errors.ts";
import type { FilePlace } from "../process/settings/file-places.ts";
import { makePrivateFolder, writePrivateFileAsync } from "../store/system/files.ts";

export interface BackupObjects {
  /** The files directly in the folder `under`, which ends with a slash, from the name `from` on; in no order. */
  list(under: string, from?: string): AsyncIterable<ListedObject>;
  listFolders(under: string): Promise<string[]>;
  /** @returns the path of the file on this machine, which is `copy` unless it is there anyway; undefined if there is none. */
  fetch(name: string, copy: string): Promise<string | undefined>;
  read(name: string): Promise<string | undefined>;
  write(name: string, text: string): Promise<void>;
}

/** @param signal ends requests to a bucket. */
export function openObjects(place: FilePlace, signal?: AbortSignal): BackupObjects {
  return place.kind === "folder" ? new FolderObjects(place.path) : new BucketObjects(new Bucket(place, signal));
}

class FolderObjects implements BackupObjects {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async *list(under: string, from = ""): AsyncGenerator<ListedObject> {
    for await (const entry of entries(join(this.#root, under))) {
      if (!entry.isFile() || entry.name < from) continue;
      const key = under + entry.name;
      const { size, mtimeMs } = await stat(join(this.#root, key));
      yield { key, bytes: size, modifiedAt: mtimeMs };
    }
  }

  async listFolders(under: string): Promise<string[]> {
    const folders: string[] = [];
    for await (const entry of entries(join(this.#root, under))) if (entry.isDirectory()) folders.push(entry.name);
    return folders;
  }

  async fetch(name: string): Promise<string | undefined> {
    const path = join(this.#root, name);
    try {
      await (await open(path)).close();
      return path;
    } catch (error) {
      if (getErrorCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  async read(name: string): Promise<string | undefined> {
    const path = await this.fetch(name);
    return path === undefined ? undefined : readFile(path, "utf8");
  }

  async write(name: string, text: string): Promise<void> {
    const path = join(this.#root, name);
    makePrivateFolder(dirname(path));
    await writePrivateFileAsync(path, text);
  }
}

class BucketObjects implements BackupObjects {
  readonly #bucket: Bucket;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  /** Keys that come after the name without its last letter include the name. */
  list(under: string, from = ""): AsyncGenerator<ListedObject> {
    return this.#bucket.list(under, from === "" ? undefined : under + from.slice(0, -1));
  }

  listFolders(under: string): Promise<string[]> {
    return this.#bucket.listFolders(under);
  }

  async fetch(name: string, copy: string): Promise<string | undefined> {
    return (await this.#bucket.download(name, copy)) ? copy : undefined;
  }

  async read(name: string): Promise<string | undefined> {
    return (await this.#bucket.get(name))?.toString("utf8");
  }

  write(name: string, text: string): Promise<void> {
    return this.#bucket.put(name, Buffer.from(text));
  }
}

async function* entries(folder: string) {
  try {
    yield* await opendir(folder);
  } catch (error) {
    if (getErrorCode(error) !== "ENOENT") throw error;
  }
}
