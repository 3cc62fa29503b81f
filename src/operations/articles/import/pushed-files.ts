/** Which files of a repository have changed since they were pushed, and what becomes of those that moved or are gone. */
import { findArticleAnywhere } from "../../../store/articles/articles.ts";
import { renameOrigin } from "../../../store/articles/origins.ts";
import {
  adoptPushedFiles,
  deletePushedFiles,
  listPushedFiles,
  type PushedFile,
  putPushedFile,
} from "../../../store/articles/pushed-files.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { requestRemoval } from "../review/removal-requests.ts";
import { shortenRef } from "./import-batch.ts";
import { fileRefs, type ImportedItem } from "./import-items.ts";
import type { PushManifest } from "./push-archive.ts";

export interface ListedFile {
  path: string;
  /** null: it is there, and nothing is asked of it. */
  hash: string | null;
}

export interface FileComparison {
  /** Those to send: changed, or never sent. */
  missing: string[];
  /** Those that this token listed before, and are gone. */
  removed: { path: string; hash: string }[];
  /** How many files of this token were known. */
  known: number;
}

/** From now on the listed files are those of this token. */
export async function compareFiles(
  deps: Pick<Deps, "store">,
  websiteId: string,
  files: readonly ListedFile[],
  tokenId: string,
): Promise<FileComparison> {
  const known = await deps.store.read((db) => listPushedFiles(db, websiteId));
  const byPath = new Map(known.map((file) => [file.path, file]));
  const listed = new Set(files.map(({ path }) => path));
  const adopted = [...listed].filter((path) => (byPath.get(path)?.tokenId ?? tokenId) !== tokenId);
  if (adopted.length > 0) await deps.store.write((db) => adoptPushedFiles(db, websiteId, adopted, tokenId));
  const own = known.filter((file) => file.tokenId === tokenId);
  return {
    missing: files.filter(({ path, hash }) => hash !== null && byPath.get(path)?.hash !== hash).map(({ path }) => path),
    removed: own.filter(({ path }) => !listed.has(path)).map(({ path, hash }) => ({ path, hash })),
    known: own.length,
  };
}

/** The files' articles stay the same ones under their new names. */
export async function moveFiles(
  deps: Pick<Deps, "store">,
  websiteId: string,
  moved: PushManifest["moved"],
): Promise<void> {
  if (moved.length === 0) return;
  await deps.store.write(async (db) => {
    const known = new Map((await listPushedFiles(db, websiteId)).map((file) => [file.path, file]));
    for (const { from, to } of moved) {
      const file = known.get(from);
      if (file === undefined || known.has(to)) continue;
      const refs = fileRefs(to);
      for (const [index, ref] of fileRefs(from).entries()) {
        await renameOrigin(db, websiteId, shortenRef(ref), shortenRef(refs[index] ?? ref));
      }
      await deletePushedFiles(db, websiteId, [from]);
      // It is to be read again: its name may say its date, its slug or its language.
      await putPushedFile(db, websiteId, { ...file, path: to, hash: "" });
    }
  });
}

/** What became of the files of one archive. */
export class PushRecord {
  readonly #files: ReadonlyMap<string, string>;
  /** Paths by how items name them: an `index.md` directly in the folder is called by the folder. */
  readonly #paths = new Map<string, string>();
  readonly #failed = new Set<string>();
  readonly #articles = new Map<string, string>();

  constructor({ files, folder }: PushManifest) {
    this.#files = new Map(files.flatMap(({ path, hash }) => (hash === null ? [] : [[path, hash]])));
    for (const path of this.#files.keys()) {
      this.#paths.set(path, path);
      if (!path.includes("/")) this.#paths.set(`${folder}/${path}`, path);
    }
  }

  add({ source, outcome, articleId }: ImportedItem): void {
    const path = this.#paths.get(source);
    if (outcome === "failed") this.#failed.add(path ?? this.#findPath(source) ?? "");
    if (path !== undefined && articleId !== null) this.#articles.set(path, articleId);
  }

  /** The file that has several articles, one of which is the item. */
  #findPath(source: string): string | undefined {
    return [...this.#paths].find(([name]) => source.startsWith(`${name}, `))?.[1];
  }

  /** Files that failed are sent again. */
  async save(deps: Pick<Deps, "store">, websiteId: string, tokenId: string): Promise<void> {
    const done = [...this.#files].filter(([path]) => !this.#failed.has(path));
    if (done.length === 0) return;
    await deps.store.write(async (db) => {
      for (const [path, hash] of done) {
        const file: PushedFile = { path, tokenId, hash, articleId: this.#articles.get(path) ?? null };
        await putPushedFile(db, websiteId, file);
      }
    });
  }
}

/** Asks people to delete the articles of files that are gone. @returns null for a file without an article to delete. */
export async function removeFiles(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  websiteId: string,
  removed: readonly string[],
  { actor, dryRun }: { actor: Actor; dryRun: boolean },
): Promise<{ path: string; articleId: string | null }[]> {
  if (removed.length === 0) return [];
  const known = await deps.store.read((db) => listPushedFiles(db, websiteId));
  const gone = new Set(removed);
  // An article that knows its id may have another file by now.
  const kept = new Set(known.flatMap(({ path, articleId }) => (gone.has(path) ? [] : (articleId ?? []))));
  const done: { path: string; articleId: string | null }[] = [];
  for (const { path, articleId, tokenId } of known) {
    // Another push was faster, or has it still.
    if (!gone.has(path) || tokenId !== actor.id) continue;
    const id = articleId === null || kept.has(articleId) ? null : articleId;
    const article = id === null ? undefined : await deps.store.read((db) => findArticleAnywhere(db, id));
    const isThere = article !== undefined && article.deletedAt === null && article.websiteId === websiteId;
    if (!dryRun && isThere) await requestRemoval(deps, article.id, reason(path), actor);
    if (!dryRun) await deps.store.write((db) => deletePushedFiles(db, websiteId, [path]));
    done.push({ path, articleId: isThere ? article.id : null });
  }
  return done;
}

function reason(path: string): string {
  return `Its file ${path} was deleted from the repository.`;
}
