/**
 * The process that reads untrusted pictures, started by pictures.ts, which kills it when a picture exceeds a limit. It has no
 * secrets and no connections.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { AppError } from "../domain/system/errors.ts";
import { MAX_ASSET_BYTES } from "../domain/articles/assets/asset.ts";
import { readPictureHeader, sniffPicture } from "../domain/articles/assets/picture-header.ts";
import { cleanSvg, isSvg } from "../domain/articles/assets/svg.ts";
import type { InspectedPicture } from "./messages.ts";
import { serve } from "./serve.ts";

serve(() => async (message) => {
  if (message.type !== "inspect") throw new Error(`nothing to ${message.type} here`);
  return { type: "inspected", picture: await inspect(message.path) };
});

async function inspect(path: string): Promise<InspectedPicture> {
  const bytes = await readFile(path);
  if (bytes.length > MAX_ASSET_BYTES) throw new AppError("invalid", "The picture is too large.");
  const type = sniffPicture(bytes);
  if (type !== undefined) {
    return { facts: readPictureHeader(bytes, type), hash: hashOf(bytes), bytes: bytes.length, svg: null };
  }
  if (!isSvg(bytes)) {
    throw new AppError(
      "invalid",
      "This is not a picture that can be used: choose a PNG, JPEG, WebP, AVIF, GIF or SVG file.",
    );
  }
  const { svg, facts } = cleanSvg(bytes.toString("utf8"));
  const cleaned = Buffer.from(svg);
  return { facts, hash: hashOf(cleaned), bytes: cleaned.length, svg };
}

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
