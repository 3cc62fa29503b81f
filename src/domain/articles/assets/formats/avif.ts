/** The metadata of an AVIF (ISO/IEC 23008-12): items of the file beside that of the picture. */
import { damaged } from "./damaged.ts";

const EMPTY_EXIF = Buffer.from("00000000 4d4d002a 00000008 0000 00000000".replaceAll(" ", ""), "hex");

/** Items that are a picture, or are put together from others. */
const PICTURES: ReadonlySet<string> = new Set(["av01", "grid", "iovl", "iden", "tmap"]);

type Range = readonly [start: number, end: number];

/**
 * Empties Exif and XMP, and what no picture refers to, in place, so that all offsets stay. Neither decides how the
 * picture looks: an AVIF is turned by properties of its own. @throws AppError `invalid`, RangeError if cut off.
 */
export function cleanAvif(bytes: Buffer): Buffer {
  const cleaned = withoutForeignBoxes(Buffer.from(bytes));
  const inner = findBox(cleaned, "meta")?.subarray(4) ?? NOTHING;
  const items = readItems(findBox(inner, "iinf"));
  const idat = findBox(inner, "idat");
  const [used, usedInIdat] = [findSamples(cleaned), [] as Range[]];
  for (const { id, method, extents } of readLocations(findBox(inner, "iloc"))) {
    const type = items.get(id) ?? "";
    const isMetadata = type === "Exif" || type === "mime";
    if (method > 1 || (!isMetadata && !PICTURES.has(type))) continue;
    const source = method === 1 ? idat : cleaned;
    for (const { offset, length } of extents) {
      const end = length === 0 ? (source?.length ?? 0) : offset + length;
      if (source === null || end > source.length) throw damaged();
      (method === 1 ? usedInIdat : used).push([offset, end]);
      if (!isMetadata) continue;
      const data = source.subarray(offset, end);
      data.fill(type === "Exif" ? 0 : 0x20);
      if (type === "Exif" && extents.length === 1) EMPTY_EXIF.copy(data);
    }
  }
  if (idat !== null) emptyUnused(idat, [0, idat.length], usedInIdat);
  for (const { type, content, to } of boxes(cleaned)) if (type === "mdat") emptyUnused(cleaned, [content, to], used);
  return cleaned;
}

const NOTHING = Buffer.alloc(0);

function emptyUnused(bytes: Buffer, [from, to]: Range, used: readonly Range[]): void {
  let at = from;
  for (const [start, end] of used.toSorted((one, other) => one[0] - other[0])) {
    if (start >= to) break;
    if (start > at) bytes.fill(0, at, start);
    at = Math.max(at, end);
  }
  if (at < to) bytes.fill(0, at, to);
}

/** Where the pictures of a sequence are. */
function findSamples(bytes: Buffer): Range[] {
  const moov = findBox(bytes, "moov") ?? NOTHING;
  const tracks = [...boxes(moov)].filter(({ type }) => type === "trak");
  return tracks.flatMap(({ content, to }) => {
    const track = moov.subarray(content, to);
    const table = ["mdia", "minf", "stbl"].reduce<Buffer | null>((box, name) => box && findBox(box, name), track);
    return table === null ? [] : readChunks(table);
  });
}

/** Reads the chunks in the table of a track's samples (ISO/IEC 14496-12, 8.7). */
function readChunks(table: Buffer): Range[] {
  const [sizes, groups] = [findBox(table, "stsz"), findBox(table, "stsc")];
  const [short, long] = [findBox(table, "stco"), findBox(table, "co64")];
  const offsets = short ?? long;
  if (sizes === null || groups === null || offsets === null) return [];
  const sameSize = sizes.readUInt32BE(4);
  const ranges: Range[] = [];
  let [group, perChunk, sample] = [0, 0, 0];
  for (let chunk = 0; chunk < offsets.readUInt32BE(4); chunk++) {
    // Each group begins with a chunk, counted from 1.
    if (group < groups.readUInt32BE(4) && groups.readUInt32BE(8 + 12 * group) <= chunk + 1) {
      perChunk = groups.readUInt32BE(12 + 12 * group);
      group++;
    }
    const start = short === null ? Number(offsets.readBigUInt64BE(8 + 8 * chunk)) : offsets.readUInt32BE(8 + 4 * chunk);
    let length = sameSize * perChunk;
    if (sameSize === 0) {
      for (const end = sample + perChunk; sample < end; sample++) length += sizes.readUInt32BE(12 + 4 * sample);
    }
    ranges.push([start, start + length]);
  }
  return ranges;
}

/** What a picture or sequence needs, by where it is; all else (`uuid`, `udta`, another `meta`) can hold metadata. */
const NEEDED: Record<string, ReadonlySet<string>> = {
  "": new Set(["ftyp", "meta", "mdat", "moov"]),
  meta: new Set(["hdlr", "pitm", "iloc", "iinf", "iprp", "iref", "idat", "grpl", "dinf"]),
};
/** Boxes within which these are empty space, too: named by their path. */
const INSIDE = new Set(["meta", "iprp", "ipco", "moov", "trak", "mdia", "minf", "stbl"]);
const FOREIGN = new Set(["uuid", "udta", "udes", "free", "skip", "meta"]);

/** Boxes that can hold metadata become empty space, so that offsets stay; the end after the last needed box is cut. */
function withoutForeignBoxes(bytes: Buffer): Buffer {
  const found = new Set<string>();
  let end = 0;
  for (const { type, start, content, to } of boxes(bytes)) {
    if (NEEDED[""]?.has(type) === true && !(type !== "mdat" && found.has(type))) {
      if (INSIDE.has(type)) emptyInside(bytes.subarray(type === "meta" ? content + 4 : content, to), type);
      found.add(type);
      end = to;
    } else {
      bytes.write("free", start + 4, "latin1");
      bytes.fill(0, content, to);
    }
  }
  return bytes.subarray(0, end);
}

function emptyInside(bytes: Buffer, within: string): void {
  for (const { type, start, content, to } of boxes(bytes)) {
    const isNeeded = NEEDED[within]?.has(type) ?? !FOREIGN.has(type);
    if (!isNeeded) {
      bytes.write("free", start + 4, "latin1");
      bytes.fill(0, content, to);
    } else if (INSIDE.has(type)) emptyInside(bytes.subarray(content, to), type);
  }
}

function* boxes(bytes: Buffer): Generator<{ type: string; start: number; content: number; to: number }> {
  for (let start = 0; start + 8 <= bytes.length;) {
    const declared = bytes.readUInt32BE(start);
    const isLong = declared === 1 && start + 16 <= bytes.length;
    const length = isLong ? Number(bytes.readBigUInt64BE(start + 8)) : declared === 0 ? bytes.length - start : declared;
    if (length < (isLong ? 16 : 8) || start + length > bytes.length) return;
    const to = start + length;
    yield { type: bytes.toString("latin1", start + 4, start + 8), start, content: start + (isLong ? 16 : 8), to };
    start = to;
  }
}

/** The ICC profile of an AVIF; null if it has none. */
export function readAvifProfile(bytes: Buffer): Buffer | null {
  const meta = findBox(bytes, "meta");
  const properties = meta && findBox(meta.subarray(4), "iprp");
  const list = properties && findBox(properties, "ipco");
  const colour = list && findBox(list, "colr");
  return colour?.toString("latin1", 0, 4) === "prof" ? colour.subarray(4) : null;
}

function findBox(bytes: Buffer, wanted: string): Buffer | null {
  for (let at = 0; at + 8 <= bytes.length;) {
    const declared = bytes.readUInt32BE(at);
    const isLong = declared === 1;
    const length = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : declared === 0 ? bytes.length - at : declared;
    if (length < 8 || at + length > bytes.length) throw damaged();
    if (bytes.toString("latin1", at + 4, at + 8) === wanted) return bytes.subarray(at + (isLong ? 16 : 8), at + length);
    at += length;
  }
  return null;
}

/** The types of the items, by their ids. */
function readItems(iinf: Buffer | null): Map<number, string> {
  const items = new Map<number, string>();
  if (iinf === null) return items;
  for (let at = iinf.readUInt8(0) === 0 ? 6 : 8; at + 8 <= iinf.length;) {
    const length = iinf.readUInt32BE(at);
    if (length < 8 || at + length > iinf.length) throw damaged();
    const isWide = iinf.readUInt8(at + 8) >= 3;
    const id = isWide ? iinf.readUInt32BE(at + 12) : iinf.readUInt16BE(at + 12);
    const typeAt = at + (isWide ? 18 : 16);
    items.set(id, iinf.toString("latin1", typeAt, typeAt + 4));
    at += length;
  }
  return items;
}

interface ItemLocation {
  id: number;
  /** 0: in the file; 1: in the box `idat`. */
  method: number;
  extents: { offset: number; length: number }[];
}

function readLocations(iloc: Buffer | null): ItemLocation[] {
  if (iloc === null) return [];
  const version = iloc.readUInt8(0);
  let at = 4;
  const read = (size: number) => {
    const value = size === 0 ? 0 : size === 8 ? Number(iloc.readBigUInt64BE(at)) : iloc.readUIntBE(at, size);
    at += size;
    return value;
  };
  const sizes = read(2);
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexSize = version === 0 ? 0 : sizes & 15;
  const count = read(version < 2 ? 2 : 4);
  const found: ItemLocation[] = [];
  for (let item = 0; item < count; item++) {
    const id = read(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : read(2) & 15;
    read(2);
    const base = read(baseSize);
    const extents: ItemLocation["extents"] = [];
    for (let extent = read(2); extent > 0; extent--) {
      read(indexSize);
      extents.push({ offset: base + read(offsetSize), length: read(lengthSize) });
    }
    found.push({ id, method, extents });
  }
  return found;
}
