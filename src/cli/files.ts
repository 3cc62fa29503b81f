import { randomBytes } from "node:crypto";
import { lstatSync, statSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { AppError, getErrorCode } from "../domain/system/errors.ts";
import { parseArticleJson } from "../domain/articles/article-json.ts";
import type { ArticleInput } from "../domain/articles/article.ts";
import { createPrivateFile, renameDurably } from "../store/system/files.ts";
import { type Io, UsageError } from "./command.ts";

/** Reads one JSON article; `-` is standard input. @throws AppError `invalid`. */
export async function readArticleFile(path: string, io: Pick<Io, "stdin">): Promise<ArticleInput> {
  return parseArticleJson(await readJsonFile(path, io));
}

/** `-` is standard input. @throws AppError `invalid`. */
export async function readJsonFile(path: string, io: Pick<Io, "stdin">): Promise<unknown> {
  const content = await readTextFile(path, io);
  const name = path === "-" ? "Standard input" : path;
  try {
    return JSON.parse(content.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new AppError("invalid", `${name} is not valid JSON: ${error instanceof Error ? error.message : ""}`);
  }
}

/** Reads a text file; `-` is standard input. @throws AppError `invalid`. */
export function readTextFile(path: string, io: Pick<Io, "stdin">): Promise<string> {
  return path === "-" ? text(io.stdin) : readable(path, () => readFile(path, "utf8"));
}

/** Warns that a secret in an argument is visible to other users. `instead` is the option that reads it from a file. */
export function warnOfVisibleSecret(io: Pick<Io, "err">, option: string, instead: string): void {
  io.err(
    `Other users of this machine can see the value of --${option} in the list of processes: use --${instead} FILE, or --${instead} - for standard input.\n`,
  );
}

/** Runs work that reads the file. @throws AppError with a clear message for common failures. */
export function readable<T>(path: string, work: () => Promise<T>): Promise<T> {
  return explained(path, "read", work);
}

/** Runs work that writes the file. @throws AppError with a clear message for common failures. */
export function writable<T>(path: string, work: () => Promise<T>): Promise<T> {
  return explained(path, "written", work);
}

/**
 * Gives `work` a file that gets its name at the end, so that nothing looks complete before. @throws AppError `conflict`
 * if one exists, unless `force`, and always for links, devices and folders; UsageError for an empty name.
 */
export async function replaceFile<T>(path: string, force: boolean, work: (draft: string) => Promise<T>): Promise<T> {
  if (path === "") throw new UsageError("The name of the file to write is empty.");
  assertReplaceable(path, force);
  // Two commands may write the same file at once.
  const draft = `${path}.${randomBytes(4).toString("hex")}${UNFINISHED}`;
  return writable(path, async () => {
    await removeAbandoned(path);
    createPrivateFile(draft, { isOwn: true });
    try {
      const result = await work(draft);
      assertReplaceable(path, force);
      renameDurably(draft, path);
      return result;
    } finally {
      await rm(draft, { force: true });
    }
  });
}

const UNFINISHED = ".unfinished";
const ABANDONED_AFTER_MS = 3_600_000;

/** Removes what killed commands have left of this file, and what SQLite kept beside it. */
async function removeAbandoned(path: string): Promise<void> {
  const folder = dirname(path);
  // A folder may be writable for a user who may not list it.
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    if (!/^\.[0-9a-f]{8}\.unfinished(?:-journal)?$/.test(name.slice(basename(path).length))) continue;
    const left = join(folder, name);
    const written = statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - written > ABANDONED_AFTER_MS) await rm(left, { force: true });
  }
}

export function standardOutput(io: Pick<Io, "write">): Writable {
  return new Writable({
    decodeStrings: false,
    write: (part: string | Buffer, _encoding, done) => io.write(part, done),
  });
}

function assertReplaceable(path: string, force: boolean): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isFile()) {
    throw new AppError(
      "conflict",
      `${path} is no regular file, and would be replaced by one: name another, or - for standard output.`,
    );
  }
  if (!force) throw new AppError("conflict", `${path} exists: name another file, or replace it with --force.`);
}

async function explained<T>(path: string, what: "read" | "written", work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const sentence = systemSentence(error);
    if (sentence === undefined) throw error;
    throw new AppError("invalid", `${path} cannot be ${what}: ${sentence}`, { cause: error });
  }
}

/** @returns what is wrong, for what a user can mend. */
export function systemSentence(error: unknown): string | undefined {
  return SENTENCES[getErrorCode(error) ?? ""];
}

const SENTENCES: Record<string, string> = {
  ENOENT: "there is no such file or folder.",
  EISDIR: "it is a folder.",
  ENOTDIR: "a part of its path is no folder.",
  EACCES: "this user has no right to.",
  EPERM: "this user has no right to.",
  EROFS: "it is on a read-only disk.",
  ENOSPC: "the disk is full.",
};
