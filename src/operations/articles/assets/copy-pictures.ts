/** Copies pictures of imported articles from the web, each once: an interrupted import continues where it ended. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Asset } from "../../../domain/articles/assets/asset.ts";
import type { ArticleInput } from "../../../domain/articles/article.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { temporaryPrefix } from "../../../domain/system/temporary-names.ts";
import { findAssetBySource } from "../../../store/articles/assets.ts";
import type { Deps } from "../../system/deps.ts";
import { addAsset, assetUrl, type AssetDeps } from "./assets.ts";
import { type Draft, hashInput, type ImportItem } from "../import/import-items.ts";
import type { PictureSource } from "../import/import-pictures.ts";

type CopyDeps = AssetDeps & Pick<Deps, "copyPicture">;
export type CopySource = Omit<PictureSource, "root">;

/** Failed fetches in a row after which a host is not asked again in the same import. */
const MAX_FAILURES = 20;
const MAX_URL = 2_000;
/** Characters. */
const MAX_TAG = 8_000;
/** How far the description of a picture in Markdown may reach. */
const MAX_DESCRIPTION = 2_000;

/** `reason`: why it was not copied; null if it was. */
export interface CopiedPicture {
  url: string;
  reason: string | null;
}

/** Failed fetches in a row, by host. */
export interface HostFailures {
  get(host: string): number | undefined;
  set(host: string, failures: number): unknown;
}

interface CopyOptions {
  /** Called for each picture that is copied now, or cannot be. Without it, the latter are yielded as skipped items. */
  onPicture?: (picture: CopiedPicture) => void;
  /** Called for each picture that is copied now. */
  onCopied?: () => void;
  /** May be shared by several imports. */
  failures?: HostFailures;
  /** Ends the items before the article that is in progress. */
  signal?: AbortSignal;
}

interface Progress extends CopyOptions {
  /** New URLs by the earlier ones; null for a picture that cannot be copied. */
  urls: Map<string, string | null>;
  failures: HostFailures;
}

/** Yields the items with the URLs of the copies. A picture that cannot be copied is reported, and its URL stays. */
export async function* withCopies(
  deps: CopyDeps,
  items: AsyncIterable<ImportItem>,
  source: CopySource,
  options: CopyOptions = {},
): AsyncGenerator<ImportItem> {
  const progress: Progress = { failures: new Map(), ...options, urls: new Map() };
  for await (const item of items) {
    if (item.kind !== "draft") {
      yield item;
      continue;
    }
    const { draft, skipped } = await copyAll(deps, item, source, progress);
    if (options.signal?.aborted === true) return;
    yield draft;
    yield* skipped;
  }
}

/** The input with the URLs of the copies that exist, and whether it has other pictures; nothing is fetched. */
export async function withKnownCopies(
  deps: CopyDeps,
  input: ArticleInput,
  source: CopySource,
): Promise<{ input: ArticleInput; isComplete: boolean }> {
  let isComplete = true;
  const onPicture = () => {
    isComplete = false;
  };
  const copied = await copyOfOne(deps, input, source, { failures: NO_HOST, onPicture });
  return { input: copied, isComplete };
}

/** As `withCopies`, for one article. */
export async function copyOfOne(
  deps: CopyDeps,
  input: ArticleInput,
  source: CopySource,
  options: CopyOptions,
): Promise<ArticleInput> {
  const item = { kind: "draft", source: "", ref: "", input } as const;
  const { draft } = await copyAll(deps, item, source, { failures: new Map(), ...options, urls: new Map() });
  return draft.input;
}

/** No host is asked. */
const NO_HOST: HostFailures = { get: () => MAX_FAILURES, set: () => undefined };

async function copyAll(
  deps: CopyDeps,
  item: Draft,
  source: CopySource,
  { urls, failures, onPicture, onCopied, signal }: Progress,
): Promise<{ draft: Draft; skipped: ImportItem[] }> {
  const skipped: ImportItem[] = [];
  const copy = async (text: string): Promise<string | null> => {
    const url = toRemoteUrl(text, source);
    if (url === null || signal?.aborted === true) return null;
    const { href, host } = url;
    const known = urls.get(href);
    if (known !== undefined) return known;
    const failed = failures.get(host) ?? 0;
    const isTried = failed < MAX_FAILURES;
    const report = (reason: string | null) => {
      if (reason === null) onCopied?.();
      if (onPicture !== undefined) onPicture({ url: href, reason });
      else if (reason !== null) skipped.push({ kind: "skipped", source: href, reason });
    };
    const earlier = await deps.store.read((db) => findAssetBySource(db, source.website.id, href));
    const made =
      earlier === undefined
        ? await copyPicture(deps, url, source, isTried).then(
            (copied) => {
              report(null);
              return assetUrl(copied, source.website, source.base);
            },
            (error: unknown) => {
              if (!(error instanceof AppError) || !["invalid", "too_expensive"].includes(error.code)) throw error;
              report(error.message.replace(/\.$/, "; its address stays."));
              return null;
            },
          )
        : assetUrl(earlier, source.website, source.base);
    if (isTried) failures.set(host, made === null ? failed + 1 : 0);
    urls.set(href, made);
    return made;
  };
  const { content, markdown, featuredImageUrl } = item.input;
  const input = { ...item.input };
  if (typeof content === "string") input.content = await replaceInHtml(content, copy);
  if (typeof markdown === "string") input.markdown = await replaceInHtml(await replaceInMarkdown(markdown, copy), copy);
  if (typeof featuredImageUrl === "string") input.featuredImageUrl = (await copy(featuredImageUrl)) ?? featuredImageUrl;
  const isChanged =
    input.content !== content || input.markdown !== markdown || input.featuredImageUrl !== featuredImageUrl;
  // A later import that copies more has another hash, so that the article is updated.
  return { draft: isChanged ? { ...item, input, brought: input, hash: hashInput(input) } : item, skipped };
}

/** Adds a copy of a picture on the web, or returns the one that was copied before. @throws AppError like `addAsset`. */
export async function copyFromAddress(deps: CopyDeps, text: string, alt: string, source: CopySource): Promise<Asset> {
  const url = toRemoteUrl(text, source);
  if (url === null) {
    throw new AppError("invalid", "Enter the address of a picture elsewhere on the web: https://…", { field: "url" });
  }
  const earlier = await deps.store.read((db) => findAssetBySource(db, source.website.id, url.href));
  return earlier ?? copyPicture(deps, url, source, true, alt);
}

/** @throws AppError `invalid` with the reason, `too_expensive`. */
async function copyPicture(
  deps: CopyDeps,
  url: URL,
  { website, origin }: CopySource,
  isTried: boolean,
  alt = "",
): Promise<Asset> {
  if (!isTried) throw new AppError("invalid", `Not tried: ${url.host} failed ${MAX_FAILURES} times in a row.`);
  const picture = await deps.copyPicture(website.id, url.href);
  if (picture === "blocked") {
    throw new AppError(
      "invalid",
      "The picture is at a private address, which is called only if the operator allows it (ROSTRUM_WEBHOOK_ALLOW_CIDRS).",
    );
  }
  if (picture === "failed") {
    throw new AppError("invalid", "The picture could not be fetched, or is larger than 8 MB.");
  }
  const folder = await mkdtemp(join(tmpdir(), temporaryPrefix("copy")));
  try {
    const path = join(folder, "picture");
    await writeFile(path, picture.bytes, { mode: 0o600 });
    const name = decodeName(url.pathname);
    return await addAsset(deps, website.id, { path, name, alt, sourceUrl: url.href }, origin);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function decodeName(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** Null for an address that is not on the web, or already one of the website's pictures. */
function toRemoteUrl(text: string, { website, base }: CopySource): URL | null {
  const decoded = text.trim().replaceAll("&amp;", "&");
  if (!/^https?:\/\//i.test(decoded) || decoded.length > MAX_URL || !URL.canParse(decoded)) return null;
  const url = new URL(decoded);
  url.hash = "";
  return url.href.startsWith(`${base}/assets/${website.id}/`) ? null : url;
}

type Copy = (url: string) => Promise<string | null>;

/** Replaces the addresses of `<img>`. Other widths that a copied picture had elsewhere (`srcset`) are left out. */
async function replaceInHtml(html: string, copy: Copy): Promise<string> {
  let done = "";
  let from = 0;
  for (const { index: at } of html.matchAll(/<img[\s/]/gi)) {
    if (at < from) continue;
    const tag = readTag(html, at);
    const [, double, single] = /\ssrc\s?=\s?(?:"([^"]*)"|'([^']*)')/i.exec(tag) ?? [];
    const url = double ?? single ?? "";
    const copied = url === "" ? null : await copy(url);
    done += html.slice(from, at) + (copied === null ? tag : withSource(tag, url, copied));
    from = at + tag.length;
  }
  return done + html.slice(from);
}

/** The tag that begins there, up to its `>`; empty if it does not end within reach. */
function readTag(html: string, from: number): string {
  let quote = "";
  for (let at = from; at < html.length && at - from < MAX_TAG; at++) {
    const char = html.charAt(at);
    if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === ">") return html.slice(from, at + 1);
  }
  return "";
}

function withSource(tag: string, url: string, copied: string): string {
  return tag.replace(/\s(?:srcset|sizes)\s?=\s?(?:"[^"]*"|'[^']*')/gi, "").replace(url, () => copied);
}

/** Replaces the addresses of `![description](address "title")`. */
async function replaceInMarkdown(markdown: string, copy: Copy): Promise<string> {
  let done = "";
  let from = 0;
  for (let at = markdown.indexOf("]("); at >= 0; at = markdown.indexOf("](", at + 2)) {
    if (!isOfPicture(markdown, at)) continue;
    const isInBrackets = markdown[at + 2] === "<";
    const start = at + (isInBrackets ? 3 : 2);
    const next = markdown.slice(start, start + MAX_URL);
    const length = next.search(isInBrackets ? />/ : /[)\s]/);
    const copied = length > 0 ? await copy(next.slice(0, length)) : null;
    if (copied === null) continue;
    done += markdown.slice(from, start) + copied;
    from = start + length;
  }
  return done + markdown.slice(from);
}

/** Whether the bracket that closes there was opened by `![`. */
function isOfPicture(markdown: string, closing: number): boolean {
  let depth = 0;
  for (let at = closing; at > 0 && closing - at < MAX_DESCRIPTION; at--) {
    if (markdown[at - 1] === "\\") continue;
    if (markdown[at] === "]") depth++;
    else if (markdown[at] === "[" && --depth === 0) return markdown[at - 1] === "!";
  }
  return false;
}
