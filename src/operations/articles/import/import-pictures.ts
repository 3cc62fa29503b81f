/** Adds pictures that imported files name by a path within their site, and puts their URLs into the text. */
import { realpath, stat } from "node:fs/promises";
import { extname, join, relative, resolve, sep } from "node:path";
import type { Origin } from "../../../domain/system/audit.ts";
import { ASSET_EXTENSIONS, MAX_ALT_LENGTH, MAX_ASSET_BYTES } from "../../../domain/articles/assets/asset.ts";
import { addressPlaces } from "../../../domain/articles/content/markdown/address-places.ts";
import { Warnings } from "../../../domain/articles/warnings.ts";
import { AppError } from "../../../domain/system/errors.ts";
import type { Website } from "../../../domain/system/website.ts";
import { addAsset, assetUrl, type AssetDeps } from "../assets/assets.ts";
import { type Draft, hashInput, type ImportItem } from "./import-items.ts";

export interface PictureSource {
  /** The imported folder, or the folder of the imported file. */
  root: string;
  website: Website;
  /** The service's own address. */
  base: string;
  origin: Origin;
}

export interface PictureCounts {
  imported: number;
  missing: number;
}

interface PictureOptions {
  /** Files are looked for, but not added. */
  dryRun?: boolean;
  /** Gets the different files that were found, and the places that lead to none. */
  counts?: PictureCounts;
}

const EXTENSIONS = new Set([...Object.values(ASSET_EXTENSIONS).map((extension) => `.${extension}`), ".jpeg"]);

interface Search extends PictureSource, PictureOptions {
  /** URLs by file path; null for a picture that cannot be used. */
  addresses: Map<string, string | null>;
}

/** Yields items with their pictures' URLs. A picture that cannot be used is reported, and its path is left alone. */
export async function* withPictures(
  deps: AssetDeps,
  items: AsyncIterable<ImportItem>,
  source: PictureSource,
  options: PictureOptions = {},
): AsyncGenerator<ImportItem> {
  const root = await realpath(source.root);
  const search: Search = { ...source, ...options, root, addresses: new Map() };
  /** Files of pictures, which are skipped unless an article has them. */
  const passedOver: ImportItem[] = [];
  for await (const item of items) {
    if (item.kind === "skipped" && isPicture(item.source)) passedOver.push(item);
    else if (item.kind === "draft") {
      const { item: draft, refused } = await withAddresses(deps, item, search);
      yield draft;
      yield* refused;
    } else yield item;
  }
  for (const item of passedOver) if (!search.addresses.has(join(root, item.source))) yield item;
}

async function withAddresses(
  deps: AssetDeps,
  item: Draft,
  search: Search,
): Promise<{ item: Draft; refused: ImportItem[] }> {
  const refused: ImportItem[] = [];
  const warnings = new Warnings();
  warnings.addAll(item.warnings ?? []);
  const toAddress = async (path: string, alt = ""): Promise<string | null> => {
    const file = await findFile(search.root, item, path);
    if (file === null) {
      if (isMissing(item, path)) {
        warnings.add("picture_missing", path);
        if (search.counts !== undefined) search.counts.missing += 1;
      }
      return null;
    }
    const known = search.addresses.get(file);
    if (known !== undefined) return known;
    const address = await addFile(deps, file, alt, search).catch((error: unknown) => {
      if (!(error instanceof AppError) || (error.code !== "invalid" && error.code !== "too_expensive")) throw error;
      refused.push({ kind: "skipped", source: relative(search.root, file), reason: error.message });
      return null;
    });
    if (address !== null && search.counts !== undefined) search.counts.imported += 1;
    search.addresses.set(file, address);
    return address;
  };
  const { content, markdown } = item.input;
  const picture = item.mainPicture === undefined ? null : await toAddress(item.mainPicture.path, item.mainPicture.alt);
  const input = {
    ...item.input,
    ...(typeof content === "string" ? { content: await replacePaths(content, toAddress) } : {}),
    ...(typeof markdown === "string" ? { markdown: await replacePaths(markdown, toAddress) } : {}),
    ...(picture === null ? {} : { featuredImageUrl: picture, ...alternative(item) }),
  };
  // Hashes the source, so that the item is recognised when it is imported again.
  const draft = { ...item, brought: item.input, hash: item.hash ?? hashInput(item.input), warnings: warnings.list };
  return { item: search.dryRun === true ? draft : { ...draft, input }, refused };
}

function alternative({ mainPicture }: Draft): { featuredImageAlt?: string } {
  return mainPicture?.alt === undefined ? {} : { featuredImageAlt: mainPicture.alt };
}

async function addFile(deps: AssetDeps, path: string, alt: string, search: Search): Promise<string> {
  const { website, base, origin, dryRun } = search;
  if ((await stat(path)).size > MAX_ASSET_BYTES) {
    throw new AppError("invalid", `The picture is larger than ${MAX_ASSET_BYTES / 1_000_000} MB.`);
  }
  if (dryRun === true) return "";
  return assetUrl(
    await addAsset(deps, website.id, { path, name: path, alt: alt.slice(0, MAX_ALT_LENGTH) }, origin),
    website,
    base,
  );
}

async function replacePaths(text: string, toAddress: (path: string) => Promise<string | null>): Promise<string> {
  let done = "";
  let from = 0;
  for (const { start, end } of addressPlaces(text)) {
    const path = text.slice(start, end);
    const address = isPicture(path) ? await toAddress(path) : null;
    if (address === null) continue;
    done += text.slice(from, start) + address;
    from = end;
  }
  return done + text.slice(from);
}

function isPicture(path: string): boolean {
  const [plain = ""] = path.split(/[?#]/, 1);
  return EXTENSIONS.has(extname(plain).toLowerCase());
}

/** Whether a path leads to no page either: one from the top may be the website's own. */
function isMissing({ pictures }: Draft, path: string): boolean {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(path)) return false;
  return !path.startsWith("/") || (pictures?.served.length ?? 0) > 0;
}

/** Finds the picture file that a path in the article refers to; null if there is none where its site has files. */
async function findFile(imported: string, { pictures, source }: Draft, given: string): Promise<string | null> {
  const { url = null, served = [], folder = resolve(imported, source, ".."), root = imported } = pictures ?? {};
  const onSite = url !== null && given.startsWith(`${url}/`) ? given.slice(url.length) : given;
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(onSite)) return null;
  const [plain = ""] = onSite.split(/[?#]/, 1);
  const decoded = decodePath(plain)?.replace(/^(?:\{(?:static|attach|filename)\}|\|(?:static|filename)\|)/, "");
  if (decoded === undefined || !isPicture(decoded)) return null;
  const basePath = url === null ? "" : new URL(url).pathname.replace(/\/$/, "");
  const path = basePath !== "" && decoded.startsWith(`${basePath}/`) ? decoded.slice(basePath.length) : decoded;
  const beside = path.startsWith("/") ? [] : [{ file: resolve(folder, path), within: root }];
  const tops = [...served, imported].map((top) => ({ file: join(top, path), within: top }));
  for (const { file, within } of [...beside, ...tops]) {
    const found = await findInside(file, within);
    if (found !== null) return found;
  }
  return null;
}

/** The real path of the file, if it is inside the folder, wherever links lead. */
async function findInside(wanted: string, folder: string): Promise<string | null> {
  try {
    const [file, top] = await Promise.all([realpath(wanted), realpath(folder)]);
    const isInside = file.startsWith(top.endsWith(sep) ? top : top + sep);
    return isInside && (await stat(file)).isFile() ? file : null;
  } catch {
    // The file does not exist.
    return null;
  }
}

function decodePath(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path);
    return decoded.includes("\0") ? undefined : decoded;
  } catch {
    return undefined;
  }
}
