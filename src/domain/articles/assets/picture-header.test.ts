import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../system/errors.ts";
import { assetName } from "./asset.ts";
import { readPictureHeader, sniffPicture } from "./picture-header.ts";

function facts(bytes: Buffer) {
  const type = sniffPicture(bytes);
  assert.ok(type !== undefined);
  return readPictureHeader(bytes, type);
}

function hex(...parts: (string | Buffer)[]): Buffer {
  return Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part.replaceAll(" ", ""), "hex") : part)),
  );
}

const PNG = (size: string) => hex("89504e470d0a1a0a 0000000d", Buffer.from("IHDR"), size, "0802000000");
const SOF = "ffc0 0011 08 0010 0020 03";
const EXIF = (entry: string) =>
  hex("ffe1 0022", Buffer.from("Exif\0\0"), Buffer.from("MM\0*"), "00000008 0001", entry, "00000000");
const box = (name: string, ...inner: Buffer[]): Buffer => {
  const body = Buffer.concat(inner);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(8 + body.length);
  return Buffer.concat([length, Buffer.from(name), body]);
};
const ispe = (width: number, height: number) => {
  const size = Buffer.alloc(12);
  size.writeUInt32BE(width, 4);
  size.writeUInt32BE(height, 8);
  return box("ispe", size);
};
const AVIF = Buffer.concat([
  box("ftyp", Buffer.from("avif\0\0\0\0mif1")),
  box("meta", Buffer.alloc(4), box("iprp", box("ipco", ispe(16, 16), ispe(640, 480)))),
]);

test("the type and the size are those of the bytes", () => {
  const found: [Buffer, string, number, number][] = [
    [PNG("00000020 00000010"), "image/png", 32, 16],
    [hex(Buffer.from("GIF89a"), "2000 1000"), "image/gif", 32, 16],
    [hex("ffd8 ffe0 0004 0000 ff", SOF), "image/jpeg", 32, 16],
    [hex("ffd8", EXIF("0112 0003 00000001 0006 0000"), SOF), "image/jpeg", 16, 32],
    [hex("ffd8", EXIF("0112 0003 00000001 0003 0000"), SOF), "image/jpeg", 32, 16],
    [hex(Buffer.from("RIFF\0\0\0\0WEBPVP8X"), "0a000000 00000000 1f0000 0f0000"), "image/webp", 32, 16],
    [hex(Buffer.from("RIFF\0\0\0\0WEBPVP8L"), "0a000000 2f 1fc00300"), "image/webp", 32, 16],
    [hex(Buffer.from("RIFF\0\0\0\0WEBPVP8 "), "0a000000 000000 9d012a 2000 1000"), "image/webp", 32, 16],
    [AVIF, "image/avif", 640, 480],
  ];
  for (const [bytes, type, width, height] of found) assert.deepEqual(facts(bytes), { type, width, height }, type);
});

test("a picture that is cut off anywhere, or has a size beyond the limits, is refused", () => {
  const whole = [PNG("00000020 00000010"), hex("ffd8 ffe0 0004 0000", SOF), AVIF];
  for (const bytes of whole) {
    for (let length = 12; length < bytes.length - 5; length++) {
      try {
        facts(bytes.subarray(0, length));
      } catch (error) {
        assert.ok(error instanceof AppError && error.code === "invalid", `${length} bytes: ${String(error)}`);
      }
    }
  }
  for (const size of ["7fffffff 7fffffff", "0000ea60 0000ea60", "00000000 00000010", "ffffffff 00000001"]) {
    assert.throws(() => facts(PNG(size)), AppError, size);
  }
  assert.throws(() => facts(hex("ffd8 ffda 0008 000000000000", SOF)), AppError);
  assert.throws(() => facts(hex("ffd8 ffe0 0000", SOF)), AppError);
  assert.throws(
    () => facts(Buffer.concat([box("ftyp", Buffer.from("avif")), Buffer.from([0, 0, 0, 0, 0, 0, 0, 0])])),
    AppError,
  );
});

test("other files are refused, whatever they contain further on", () => {
  for (const text of [
    "<html><img src=x onerror=alert(1)>",
    "%PDF-1.4",
    "PK\u0003\u0004",
    "",
    "RIFF\0\0\0\0WAVE",
    "BM",
  ]) {
    assert.equal(sniffPicture(Buffer.from(text, "latin1")), undefined, text);
  }
});

test("a name becomes part of a URL, with the extension of the detected type", () => {
  const names: [string, string][] = [
    ["Red Kettle (1).PNG", "red-kettle-1.png"],
    ["../../etc/passwd", "passwd.png"],
    ["C:\\Users\\x\\Bild.jpeg", "bild.png"],
    ["a.php.jpg", "a-php.png"],
    ['"; rm -rf.png', "rm-rf.png"],
    ["evil.svg\r\nX-Header: 1", "evil.png"],
    ["湯沸かし.jpg", "湯沸かし.png"],
    ["....", "picture.png"],
    ["", "picture.png"],
    [".htaccess", "htaccess.png"],
    ["\u202Egpj.exe", "gpj.png"],
  ];
  for (const [given, expected] of names) assert.equal(assetName(given, "image/png"), expected, given);
});
