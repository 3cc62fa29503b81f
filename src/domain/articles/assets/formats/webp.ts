/** The chunks of a WebP (Google, WebP Container Specification). */
import { damaged } from "./damaged.ts";
import { readOrientation, writeOrientation } from "./exif.ts";

/** `RIFF`, the length, `WEBP`. */
const HEADER = 12;
const KEPT = new Set(["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"]);
const HAS_PROFILE = 0x20;
const HAS_ALPHA = 0x10;
const HAS_EXIF = 0x08;
const HAS_XMP = 0x04;
const FRAME_HEADER = 16;

/** Keeps orientation, colour profile, and what decoders need. @throws AppError `invalid`, RangeError if cut off. */
export function cleanWebp(bytes: Buffer): Buffer {
  const found = [...chunks(readBody(bytes))];
  const exif = found.find(({ name }) => name === "EXIF");
  const orientation = exif === undefined ? 1 : readOrientation(exif.data);
  const kept = found
    .filter(({ name }) => KEPT.has(name))
    .map(({ name, data }) => {
      if (name !== "VP8X" || data.length === 0) return toChunk(name, data);
      const header = Buffer.from(data);
      const flags = header.readUInt8(0) & ~(HAS_EXIF | HAS_XMP);
      header.writeUInt8(orientation === 1 ? flags : flags | HAS_EXIF, 0);
      return toChunk(name, header);
    });
  if (orientation !== 1) kept.push(toChunk("EXIF", writeOrientation(orientation)));
  return toFile(kept);
}

export function readWebpProfile(bytes: Buffer): Buffer | null {
  for (const { name, data } of chunks(readBody(bytes))) if (name === "ICCP") return data;
  return null;
}

/** A still WebP that has no profile, with this one. */
export function addWebpProfile(bytes: Buffer, profile: Buffer, { width, height }: Size): Buffer {
  const found = [...chunks(readBody(bytes))].filter(({ name }) => name !== "VP8X");
  const hasAlpha = found.some(({ name }) => name === "ALPH" || name === "VP8L");
  return toFile([
    toCanvas(width, height, HAS_PROFILE | (hasAlpha ? HAS_ALPHA : 0)),
    toChunk("ICCP", profile),
    ...found.map(({ name, data }) => toChunk(name, data)),
  ]);
}

/** The frames of a moving WebP, each as a still one; null for one that does not move. */
export function readWebpFrames(bytes: Buffer): Buffer[] | null {
  const frames: Buffer[] = [];
  for (const { name, data } of chunks(readBody(bytes))) {
    if (name !== "ANMF") continue;
    const [width, height] = [data.readUIntLE(6, 3) + 1, data.readUIntLE(9, 3) + 1];
    const parts = [...chunks(data.subarray(FRAME_HEADER))].filter((part) => KEPT.has(part.name));
    const hasAlpha = parts.some((part) => part.name === "ALPH" || part.name === "VP8L");
    frames.push(
      toFile([
        toCanvas(width, height, hasAlpha ? HAS_ALPHA : 0),
        ...parts.map((part) => toChunk(part.name, part.data)),
      ]),
    );
  }
  return frames.length === 0 ? null : frames;
}

/** Whether the picture neither moves nor has to be turned by whoever shows it. */
export function isPlainWebp(bytes: Buffer): boolean {
  for (const { name } of chunks(readBody(bytes))) if (name === "ANIM" || name === "EXIF") return false;
  return true;
}

interface Size {
  width: number;
  height: number;
}

function readBody(bytes: Buffer): Buffer {
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) throw damaged();
  return bytes.subarray(HEADER, end);
}

function* chunks(body: Buffer): Generator<{ name: string; data: Buffer }> {
  for (let at = 0; at < body.length;) {
    const length = body.readUInt32LE(at + 4);
    const end = at + 8 + length;
    if (end > body.length) throw damaged();
    yield { name: body.toString("latin1", at, at + 4), data: body.subarray(at + 8, end) };
    at = end + (length % 2);
  }
}

function toCanvas(width: number, height: number, flags: number): Buffer {
  const header = Buffer.alloc(10);
  header.writeUInt8(flags, 0);
  header.writeUIntLE(width - 1, 4, 3);
  header.writeUIntLE(height - 1, 7, 3);
  return toChunk("VP8X", header);
}

function toChunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

function toFile(parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.from("RIFF\0\0\0\0WEBP", "latin1");
  head.writeUInt32LE(4 + body.length, 4);
  return Buffer.concat([head, body]);
}
