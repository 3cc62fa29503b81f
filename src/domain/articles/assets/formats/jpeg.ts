import { damaged } from "./damaged.ts";
import { readOrientation, writeOrientation } from "./exif.ts";

const END = 0xd9;
const SCAN = 0xda;
const EXIF = "Exif\0\0";
const PROFILE = "ICC_PROFILE\0";
const JFIF_LENGTH = 18;
const ADOBE_LENGTH = 16;
/** Without its components, of three bytes each. */
const FRAME_LENGTH = 10;
const RESTART_INTERVAL = 0xdd;
const RESTART_INTERVAL_LENGTH = 6;
/** Tables of Huffman codes and of quantisation, scan, end. */
const NEEDED = new Set([0xc4, 0xdb, SCAN, END]);
/** What fits into a segment beside its name and two counters. */
const PROFILE_PART = 65_519;

/** By ITU T.81, Annex B. Keeps orientation, profile, and what decoders need. @throws AppError `invalid`, RangeError. */
export function cleanJpeg(bytes: Buffer): Buffer {
  const kept: Buffer[] = [];
  let orientation = 1;
  let frame: Buffer | undefined;
  for (const { marker, segment } of segments(bytes)) {
    if (isNamed(marker, segment, 0xe1, EXIF)) orientation = readOrientation(segment.subarray(4));
    else if (isNamed(marker, segment, 0xe0, "JFIF\0")) kept.push(withoutThumbnail(segment));
    else if (isNamed(marker, segment, 0xee, "Adobe")) kept.push(...withoutTail(segment, ADOBE_LENGTH));
    else if (isFrame(marker)) kept.push(...withoutTail((frame = segment), FRAME_LENGTH + 3 * segment.readUInt8(9)));
    else if (marker === RESTART_INTERVAL) kept.push(...withoutTail(segment, RESTART_INTERVAL_LENGTH));
    // The number of lines, which only a frame without its height needs.
    else if (marker === 0xdc && frame?.readUInt16BE(5) === 0) kept.push(...withoutTail(segment, 6));
    else if (isNeeded(marker, segment)) kept.push(segment);
  }
  const exif = orientation === 1 ? [] : [toSegment(0xe1, Buffer.from(EXIF, "latin1"), writeOrientation(orientation))];
  return Buffer.concat([bytes.subarray(0, 2), ...exif, ...kept]);
}

export function readJpegProfile(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (const { marker, segment } of segments(bytes)) {
    if (isNamed(marker, segment, 0xe2, PROFILE)) parts.push(segment.subarray(4 + PROFILE.length));
  }
  parts.sort((one, other) => one.readUInt8(0) - other.readUInt8(0));
  return parts.length === 0 ? null : Buffer.concat(parts.map((part) => part.subarray(2)));
}

export function addJpegProfile(bytes: Buffer, profile: Buffer): Buffer {
  const count = Math.ceil(profile.length / PROFILE_PART);
  const parts = Array.from({ length: count }, (_, index) => {
    const part = profile.subarray(index * PROFILE_PART, (index + 1) * PROFILE_PART);
    return toSegment(0xe2, Buffer.from(PROFILE, "latin1"), Buffer.from([index + 1, count]), part);
  });
  return Buffer.concat([bytes.subarray(0, 2), ...parts, bytes.subarray(2)]);
}

/** Whether its colours are those of printing, which no codec of ours decodes. */
export function isForPrinting(bytes: Buffer): boolean {
  for (const { marker, segment } of segments(bytes)) if (isFrame(marker)) return segment.readUInt8(9) === 4;
  return false;
}

/** Start of frame: size and components follow. */
export function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** All segments up to the end; that of a scan includes its data. */
function* segments(bytes: Buffer): Generator<{ marker: number; segment: Buffer }> {
  for (let at = 2; ;) {
    if (bytes.readUInt8(at) !== 0xff) throw damaged();
    const marker = bytes.readUInt8(at + 1);
    // Fill bytes, and markers without a length.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || isRestart(marker)) at += 2;
    else if (marker === END) return yield { marker, segment: bytes.subarray(at, at + 2) };
    else {
      const length = bytes.readUInt16BE(at + 2);
      const end = marker === SCAN ? findEndOfScan(bytes, at + 2 + length) : at + 2 + length;
      if (length < 2 || end > bytes.length) throw damaged();
      yield { marker, segment: bytes.subarray(at, end) };
      at = end;
    }
  }
}

function findEndOfScan(bytes: Buffer, from: number): number {
  for (let at = from; ;) {
    at = bytes.indexOf(0xff, at);
    if (at < 0) throw damaged();
    const next = bytes.readUInt8(at + 1);
    if (next === 0xff) at += 1;
    else if (next === 0 || isRestart(next)) at += 2;
    else return at;
  }
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7;
}

/** Tables, scans, the end and the profile. Arithmetic coding has tables of its own (DAC), but no browser decodes it. */
function isNeeded(marker: number, segment: Buffer): boolean {
  return NEEDED.has(marker) || isNamed(marker, segment, 0xe2, PROFILE);
}

/** The segment at this length, with nothing behind; none if it is shorter. */
function withoutTail(segment: Buffer, length: number): Buffer[] {
  if (segment.length < length) return [];
  return [toSegment(segment.readUInt8(1), segment.subarray(4, length))];
}

function isNamed(marker: number, segment: Buffer, wanted: number, name: string): boolean {
  return marker === wanted && segment.toString("latin1", 4, 4 + name.length) === name;
}

function withoutThumbnail(segment: Buffer): Buffer {
  if (segment.length < JFIF_LENGTH) throw damaged();
  return toSegment(0xe0, segment.subarray(4, JFIF_LENGTH - 2), Buffer.from([0, 0]));
}

function toSegment(marker: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(2 + body.length, 2);
  return Buffer.concat([head, body]);
}
