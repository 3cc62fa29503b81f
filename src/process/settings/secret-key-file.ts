import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, getErrorCode } from "../../domain/system/errors.ts";
import { parseSecretKey } from "../../domain/system/secret-box.ts";
import { createPrivateFile, makePrivateFolder, syncFile, syncFolder } from "../../store/system/files.ts";

/** Creates the key if it is missing; of two processes one wins. @throws AppError `misconfigured` for anything else. */
export function secretKeyFrom(path: string, randomBytes: (size: number) => Buffer): Buffer {
  const text = read(path) ?? make(path, randomBytes);
  const key = parseSecretKey(text);
  if (key === undefined) {
    throw new AppError(
      "misconfigured",
      `${path} does not hold a key: put back the file that was there, or set ROSTRUM_SECRET_KEY to its content.`,
    );
  }
  return key;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return undefined;
    throw new AppError("misconfigured", `${path} cannot be read: ${String(error)}`, { cause: error });
  }
}

function make(path: string, randomBytes: (size: number) => Buffer): string {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  makePrivateFolder(dirname(path));
  createPrivateFile(draft);
  writeFileSync(draft, `${randomBytes(32).toString("base64")}\n`);
  syncFile(draft);
  try {
    // Fails if another process was first; a rename would overwrite its key.
    linkSync(draft, path);
  } catch (error) {
    if (getErrorCode(error) !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  // Before anything is encrypted with the key, so that no encrypted data can outlive it.
  syncFolder(dirname(path));
  return readFileSync(path, "utf8");
}
