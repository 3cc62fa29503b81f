/** Reads untrusted pictures, without secrets and connections; pictures.ts kills it when one exceeds a limit. */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { AppError } from "../domain/system/errors.ts";
import { type AssetType, MAX_ASSET_BYTES, type PictureFacts } from "../domain/articles/assets/asset.ts";
import { cleanAvif, readAvifProfile } from "../domain/articles/assets/formats/avif.ts";
import { damaged } from "../domain/articles/assets/formats/damaged.ts";
import { cleanGif } from "../domain/articles/assets/formats/gif.ts";
import { addJpegProfile, cleanJpeg, isForPrinting, readJpegProfile } from "../domain/articles/assets/formats/jpeg.ts";
import { addPngProfile, cleanPng, isPlainPng, readPngProfile } from "../domain/articles/assets/formats/png.ts";
import { addWebpProfile, cleanWebp, isPlainWebp, readWebpProfile } from "../domain/articles/assets/formats/webp.ts";
import { readPictureHeader, sniffPicture } from "../domain/articles/assets/picture-header.ts";
import type { Rendition, RenditionType } from "../domain/articles/assets/rendition.ts";
import { cleanSvg, isSvg } from "../domain/articles/assets/svg.ts";
import { checkPixels, decode, encode, isTransparent, type PixelType, resize } from "./codecs.ts";
import { answerService } from "./answer-service.ts";

export interface InspectedPicture {
  facts: PictureFacts;
  /** SHA-256 of the cleaned file, hexadecimal. */
  hash: string;
  bytes: number;
}

export interface RenderRequest extends Rendition {
  path: string;
  target: string;
}

const CLEANERS = {
  "image/png": cleanPng,
  "image/jpeg": cleanJpeg,
  "image/webp": cleanWebp,
  "image/avif": cleanAvif,
  "image/gif": cleanGif,
} satisfies Record<Exclude<AssetType, "image/svg+xml">, (bytes: Buffer) => Buffer>;

const calls = { inspect, render };
export type PictureCalls = typeof calls;

answerService(calls);

/** Checks a picture's file and writes it without metadata to `cleaned`, which must not exist. */
async function inspect({ path, cleaned }: { path: string; cleaned: string }): Promise<InspectedPicture> {
  const bytes = await readFile(path);
  if (bytes.length > MAX_ASSET_BYTES) throw new AppError("invalid", "The picture is too large.");
  const { facts, file } = await clean(bytes);
  await writeFile(cleaned, file, { flag: "wx", mode: 0o600 });
  return { facts, hash: createHash("sha256").update(file).digest("hex"), bytes: file.length };
}

async function clean(bytes: Buffer): Promise<{ facts: PictureFacts; file: Buffer }> {
  const type = sniffPicture(bytes);
  if (type !== undefined) {
    const facts = readPictureHeader(bytes, type);
    const file = withoutMetadata(bytes, type);
    if (type !== "image/gif") await checkPixels(file, type);
    return { facts, file };
  }
  if (!isSvg(bytes)) {
    throw new AppError(
      "invalid",
      "This is not a picture that can be used: choose a PNG, JPEG, WebP, AVIF, GIF or SVG file.",
    );
  }
  const { svg, facts } = cleanSvg(bytes.toString("utf8"));
  return { facts, file: Buffer.from(svg) };
}

function withoutMetadata(bytes: Buffer, type: keyof typeof CLEANERS): Buffer {
  try {
    return CLEANERS[type](bytes);
  } catch (error) {
    // Beyond the end of the bytes.
    throw error instanceof RangeError ? damaged(error) : error;
  }
}

/**
 * Writes a form of a picture to `target`, which must not exist: nothing for one that moves, is damaged, or that no
 * codec of ours decodes.
 */
async function render({ path, target, ...rendition }: RenderRequest): Promise<void> {
  const bytes = await readFile(path);
  let file: Buffer | null = null;
  try {
    file = await makeRendition(bytes, rendition);
  } catch (error) {
    // The file was damaged after its upload.
    const isDamaged = error instanceof RangeError || (error instanceof AppError && error.code === "invalid");
    if (!isDamaged) throw error;
  }
  await writeFile(target, file ?? "", { flag: "wx", mode: 0o600 });
}

async function makeRendition(bytes: Buffer, { width, type }: Rendition): Promise<Buffer | null> {
  const from = sniffPicture(bytes);
  if (from === undefined || from === "image/gif" || !IS_STILL[from](bytes)) return null;
  readPictureHeader(bytes, from);
  const pixels = await decode(bytes, from);
  const height = Math.max(1, Math.round((pixels.height * width) / pixels.width));
  const to = type ?? (isTransparent(pixels) ? "image/png" : "image/jpeg");
  const smaller = width < pixels.width ? await resize(pixels, { width, height }) : pixels;
  const file = await encode(smaller, to);
  const profile = PROFILES[from](bytes);
  return profile?.toString("latin1", 16, 20) === "RGB " ? withProfile(file, to, profile, smaller) : file;
}

const IS_STILL = {
  "image/jpeg": (bytes) => !isForPrinting(bytes),
  "image/png": isPlainPng,
  "image/webp": isPlainWebp,
  "image/avif": (bytes) => bytes.toString("latin1", 8, 12) === "avif",
} satisfies Record<PixelType, (bytes: Buffer) => boolean>;

const PROFILES = {
  "image/jpeg": readJpegProfile,
  "image/png": readPngProfile,
  "image/webp": readWebpProfile,
  "image/avif": readAvifProfile,
} satisfies Record<PixelType, (bytes: Buffer) => Buffer | null>;

function withProfile(
  file: Buffer,
  type: RenditionType,
  profile: Buffer,
  size: { width: number; height: number },
): Buffer {
  if (type === "image/webp") return addWebpProfile(file, profile, size);
  return type === "image/jpeg" ? addJpegProfile(file, profile) : addPngProfile(file, profile);
}
