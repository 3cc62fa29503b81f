/** Adds pictures that imported files name by a path within the folder, and puts their URLs into the text. */
import { realpath, stat } from "node:fs/promises";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import type { Origin } from "../../../domain/system/audit.ts";
import { ASSET_EXTENSIONS, MAX_ASSET_BYTES } from "../../../domain/articles/assets/asset.ts";
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

const EXTENSIONS = new Set([...Object.values(ASSET_EXTENSIONS).map((extension) => `.${extension}`), ".jpeg"]);
/** The markup around a picture's address in Markdown and HTML: what precedes it, and what ends it. */
const OPENINGS = [
  { before: "](", ends: /[)\s>]/ },
  { before: 'src="', ends: /"/ },
  { before: "src='", ends: /'/ },
] as const;
const MAX_PATH = 1_000;

/** Yields items with their pictures' URLs. A picture that cannot be used is reported, and its path is left alone. */
export async function* withPictures(
  deps: AssetDeps,
  items: AsyncIterable<ImportItem>,
  source: PictureSource,
): AsyncGenerator<ImportItem> {
  const root = await realpath(source.root);
  /** URLs by file path; null for a picture that cannot be used. */
  const addresses = new Map<string, string | null>();
  for await (const item of items) {
    if (item.kind !== "draft") {
      yield item;
      continue;
    }
    const { item: draft, refused } = await withAddresses(deps, item, { ...source, root }, addresses);
    yield draft;
    yield* refused;
  }
}

async function withAddresses(
  deps: AssetDeps,
  item: Draft,
  source: PictureSource,
  addresses: Map<string, string | null>,
): Promise<{ item: Draft; refused: ImportItem[] }> {
  const refused: ImportItem[] = [];
  const toAddress = async (path: string): Promise<string | null> => {
    const file = await findFile(source.root, item.source, path);
    if (file === null) return null;
    const known = addresses.get(file);
    if (known !== undefined) return known;
    const address = await addFile(deps, file, source).catch((error: unknown) => {
      if (!(error instanceof AppError) || (error.code !== "invalid" && error.code !== "too_expensive")) throw error;
      refused.push({ kind: "skipped", source: relative(source.root, file), reason: error.message });
      return null;
    });
    addresses.set(file, address);
    return address;
  };
  const { content, markdown } = item.input;
  const input = {
    ...item.input,
    ...(typeof content === "string" ? { content: await replacePaths(content, toAddress) } : {}),
    ...(typeof markdown === "string" ? { markdown: await replacePaths(markdown, toAddress) } : {}),
  };
  // Hashes the source, so that the item is recognised when it is imported again.
  return { item: { ...item, input, brought: item.input, hash: item.hash ?? hashInput(item.input) }, refused };
}

async function addFile(deps: AssetDeps, path: string, { website, base, origin }: PictureSource): Promise<string> {
  if ((await stat(path)).size > MAX_ASSET_BYTES) {
    throw new AppError("invalid", `The picture is larger than ${MAX_ASSET_BYTES / 1_000_000} MB.`);
  }
  return assetUrl(await addAsset(deps, website.id, { path, name: path, alt: "" }, origin), website, base);
}

async function replacePaths(text: string, toAddress: (path: string) => Promise<string | null>): Promise<string> {
  let result = text;
  for (const { before, ends } of OPENINGS) result = await replaceAfter(result, before, ends, toAddress);
  return result;
}

async function replaceAfter(
  text: string,
  before: string,
  ends: RegExp,
  toAddress: (path: string) => Promise<string | null>,
): Promise<string> {
  let done = "";
  let from = 0;
  for (let at = text.indexOf(before); at >= 0; at = text.indexOf(before, from)) {
    const isInBrackets = before === "](" && text[at + before.length] === "<";
    const start = at + before.length + (isInBrackets ? 1 : 0);
    const next = text.slice(start, start + MAX_PATH);
    const length = next.search(isInBrackets ? />/ : ends);
    const address = length > 0 ? await toAddress(next.slice(0, length)) : null;
    done += text.slice(from, start) + (address ?? "");
    from = address === null ? start : start + length;
  }
  return done + text.slice(from);
}

/** Finds the picture file that a path in the article refers to; null if there is none in the folder. */
async function findFile(root: string, article: string, given: string): Promise<string | null> {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(given)) return null;
  const [plain = ""] = given.split(/[?#]/, 1);
  const path = decodePath(plain);
  if (path === null || !EXTENSIONS.has(extname(path).toLowerCase())) return null;
  const wanted = path.startsWith("/") ? join(root, path) : resolve(root, dirname(article), path);
  try {
    const file = await realpath(wanted);
    const isInside = file.startsWith(root.endsWith(sep) ? root : root + sep);
    return isInside && (await stat(file)).isFile() ? file : null;
  } catch {
    // The file does not exist.
    return null;
  }
}

function decodePath(path: string): string | null {
  try {
    const decoded = decodeURIComponent(path);
    return decoded.includes("\0") ? null : decoded;
  } catch {
    return null;
  }
}
