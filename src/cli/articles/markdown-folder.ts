/** A folder of Markdown files as the store of `rostrum pull`: one file for each published article. */
import { lstat, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ArticleStore, CopyState, RequestedFields, StoredArticle } from "../../../client/src/index.ts";
import type { EditorialAddition } from "../../domain/articles/api-format.ts";
import { AppError, getErrorCode } from "../../domain/system/errors.ts";
import { lockFile } from "../../store/engine/sqlite/file-lock.ts";
import { frontMatter } from "./front-matter.ts";
import { placeFile } from "./place-file.ts";
import type { PulledPictures } from "./pulled-pictures.ts";
import { templateSafe } from "./template-safe.ts";
import { isRecord } from "../../domain/articles/json-values.ts";

export const FILE_NAMES = ["slug", "date-slug"] as const;
type FileNames = (typeof FILE_NAMES)[number];

type MarkdownArticle = Omit<StoredArticle, "content"> &
  Partial<Pick<RequestedFields, EditorialAddition | "updated_at">> & { content_markdown: string };

interface Manifest {
  url: string;
  names: FileNames;
  /** What addresses of pulled pictures begin with; null: pictures are not pulled. */
  pictures: string | null;
  state: CopyState | null;
  /** File name by article id. */
  files: Record<string, string>;
  /** Files to remove, such as those that a killed run has left. */
  stale: string[];
}

const MANIFEST = ".rostrum-pull.json";
const LOCK = ".rostrum-pull.lock";
/** File systems allow 255 bytes; a date, an id and an extension may be added. */
const MAX_NAME_BYTES = 180;
const MAX_LABEL_BYTES = 200;
/** Names that mean the folder to a generator, and those of devices in Windows. */
const RESERVED = /^(?:index|readme|con|prn|aux|nul|com\d|lpt\d)$/i;
const NAME = /^[^\p{Cc}/\\:]{1,252}\.md$/u;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DATE = /^\d{4}-\d{2}-\d{2}/;

export class MarkdownFolder implements Pick<ArticleStore, "state" | "ids" | "apply">, Disposable {
  readonly written: string[] = [];
  readonly removed: string[] = [];
  readonly #folder: string;
  readonly #manifest: Manifest;
  readonly #localize: (text: string) => Promise<string>;
  readonly #owners: Map<string, string>;
  readonly #lock: Disposable | undefined;

  private constructor(
    { folder, lock }: { folder: string; lock: Disposable | undefined },
    manifest: Manifest,
    pictures: PulledPictures | null,
  ) {
    this.#folder = folder;
    this.#lock = lock;
    this.#localize = async (text) => (pictures === null ? text : await pictures.localize(text));
    this.#manifest = manifest;
    this.#owners = new Map(Object.entries(manifest.files).map(([id, name]) => [name.toLowerCase(), id]));
  }

  /** Locks it. @throws AppError when the folder holds the articles of another service, or another command is writing it. */
  static async open(
    folder: string,
    { url, names, pictures }: Pick<Manifest, "url" | "names"> & { pictures: PulledPictures | null },
  ): Promise<MarkdownFolder> {
    await mkdir(folder, { recursive: true });
    using opening = new DisposableStack();
    const lock = opening.use(lockFolder(folder));
    const found = await readManifest(join(folder, MANIFEST));
    if (found !== null && found.url !== url) {
      throw new AppError(
        "conflict",
        `${folder} contains articles of ${found.url}: pull into another folder, or remove it.`,
      );
    }
    const prefix = pictures?.prefix ?? null;
    // With other names or addresses every file is written again.
    const state = found?.names === names && (found.pictures ?? null) === prefix ? found.state : null;
    const { files, stale } = found ?? { files: {}, stale: [] };
    opening.move();
    return new MarkdownFolder({ folder, lock }, { url, names, pictures: prefix, state, files, stale }, pictures);
  }

  [Symbol.dispose](): void {
    this.#lock?.[Symbol.dispose]();
  }

  async state(): Promise<CopyState | null> {
    return this.#manifest.state;
  }

  async ids(): Promise<string[]> {
    return Object.keys(this.#manifest.files);
  }

  async apply({ articles, removed, state }: Parameters<ArticleStore["apply"]>[0]): Promise<void> {
    const { files, url } = this.#manifest;
    const texts = new Map<string, MarkdownArticle>();
    for (const article of articles as unknown[]) {
      if (!isArticle(article))
        throw new AppError("invalid", `${url} sent what is no article: is it a Rostrum service?`);
      texts.set(article.id, article);
    }
    const before = new Map(Object.entries(files));
    for (const id of [...removed, ...texts.keys()]) this.#free(id);
    for (const article of texts.values()) await this.#name(article, before);
    const owned = new Set(Object.values(files));
    const left = [
      ...this.#manifest.stale,
      ...[...before].filter(([id]) => files[id] === undefined).map(([, name]) => name),
    ];
    const renamed = [...texts.keys()].flatMap((id) => before.get(id) ?? []);
    this.#manifest.stale = [...new Set([...left, ...renamed])].filter((name) => !owned.has(name));
    // Saved before any file is written, so that the files of a killed run are recognised.
    this.#manifest.state = null;
    await this.#save();
    for (const name of this.#manifest.stale) {
      await rm(join(this.#folder, name), { force: true });
      this.removed.push(name);
    }
    for (const article of texts.values()) await this.#write(article);
    this.#manifest.stale = [];
    this.#manifest.state = state;
    await this.#save();
  }

  #free(id: string): void {
    const name = this.#manifest.files[id];
    if (name !== undefined) this.#owners.delete(name.toLowerCase());
    delete this.#manifest.files[id];
  }

  async #name(article: MarkdownArticle, before: ReadonlyMap<string, string>): Promise<void> {
    const plain = fileName(article, this.#manifest.names);
    const name = this.#owners.has(plain.toLowerCase()) ? plain.replace(/\.md$/, `-${article.id}.md`) : plain;
    const isOurs = this.#manifest.stale.includes(name) || [...before.values()].includes(name);
    const path = join(this.#folder, name);
    if (!isOurs && (await exists(path))) {
      throw new AppError("conflict", `${path} was not written by pull: move it away, or pull into another folder.`);
    }
    this.#manifest.files[article.id] = name;
    this.#owners.set(name.toLowerCase(), article.id);
  }

  async #write(article: MarkdownArticle): Promise<void> {
    const name = this.#manifest.files[article.id] ?? "";
    const path = join(this.#folder, name);
    const text = await this.#localize(toMarkdown(article));
    // Unchanged files keep their modification time, so that a generator need not rebuild their pages.
    if ((await readIfThere(path)) === text) return;
    await placeFile(path, text);
    this.written.push(name);
  }

  async #save(): Promise<void> {
    await placeFile(join(this.#folder, MANIFEST), `${JSON.stringify(this.#manifest, null, 1)}\n`);
  }
}

/** Undefined where the file system has no locks, or the folder cannot be written. @throws AppError `conflict`. */
function lockFolder(folder: string): Disposable | undefined {
  let lock: Disposable | null;
  try {
    lock = lockFile(join(folder, LOCK), folder);
  } catch {
    return undefined;
  }
  if (lock !== null) return lock;
  throw new AppError("conflict", `Another "rostrum pull" writes into ${folder}: wait until it is done.`);
}

/** @throws AppError unless it is as `#save` writes it, with names of files in the folder itself. */
async function readManifest(path: string): Promise<Manifest | null> {
  const text = await readIfThere(path);
  if (text === null) return null;
  const found = parseJson(text);
  if (isManifest(found)) return found;
  throw new AppError("invalid", `${path} is damaged: pull into another folder, or remove this one and pull again.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value)) return false;
  const { url, files, stale } = value;
  if (typeof url !== "string" || !isRecord(files) || !Array.isArray(stale)) return false;
  return Object.keys(files).every((id) => UUID.test(id)) && [...Object.values(files), ...stale].every(isFileName);
}

/** Whether the value is the name of an article's file; such a name leads to no other folder. */
function isFileName(value: unknown): boolean {
  return typeof value === "string" && NAME.test(value) && Buffer.byteLength(value) <= 255;
}

/** Names of files contain ids, slugs and dates, and the service may be another one than the URL should name. */
function isArticle(value: unknown): value is MarkdownArticle {
  if (!isRecord(value)) return false;
  const { id, slug, published_at, content_markdown } = value;
  return (
    typeof id === "string" &&
    UUID.test(id) &&
    typeof slug === "string" &&
    typeof content_markdown === "string" &&
    (published_at === null || (typeof published_at === "string" && DATE.test(published_at)))
  );
}

function fileName({ slug, id, published_at }: MarkdownArticle, names: FileNames): string {
  const plain = slug
    .normalize("NFC")
    .replaceAll(/[\p{Cc}\s/\\:*?"<>|]+/gu, "-")
    // Generators skip names that begin or end so, and take the end of a.de.md for its language.
    .replace(/^[._~#-]+/, "")
    .replaceAll(/[.~]/g, "-");
  const name = plain === "" || Buffer.byteLength(plain) > MAX_NAME_BYTES ? id : plain;
  if (names === "date-slug") return `${(published_at ?? "").slice(0, 10)}-${name}.md`;
  return RESERVED.test(name) ? `${name}-${id}.md` : `${name}.md`;
}

function toMarkdown(article: MarkdownArticle): string {
  const fields = {
    title: article.title,
    slug: article.slug,
    date: article.published_at,
    lastmod: article.updated_at,
    description: article.meta_description ?? article.excerpt,
    categories: article.categories.filter(canBeFolder),
    tags: article.tags.filter(canBeFolder),
    keywords: article.seo_keywords,
    image: article.featured_image_url,
    image_alt: article.featured_image_alt,
    authors: article.authors?.map(({ name }) => name) ?? null,
    meta_title: article.meta_title,
    canonical_url: article.canonical_url,
    aliases: article.aliases,
    lang: article.language,
    translationKey: article.translation_group,
    rostrum_id: article.id,
  };
  return `${frontMatter(fields)}\n${templateSafe(article.content_markdown.trimEnd())}\n`;
}

/** Generators make a folder of each label, and of its parts between slashes: Hugo would end with an error. */
function canBeFolder(label: string): boolean {
  return label.split("/").every((part) => part.trim() !== ".." && Buffer.byteLength(part) <= MAX_LABEL_BYTES);
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Whether there is anything with the name, also a link that leads nowhere. */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}
