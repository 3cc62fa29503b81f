/** What uploaded pictures lose and keep, and that damaged ones are refused: by real files, in the process that reads them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ContentCounters } from "../../src/content-processes/processes.ts";
import type { InspectedPicture } from "../../src/content-processes/picture-worker.ts";
import { PicturePool } from "../../src/content-processes/pictures.ts";
import { readOrientation } from "../../src/domain/articles/assets/formats/exif.ts";
import { cleanAvif } from "../../src/domain/articles/assets/formats/avif.ts";
import { readJpegProfile } from "../../src/domain/articles/assets/formats/jpeg.ts";
import { readPngProfile } from "../../src/domain/articles/assets/formats/png.ts";
import { readWebpProfile } from "../../src/domain/articles/assets/formats/webp.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import { tempFolder } from "../helpers/folder.ts";

/** Each has Exif, XMP, comments or texts that begin with "Secret", and those that are `turned` an orientation and a profile. */
const FIXTURES = join(import.meta.dirname, "../fixtures/pictures");
const read = (name: string) => readFileSync(join(FIXTURES, name));
const NAMES = readdirSync(FIXTURES).toSorted();

let pool: PicturePool;
let files: Awaited<ReturnType<typeof tempFolder>>;
let count = 0;

before(async () => {
  pool = new PicturePool(new ContentCounters());
  files = await tempFolder();
});
after(async () => {
  await pool[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
});

async function inspect(bytes: Buffer): Promise<InspectedPicture & { cleaned: Buffer }> {
  const [path, cleaned] = [files.at(`${++count}`), files.at(`${count}.cleaned`)];
  writeFileSync(path, bytes);
  return { ...(await pool.inspect("website", path, cleaned)), cleaned: readFileSync(cleaned) };
}

async function clean(name: string): Promise<Buffer> {
  return (await inspect(read(name))).cleaned;
}

async function isRefused(bytes: Buffer): Promise<boolean> {
  try {
    await inspect(bytes);
    return false;
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, "invalid");
    return true;
  }
}

test("places, cameras, authors and comments are removed, and cleaning again changes nothing", async () => {
  for (const name of NAMES) {
    const given = read(name);
    const { cleaned, facts } = await inspect(given);
    assert.doesNotMatch(cleaned.toString("latin1"), /Secret/, name);
    if (name !== "printing.jpg") assert.match(given.toString("latin1"), /Secret|eXIf/, name);
    const again = await inspect(cleaned);
    assert.deepEqual(again.cleaned, cleaned, name);
    assert.deepEqual(again.facts, facts, name);
  }
});

test("the orientation and the colour profile are kept", async () => {
  const [jpeg, webp, plain] = [await clean("turned.jpg"), await clean("turned.webp"), await clean("turned.png")];
  for (const cleaned of [jpeg, webp, plain]) {
    const at = cleaned.indexOf("MM\0*");
    assert.equal(readOrientation(cleaned.subarray(at)), 6);
  }
  assert.deepEqual(readJpegProfile(jpeg), readJpegProfile(read("turned.jpg")));
  assert.deepEqual(readWebpProfile(webp), readWebpProfile(read("turned.webp")));
  assert.deepEqual(readPngProfile(plain), readPngProfile(read("turned.png")));
  assert.ok((readPngProfile(plain)?.length ?? 0) > 100);
  assert.deepEqual((await inspect(read("turned.jpg"))).facts, { type: "image/jpeg", width: 16, height: 24 });
});

test("bytes after the end of a picture are removed", async () => {
  for (const name of NAMES) {
    const { cleaned } = await inspect(read(name));
    const longer = await inspect(Buffer.concat([read(name), Buffer.from("<script>Secret")]));
    assert.deepEqual(longer.cleaned, cleaned, name);
  }
});

function segment(marker: number, body: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(2 + body.length, 2);
  return Buffer.concat([head, body]);
}

function box(type: string, body: Buffer = Buffer.from(`${type === "meta" ? "\0\0\0\0" : ""}Secret`)): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, body]);
}

/** Numbers of the given sizes, in bytes. */
function fields(...all: [value: number, bytes: number][]): Buffer {
  return Buffer.concat(
    all.map(([value, bytes]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntBE(value, 0, bytes);
      return field;
    }),
  );
}

test("what a JPEG or an AVIF can hide where decoders do not look is removed", async () => {
  const jpeg = read("turned.jpg");
  const adobe = Buffer.from("41646f62650064000000000001", "hex").subarray(0, 12);
  const hidden = [0xee, 0xdc, 0xcc, 0xdd, 0xf3, 0xdf].map((marker) =>
    segment(marker, Buffer.concat([marker === 0xee ? adobe : Buffer.alloc(2), Buffer.from("Secret")])),
  );
  const { cleaned } = await inspect(Buffer.concat([jpeg.subarray(0, 2), ...hidden, jpeg.subarray(2)]));
  assert.doesNotMatch(cleaned.toString("latin1"), /Secret/);
  assert.match(cleaned.toString("latin1"), /Adobe/);

  const avif = read("still.avif");
  const plain = (await inspect(avif)).cleaned;
  for (const type of ["uuid", "udta", "meta", "free", "abcd"]) {
    const longer = await inspect(Buffer.concat([avif, box(type), Buffer.from("Secret")]));
    assert.deepEqual(longer.cleaned, plain, type);
    // Where it stands before the picture, space stays in its place; the offsets are those of the file.
    const between = cleanAvif(Buffer.concat([avif, box(type), box("mdat")]));
    assert.doesNotMatch(between.toString("latin1", plain.length, between.length - box("mdat").length), /Secret/, type);
  }
});

test("what no item and no sample of an AVIF refers to is removed, and so are items that are no picture", async () => {
  const avif = read("still.avif");
  const longer = Buffer.concat([avif, Buffer.from("Secret")]);
  const at = longer.indexOf("mdat") - 4;
  longer.writeUInt32BE(longer.readUInt32BE(at) + 6, at);
  const { cleaned, facts } = await inspect(longer);
  assert.doesNotMatch(cleaned.toString("latin1"), /Secret/);
  assert.deepEqual(facts, (await inspect(avif)).facts);

  const ftyp = box("ftyp", Buffer.from("avif\0\0\0\0avif"));
  const version = (number: number) => fields([number, 1], [0, 3]);
  const entry = (id: number, type: string) =>
    box("infe", Buffer.concat([version(2), fields([id, 2], [0, 2]), Buffer.from(`${type}\0`)]));
  const entries = [entry(1, "av01"), entry(2, "abcd"), entry(3, "av01")];
  const iinf = box("iinf", Buffer.concat([version(0), fields([3, 2]), ...entries]));
  const location = (id: number, method: number, offset: number, length: number) =>
    fields([id, 2], [method, 2], [0, 2], [1, 2], [offset, 4], [length, 4]);
  const meta = (data: number) => {
    const locations = [location(1, 0, data + 6, 4), location(2, 0, data + 10, 6), location(3, 1, 6, 4)];
    const iloc = box("iloc", Buffer.concat([version(1), fields([0x44, 1], [0, 1], [3, 2]), ...locations]));
    return box("meta", Buffer.concat([version(0), iinf, iloc, box("idat", Buffer.from("SecretkeptSecret"))]));
  };
  const media = box("mdat", Buffer.from("SecretkeptSecretSecret"));
  const start = ftyp.length + meta(0).length + 8;
  const items = cleanAvif(Buffer.concat([ftyp, meta(start), media]));
  assert.doesNotMatch(items.toString("latin1"), /Secret/);
  assert.equal(items.toString("latin1").match(/kept/g)?.length, 2);

  const samples = [
    box("stsz", Buffer.concat([version(0), fields([0, 4], [3, 4], [2, 4], [1, 4], [1, 4])])),
    box("stsc", Buffer.concat([version(0), fields([2, 4], [1, 4], [2, 4], [1, 4], [2, 4], [1, 4], [1, 4])])),
  ];
  const moov = (data: number) => {
    const chunks = box("stco", Buffer.concat([version(0), fields([2, 4], [data + 6, 4], [data + 15, 4])]));
    const table = box("stbl", Buffer.concat([...samples, chunks]));
    return box("moov", box("trak", box("mdia", box("minf", table))));
  };
  const track = box("mdat", Buffer.from("SecretkepSecrettSecret"));
  const sequence = cleanAvif(Buffer.concat([ftyp, moov(ftyp.length + moov(0).length + 8), track]));
  assert.equal(sequence.subarray(-22).toString("latin1").replaceAll("\0", "."), "......kep......t......");
});

test("a picture that is cut off anywhere is refused, with a sentence", async () => {
  for (const name of NAMES) {
    const { cleaned } = await inspect(read(name));
    for (const part of [0.3, 0.6, 0.9, 0.99]) {
      assert.ok(await isRefused(cleaned.subarray(0, Math.floor(part * cleaned.length))), `${name} ${part}`);
    }
  }
  await assert.rejects(inspect(read("turned.jpg").subarray(0, -40)), /damaged or incomplete\. Save it again/);
});

test("a picture with a good header and damaged pixels is refused", async () => {
  const jpeg = await clean("turned.jpg");
  const early = Buffer.concat([jpeg.subarray(0, -80), Buffer.from([0xff, 0xd9])]);
  assert.ok(await isRefused(early), "a JPEG that ends too early");
  for (const [name, from] of [
    ["turned.png", (bytes: Buffer) => bytes.indexOf("IDAT") + 4],
    ["still.avif", (bytes: Buffer) => bytes.length - 60],
    ["moving.gif", (bytes: Buffer) => bytes.length - 300],
  ] as const) {
    const bytes = Buffer.from(await clean(name));
    for (let at = from(bytes), to = at + 50; at < to; at++) bytes[at] = (at * 151) & 0xff;
    assert.ok(await isRefused(bytes), name);
  }
  const frames = await clean("moving.webp");
  frames.fill(0, frames.lastIndexOf("VP8 ") + 8, frames.lastIndexOf("VP8 ") + 14);
  assert.ok(await isRefused(frames), "a later frame without its header");
});

test("whatever bytes are changed, a picture is accepted or refused, and the process keeps running", async () => {
  const rounds = process.env["ROSTRUM_TEST_THOROUGH"] === "1" ? 400 : 20;
  let seed = Number(process.env["ROSTRUM_TEST_SEED"] ?? 1);
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (const name of NAMES) {
    for (let round = 0; round < rounds; round++) {
      const bytes = read(name);
      for (let change = random(6); change >= 0; change--) bytes[random(bytes.length)] = random(256);
      await isRefused(bytes);
    }
  }
});
