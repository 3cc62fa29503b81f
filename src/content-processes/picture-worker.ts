/**
 * The process that reads untrusted pictures, started by pictures.ts, which kills it when a picture exceeds a limit. It has no
 * secrets and no connections.
 */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { AppError } from "../domain/system/errors.ts";
import { type AssetType, MAX_ASSET_BYTES, type PictureFacts } from "../domain/articles/assets/asset.ts";
import { cleanAvif } from "../domain/articles/assets/formats/avif.ts";
import { damaged } from "../domain/articles/assets/formats/damaged.ts";
import { cleanGif } from "../domain/articles/assets/formats/gif.ts";
import { cleanJpeg } from "../domain/articles/assets/formats/jpeg.ts";
import { cleanPng } from "../domain/articles/assets/formats/png.ts";
import { cleanWebp } from "../domain/articles/assets/formats/webp.ts";
import { readPictureHeader, sniffPicture } from "../domain/articles/assets/picture-header.ts";
import { cleanSvg, isSvg } from "../domain/articles/assets/svg.ts";
import { checkPixels } from "./codecs.ts";
import type { InspectedPicture } from "./messages.ts";
import { serve } from "./serve.ts";

const CLEANERS = {
  "image/png": cleanPng,
  "image/jpeg": cleanJpeg,
  "image/webp": cleanWebp,
  "image/avif": cleanAvif,
  "image/gif": cleanGif,
} satisfies Record<Exclude<AssetType, "image/svg+xml">, (bytes: Buffer) => Buffer>;

serve(() => async (message) => {
  if (message.type !== "inspect") throw new Error(`nothing to ${message.type} here`);
  return { type: "inspected", picture: await inspect(message.path, message.cleaned) };
});

async function inspect(path: string, cleaned: string): Promise<InspectedPicture> {
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
