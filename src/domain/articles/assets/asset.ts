/** Assets are pictures that a website keeps in Rostrum. A "picture" is any image, also in a text or at another host. */
import type { Millis } from "../../system/time.ts";
import { AppError } from "../../system/errors.ts";
import { MAX_SLUG_LENGTH, slugify } from "../content/slug.ts";

export const ASSET_EXTENSIONS = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/avif": "avif",
  "image/gif": "gif",
  "image/svg+xml": "svg",
} as const;
export type AssetType = keyof typeof ASSET_EXTENSIONS;

export const MAX_ASSET_BYTES = 25_000_000;
/** Maximum size of one picture; decoding takes four bytes per pixel. */
export const MAX_ASSET_PIXELS = 50_000_000;
export const MAX_ALT_LENGTH = 1_000;

export interface Asset {
  /** UUIDv7. */
  id: string;
  websiteId: string;
  /** SHA-256 of the stored file, hexadecimal. */
  hash: string;
  /** The last part of its URL, such as `red-kettle.jpg`. */
  name: string;
  type: AssetType;
  bytes: number;
  /** Pixels, as displayed. */
  width: number;
  height: number;
  /** Alternative text for readers who cannot see the picture; may be empty. */
  alt: string;
  /** The URL that an import copied it from. */
  sourceUrl: string | null;
  /** An account's id, `cli` or `import`. */
  createdBy: string;
  createdAt: Millis;
}

export interface PictureFacts {
  type: AssetType;
  width: number;
  height: number;
}

export function assetName(given: string, type: AssetType): string {
  const file =
    given
      .slice(-4 * MAX_SLUG_LENGTH)
      .split(/[/\\]/)
      .at(-1) ?? "";
  const dot = file.lastIndexOf(".");
  const base = (dot > 0 ? file.slice(0, dot) : file).trim();
  // slugify names an empty title "article".
  const slug = /[\p{L}\p{N}]/u.test(base) ? slugify(base) : "picture";
  return `${slug}.${ASSET_EXTENSIONS[type]}`;
}

/** The path of an asset's URL, to be appended to the public URL of the service or of a CDN. */
export function assetPath({ websiteId, hash, name }: Pick<Asset, "websiteId" | "hash" | "name">): string {
  return `/assets/${websiteId}/${hash}/${encodeURIComponent(name)}`;
}

/** The hash of the website's picture that a URL names, at any host; only for the original size. */
export function findAssetHash(websiteId: string, url: string): string | undefined {
  const [, owner, hash] = /\/assets\/([0-9a-f-]{36})\/([0-9a-f]{64})\/[^/?#]+$/.exec(url) ?? [];
  return owner === websiteId ? hash : undefined;
}

/** The form of what `assetKey` returns. */
export const ASSET_KEY = /^[0-9a-f-]{36}\/[0-9a-f]{64}\.[0-9a-f-]{36}$/;

export function assetKey({ websiteId, hash, id }: Pick<Asset, "websiteId" | "hash" | "id">): string {
  return `${websiteId}/${hash}.${id}`;
}

/** @throws AppError `invalid`. */
export function parseAlt(text: string): string {
  const alt = text
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim();
  if (alt.length <= MAX_ALT_LENGTH) return alt;
  throw new AppError("invalid", `An alternative text has at most ${MAX_ALT_LENGTH} characters.`, { field: "alt" });
}
