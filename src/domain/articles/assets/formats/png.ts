/** The chunks of a PNG (W3C, Portable Network Graphics, third edition). */
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { damaged } from "./damaged.ts";
import { readOrientation, writeOrientation } from "./exif.ts";

const SIGNATURE = 8;
/** Length, name and checksum. */
const FRAME = 12;
/** What decides how the picture looks. All others are texts, times and metadata. */
const KEPT = new Set(
  "IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD pHYs acTL fcTL fdAT".split(" "),
);
const MAX_PROFILE_BYTES = 8_000_000;

/** Keeps orientation, colour profile, and what decoders need. @throws AppError `invalid`, RangeError if cut off. */
export function cleanPng(bytes: Buffer): Buffer {
  const kept: Buffer[] = [bytes.subarray(0, SIGNATURE)];
  for (const { name, data, chunk } of chunks(bytes)) {
    if (crc32(chunk.subarray(4, -4)) !== chunk.readUInt32BE(chunk.length - 4)) throw damaged();
    if (KEPT.has(name)) kept.push(chunk);
    else if (name === "eXIf") {
      const orientation = readOrientation(data);
      if (orientation !== 1) kept.push(toChunk("eXIf", writeOrientation(orientation)));
    }
  }
  return Buffer.concat(kept);
}

/** The colour profile of a PNG; null if it has none that can be used. */
export function readPngProfile(bytes: Buffer): Buffer | null {
  for (const { name, data } of chunks(bytes)) {
    if (name !== "iCCP") continue;
    try {
      // Before the data: the profile's name, a zero, the method of compression.
      return inflateSync(data.subarray(data.indexOf(0) + 2), { maxOutputLength: MAX_PROFILE_BYTES });
    } catch {
      return null;
    }
  }
  return null;
}

export function addPngProfile(bytes: Buffer, profile: Buffer): Buffer {
  const parts = [bytes.subarray(0, SIGNATURE)];
  for (const { name, chunk } of chunks(bytes)) {
    parts.push(chunk);
    if (name === "IHDR")
      parts.push(toChunk("iCCP", Buffer.concat([Buffer.from("icc\0\0", "latin1"), deflateSync(profile)])));
  }
  return Buffer.concat(parts);
}

/** Whether the picture is neither animated nor rotated by its metadata. */
export function isPlainPng(bytes: Buffer): boolean {
  for (const { name } of chunks(bytes)) if (name === "acTL" || name === "eXIf") return false;
  return true;
}

function* chunks(bytes: Buffer): Generator<{ name: string; data: Buffer; chunk: Buffer }> {
  for (let at = SIGNATURE; ;) {
    const end = at + FRAME + bytes.readUInt32BE(at);
    if (end > bytes.length) throw damaged();
    const name = bytes.toString("latin1", at + 4, at + 8);
    yield { name, data: bytes.subarray(at + 8, end - 4), chunk: bytes.subarray(at, end) };
    if (name === "IEND") return;
    at = end;
  }
}

function toChunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
