/** The blocks of a GIF (CompuServe, GIF89a). It is checked here by itself, since no pixels are needed for that. */
import { damaged } from "./damaged.ts";

const IMAGE = 0x2c;
const EXTENSION = 0x21;
const TRAILER = 0x3b;
const TIMING = 0xf9;
const APPLICATION = 0xff;
/** How often a picture repeats, and its colour profile. */
const KEPT_APPLICATIONS = new Set(["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]);
const MAX_CODES = 4_096;

/** Removes metadata and what follows the end. @throws AppError `invalid`, also for damaged pixels, RangeError. */
export function cleanGif(bytes: Buffer): Buffer {
  let at = 13 + colourTableLength(bytes.readUInt8(10));
  const kept: Buffer[] = [bytes.subarray(0, at)];
  let images = 0;
  for (;;) {
    const from = at;
    const kind = bytes.readUInt8(at);
    if (kind === TRAILER) break;
    if (kind === IMAGE) {
      const [width, height] = [bytes.readUInt16LE(at + 5), bytes.readUInt16LE(at + 7)];
      const codeSizeAt = at + 10 + colourTableLength(bytes.readUInt8(at + 9));
      const { data, end } = readBlocks(bytes, codeSizeAt + 1);
      checkPixels(data, bytes.readUInt8(codeSizeAt), width * height);
      images++;
      at = end;
    } else if (kind === EXTENSION) at = readBlocks(bytes, at + 2).end;
    else throw damaged();
    if (kind === IMAGE || isNeeded(bytes, from)) kept.push(bytes.subarray(from, at));
  }
  if (images === 0) throw damaged();
  return Buffer.concat([...kept, Buffer.from([TRAILER])]);
}

function isNeeded(bytes: Buffer, at: number): boolean {
  const label = bytes.readUInt8(at + 1);
  if (label !== APPLICATION) return label === TIMING;
  return KEPT_APPLICATIONS.has(bytes.toString("latin1", at + 3, at + 14));
}

/** @param flags the byte that announces the table. */
function colourTableLength(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

function readBlocks(bytes: Buffer, from: number): { data: Buffer; end: number } {
  const parts: Buffer[] = [];
  for (let at = from; ;) {
    const length = bytes.readUInt8(at);
    if (at + 1 + length > bytes.length) throw damaged();
    if (length === 0) return { data: Buffer.concat(parts), end: at + 1 };
    parts.push(bytes.subarray(at + 1, at + 1 + length));
    at += 1 + length;
  }
}

/** Follows the codes of an image's LZW data, counting the pixels that each stands for. @throws AppError `invalid`. */
function checkPixels(data: Buffer, codeSize: number, wanted: number): void {
  if (codeSize < 1 || codeSize > 11) throw damaged();
  const clear = 2 ** codeSize;
  const lengths = new Uint16Array(MAX_CODES).fill(1, 0, clear);
  let [known, width, previous] = [clear + 2, codeSize + 1, -1];
  let [bits, bitCount, pixels] = [0, 0, 0];
  for (const byte of data) {
    bits |= byte << bitCount;
    bitCount += 8;
    while (bitCount >= width) {
      const code = bits & (2 ** width - 1);
      bits >>>= width;
      bitCount -= width;
      if (code === clear) [known, width, previous] = [clear + 2, codeSize + 1, -1];
      else if (code === clear + 1) {
        if (pixels < wanted) throw damaged();
        return;
      } else {
        if (code > known || (code === known && previous < 0)) throw damaged();
        if (previous >= 0 && known < MAX_CODES) {
          lengths[known++] = (lengths[previous] ?? 0) + 1;
          if (known === 2 ** width && width < 12) width++;
        }
        pixels += lengths[code] ?? 0;
        previous = code;
        if (pixels >= wanted) return;
      }
    }
  }
  if (pixels < wanted) throw damaged();
}
