/** A folder of Markdown files as the store of `rostrum pull`: one file for each published article. */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import type { ArticleStore, CopyState, RequestedFields, StoredArticle } from "../../client/src/index.ts";
import type { EditorialAddition } from "../domain/articles/api-format.ts";
import { AppError, getErrorCode } from "../domain/system/errors.ts";

export const FILE_NAMES = ["slug", "date-slug"] as const;
type FileNames = (typeof FILE_NAMES)[number];

/** An article read with `format=markdown`. */
type MarkdownArticle = Omit<StoredArticle, "content"> &
  Partial<Pick<RequestedFields, EditorialAddition>> & { content_markdown: string };

interface Manifest {
  url: string;
  names: FileNames;
  state: CopyState | null;
  /** File name of each article, by article id. */
  files: Record<string, string>;
  /** Files to remove, such as those that a killed run has left. */
  stale: string[];
}

const MANIFEST = ".rostrum-pull.json";
/** File systems allow 255 bytes; a date, an id and an extension may be added. */
const MAX_NAME_BYTES = 180;

export class MarkdownFolder implements Pick<ArticleStore, "state" | "ids" | "apply"> {
  readonly written: string[] = [];
  readonly removed: string[] = [];
  readonly #folder: string;
  readonly #manifest: Manifest;
  /** Article of each file; names are compared without case, as some file systems do. */
  readonly #owners: Map<string, string>;

  private constructor(folder: string, manifest: Manifest) {
    this.#folder = folder;
    this.#manifest = manifest;
    this.#owners = new Map(Object.entries(manifest.files).map(([id, name]) => [name.toLowerCase(), id]));
  }

  /** @throws AppError when the folder holds the articles of another service. */
  static async open(folder: string, { url, names }: Pick<Manifest, "url" | "names">): Promise<MarkdownFolder> {
    await mkdir(folder, { recursive: true });
    const path = join(folder, MANIFEST);
    const found = JSON.parse((await readIfThere(path)) ?? "null") as Manifest | null;
    if (found !== null && found.url !== url) {
      throw new AppError(
        "conflict",
        `${folder} contains articles of ${found.url}: pull into another folder, or remove it.`,
      );
    }
    // With other names every file is written again.
    const state = found?.names === names ? found.state : null;
    const { files, stale } = found ?? { files: {}, stale: [] };
    return new MarkdownFolder(folder, { url, names, state, files, stale });
  }

  async state(): Promise<CopyState | null> {
    return this.#manifest.state;
  }

  async ids(): Promise<string[]> {
    return Object.keys(this.#manifest.files);
  }

  async apply({ articles, removed, state }: Parameters<ArticleStore["apply"]>[0]): Promise<void> {
    const { files } = this.#manifest;
    const texts = new Map((articles as unknown as MarkdownArticle[]).map((one) => [one.id, one]));
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
      await rm(this.#pathOf(name), { force: true });
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
    const path = this.#pathOf(name);
    if (!isOurs && (await readIfThere(path)) !== null) {
      throw new AppError("conflict", `${path} was not written by pull: move it away, or pull into another folder.`);
    }
    this.#manifest.files[article.id] = name;
    this.#owners.set(name.toLowerCase(), article.id);
  }

  async #write(article: MarkdownArticle): Promise<void> {
    const name = this.#manifest.files[article.id] ?? "";
    const path = this.#pathOf(name);
    const text = toMarkdown(article);
    // Unchanged files keep their modification time, so that a generator need not rebuild their pages.
    if ((await readIfThere(path)) === text) return;
    await replace(path, text);
    this.written.push(name);
  }

  /**
   * Names contain ids and dates as the service sends them, and may come from a manifest that others have written.
   *
   * @throws AppError when the name leads out of the folder.
   */
  #pathOf(name: string): string {
    if (/[/\\]/.test(name)) {
      throw new AppError(
        "invalid",
        `"${name}" is not a file name, so nothing was written there: is ${this.#manifest.url} a Rostrum service?`,
      );
    }
    return join(this.#folder, name);
  }

  async #save(): Promise<void> {
    await replace(join(this.#folder, MANIFEST), `${JSON.stringify(this.#manifest, null, 1)}\n`);
  }
}

/** The slug as a name that every file system allows. */
function fileName({ slug, id, published_at }: MarkdownArticle, names: FileNames): string {
  const plain = slug
    .normalize("NFC")
    .replaceAll(/[\p{Cc}\s/\\:*?"<>|]+/gu, "-")
    .replace(/^[.-]+/, "");
  const name = plain === "" || Buffer.byteLength(plain) > MAX_NAME_BYTES ? id : plain;
  return names === "slug" ? `${name}.md` : `${(published_at ?? "").slice(0, 10)}-${name}.md`;
}

function toMarkdown(article: MarkdownArticle): string {
  const fields = {
    title: article.title,
    slug: article.slug,
    date: article.published_at,
    description: article.meta_description ?? article.excerpt,
    categories: article.categories,
    tags: article.tags,
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
  const given = Object.entries(fields).filter(
    ([, value]) => value != null && (!Array.isArray(value) || value.length > 0),
  );
  return `---\n${stringify(Object.fromEntries(given), { lineWidth: 0 })}---\n\n${article.content_markdown.trimEnd()}\n`;
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Writes the file and renames it, so that a generator that watches the folder never sees half a file. */
async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}
