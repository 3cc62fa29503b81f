/** Reads a picture's type and size from its bytes, whatever its name. Decodes nothing, never reads beyond the end. */
import { AppError } from "../../system/errors.ts";
import { type AssetType, MAX_ASSET_PIXELS, type PictureFacts } from "./asset.ts";
import { readOrientation } from "./formats/exif.ts";
import { isFrame } from "./formats/jpeg.ts";

const MAX_SIDE = 65_535;
const MAX_BOX_DEPTH = 4;

/** @returns undefined if the file has none of the formats. SVG is text, and recognised by svg.ts. */
export function sniffPicture(bytes: Buffer): Exclude<AssetType, "image/svg+xml"> | undefined {
  const is = (at: number, text: string) => bytes.toString("latin1", at, at + text.length) === text;
  if (is(0, "\x89PNG\r\n\x1a\n")) return "image/png";
  if (is(0, "\xff\xd8\xff")) return "image/jpeg";
  if (is(0, "GIF87a") || is(0, "GIF89a")) return "image/gif";
  if (is(0, "RIFF") && is(8, "WEBP")) return "image/webp";
  if (is(4, "ftypavif") || is(4, "ftypavis")) return "image/avif";
  return undefined;
}

/** @throws AppError `invalid` when the size cannot be read or exceeds a limit. */
export function readPictureHeader(bytes: Buffer, type: Exclude<AssetType, "image/svg+xml">): PictureFacts {
  let size: Size | undefined;
  try {
    size = READERS[type](bytes);
  } catch (error) {
    // A read beyond the end of the bytes.
    if (!(error instanceof RangeError)) throw error;
  }
  if (size === undefined || size.width === 0 || size.height === 0) {
    throw new AppError(
      "invalid",
      "The picture is damaged: its size cannot be read. Save it again, then try once more.",
    );
  }
  assertSize(size);
  return { type, ...size };
}

/** @throws AppError `invalid`. */
export function assertSize({ width, height }: Size): void {
  if (width <= MAX_SIDE && height <= MAX_SIDE && width * height <= MAX_ASSET_PIXELS) return;
  throw new AppError(
    "invalid",
    `The picture has ${width} × ${height} pixels; at most ${MAX_ASSET_PIXELS / 1_000_000} megapixels are accepted. Make it smaller.`,
  );
}

interface Size {
  width: number;
  height: number;
}

const READERS = {
  "image/png": (bytes: Buffer) =>
    bytes.toString("latin1", 12, 16) === "IHDR"
      ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
      : undefined,
  "image/gif": (bytes: Buffer) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  "image/jpeg": readJpeg,
  "image/webp": readWebp,
  "image/avif": (bytes: Buffer) => findSpatialExtent(bytes, 0, bytes.length, 0),
} satisfies Record<Exclude<AssetType, "image/svg+xml">, (bytes: Buffer) => Size | undefined>;

function readJpeg(bytes: Buffer): Size | undefined {
  let isTurned = false;
  for (let at = 2; ;) {
    if (bytes.readUInt8(at) !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    // Fill bytes, and markers without a length.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else {
      const length = bytes.readUInt16BE(at + 2);
      if (length < 2) return undefined;
      if (isFrame(marker)) {
        const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
        return isTurned ? { width: height, height: width } : { width, height };
      }
      // The picture's data begins, or the file ends, before any size.
      if (marker === 0xda || marker === 0xd9) return undefined;
      if (marker === 0xe1) isTurned = readOrientation(bytes.subarray(at + 4, at + 2 + length)) >= 5;
      at += 2 + length;
    }
  }
}

function readWebp(bytes: Buffer): Size | undefined {
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      if (bytes.readUInt8(20) !== 0x2f) return undefined;
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      if (bytes.readUIntBE(23, 3) !== 0x9d012a) return undefined;
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** Boxes that contain others, each with the number of bytes before its first child. */
const CONTAINERS: Record<string, number> = { meta: 12, iprp: 8, ipco: 8 };

/** The largest `ispe` of an AVIF. The others belong to its tiles and its transparency. */
function findSpatialExtent(bytes: Buffer, from: number, to: number, depth: number): Size | undefined {
  let largest: Size | undefined;
  const consider = (size: Size | undefined) => {
    if (size !== undefined && size.width * size.height > (largest?.width ?? 0) * (largest?.height ?? 0)) largest = size;
  };
  for (let at = from; at + 8 <= to;) {
    const declared = bytes.readUInt32BE(at);
    // 0 means up to the end of the file; 1 announces a 64-bit length, which no supported picture needs before its size.
    const length = declared === 0 ? to - at : declared;
    if (length < 8 || at + length > to) break;
    const name = bytes.toString("latin1", at + 4, at + 8);
    const inner = CONTAINERS[name];
    if (name === "ispe") consider({ width: bytes.readUInt32BE(at + 12), height: bytes.readUInt32BE(at + 16) });
    else if (inner !== undefined && depth < MAX_BOX_DEPTH) {
      consider(findSpatialExtent(bytes, at + inner, at + length, depth + 1));
    }
    at += length;
  }
  return largest;
}
