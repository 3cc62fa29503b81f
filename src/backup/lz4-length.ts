/**
 * How many bytes an LZ4 file decodes to, without decoding them. Litestream names each part of the log by its offset, and applies a
 * log with a missing part without a word, up to the hole: only the lengths tell (restore-database.ts).
 */
const MAGIC = 0x184d2204;
/** Bits of the frame's flags. */
const HAS_BLOCK_CHECKSUMS = 0x10;
const HAS_CONTENT_SIZE = 0x08;
const HAS_DICTIONARY = 0x01;
const IS_STORED = 0x80000000;

/** @throws RangeError if the file is cut off or is no LZ4 frame. */
export function lz4Length(file: Buffer): number {
  if (file.readUInt32LE(0) !== MAGIC) throw new RangeError("no LZ4 frame");
  const flags = file.readUInt8(4);
  let at = 7 + (flags & HAS_CONTENT_SIZE ? 8 : 0) + (flags & HAS_DICTIONARY ? 4 : 0);
  let length = 0;
  for (;;) {
    const header = file.readUInt32LE(at);
    at += 4;
    if (header === 0) return length;
    const isStored = header >= IS_STORED;
    const size = isStored ? header - IS_STORED : header;
    const end = at + size;
    if (end > file.length) throw new RangeError("the LZ4 frame is cut off");
    length += isStored ? size : blockLength(file, at, end);
    at = end + (flags & HAS_BLOCK_CHECKSUMS ? 4 : 0);
  }
}

function blockLength(file: Buffer, from: number, end: number): number {
  let at = from;
  let length = 0;
  /** A length's further bytes, each 255 but the last. */
  const more = () => {
    let sum = 0;
    for (;;) {
      const byte = file.readUInt8(at++);
      sum += byte;
      if (byte !== 255) return sum;
    }
  };
  while (at < end) {
    const token = file.readUInt8(at++);
    let literals = token >> 4;
    if (literals === 15) literals += more();
    at += literals;
    length += literals;
    // The last sequence has no match.
    if (at >= end) break;
    at += 2;
    const match = token & 15;
    length += match + 4 + (match === 15 ? more() : 0);
  }
  return length;
}
