/** Assets in a folder that machines may share. A name is never reused: `<website>/<hash>.<id of the asset>`. */
import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { chmod, copyFile, opendir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { getErrorCode } from "../domain/system/errors.ts";
import type { AssetFiles } from "../operations/system/deps.ts";
import { makePrivateFolder, ownerIn, PRIVATE_FILE_MODE, syncFolder } from "../store/system/files.ts";

/** A picture's file, whether finished or still being written. */
const KEY = /^[0-9a-f-]{36}\/[0-9a-f]{64}\.[0-9a-f-]{36}(?:\.[0-9a-f]{8}\.unfinished)?$/;

export class AssetFolder implements AssetFiles {
  readonly isShared: boolean;
  readonly #root: string;

  constructor(root: string, { isShared }: { isShared: boolean }) {
    this.#root = root;
    this.isShared = isShared;
  }

  async put(key: string, path: string): Promise<void> {
    const target = this.#path(key);
    makePrivateFolder(dirname(target));
    // Two commands may back up into one folder at once.
    const unfinished = `${target}.${randomBytes(4).toString("hex")}.unfinished`;
    try {
      await copyFile(path, unfinished);
      await chmod(unfinished, PRIVATE_FILE_MODE);
      const file = await open(unfinished, "r+");
      try {
        const owner = ownerIn(dirname(target));
        if (owner !== null) await file.chown(owner.uid, owner.gid);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, target);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    syncFolder(dirname(target));
  }

  async open(key: string): Promise<string | undefined> {
    return (await this.has(key)) ? this.#path(key) : undefined;
  }

  async has(key: string): Promise<boolean> {
    return (await this.#stat(key))?.isFile() === true;
  }

  async remove(key: string): Promise<void> {
    await rm(this.#path(key), { force: true });
  }

  /** By the clock of the disk; undefined: it is not there. */
  async modifiedAt(key: string): Promise<number | undefined> {
    return (await this.#stat(key))?.mtimeMs;
  }

  async *list(): AsyncGenerator<string> {
    for await (const website of entries(this.#root)) {
      for await (const file of entries(join(this.#root, website))) {
        const key = `${website}/${file}`;
        // Other files in the folder are not pictures of this service.
        if (KEY.test(key)) yield key;
      }
    }
  }

  #path(key: string): string {
    if (!KEY.test(key)) throw new Error(`no key of an asset: ${key}`);
    return join(this.#root, key);
  }

  async #stat(key: string): Promise<Stats | undefined> {
    try {
      return await stat(this.#path(key));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

export function isUnfinished(key: string): boolean {
  return key.endsWith(".unfinished");
}

async function* entries(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(folder)) yield name;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  const code = getErrorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
