import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { isZip, unzip } from "./zip-archive.ts";
import { zipOf } from "./zip-test-helpers.ts";

/** What an archive becomes: the name of its folder, the files with their texts, and what was left out. */
async function unpacked(bytes: Uint8Array, name = "blog.zip") {
  const folder = await mkdtemp(join(tmpdir(), "rostrum-test-"));
  try {
    await writeFile(join(folder, "upload"), bytes);
    await using zip = await unzip(join(folder, "upload"), name);
    const entries = await readdir(zip.root, { recursive: true, withFileTypes: true });
    const files: Record<string, string> = {};
    for (const entry of entries.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name);
      files[path.slice(zip.root.length + 1)] = await readFile(path, "utf8");
    }
    const skipped = zip.skipped.map((item) => (item.kind === "skipped" ? `${item.source}: ${item.reason}` : ""));
    return { folder: basename(zip.root), files, skipped };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("an archive becomes a folder with its name, and its only folder is that one", async () => {
  assert.deepEqual(await unpacked(zipOf({ "a.md": "A", "b/c.md": "C" })), {
    folder: "blog",
    files: { "a.md": "A", "b/c.md": "C" },
    skipped: [],
  });
  const inFolder = zipOf({ "site/": "", "site/a.md": "A", "__MACOSX/site/._a.md": "x", "site/.DS_Store": "x" });
  assert.deepEqual(await unpacked(inFolder), { folder: "site", files: { "a.md": "A" }, skipped: [] });
  assert.equal((await unpacked(zipOf({ ".vitepress/x": "" }))).folder, "blog");
  assert.equal((await unpacked(zipOf({ "a.md": "A" }), "...zip")).folder, "zip");
});

test("nothing reaches the disk outside the folder, and no link does", async () => {
  const { files, skipped } = await unpacked(
    zipOf([
      { name: "../up.md", content: "x" },
      { name: "a/../../up.md", content: "x" },
      { name: "/etc/x.md", content: "x" },
      { name: "..\\up.md", content: "x" },
      { name: "link.md", content: "/etc/passwd", mode: 0o120777 },
      { name: "a.md", content: "A" },
      { name: "a.md", content: "B" },
      { name: "a.md/b.md", content: "B" },
    ]),
  );
  assert.deepEqual(files, { "a.md": "A" });
  assert.deepEqual(
    skipped.map((line) => line.replace(/^.*?: /, "")),
    [
      ...Array.from({ length: 4 }, () => "Its path leads out of the archive, or is too long."),
      "It is a link to another file.",
      "The archive has a file or folder of this name already.",
      "The archive has a file or folder of this name already.",
    ],
  );
});

test("an archive that has one name a thousand times is unpacked as any other", async () => {
  const { files, skipped } = await unpacked(
    zipOf(Array.from({ length: 1_000 }, () => ({ name: "a.md", content: "A" }))),
  );
  assert.deepEqual([files, skipped.length], [{ "a.md": "A" }, 999]);
});

test("names are read as Macs, Windows and the first PCs write them", async () => {
  const { files } = await unpacked(
    zipOf([
      { name: "tä.md", content: "", flags: 0 },
      { name: Buffer.from("t\x84x.md", "latin1"), content: "", flags: 0 },
      { name: "a\\b.md", content: "", flags: 0 },
      { name: "stored.md", content: "S", method: 0 },
    ]),
  );
  assert.deepEqual(Object.keys(files).sort(), ["a/b.md", "stored.md", "tä.md", "täx.md"]);
});

test("archives in which there are only archives are parts of one", async () => {
  const parts = zipOf({ "Part-1.zip": zipOf({ "a.md": "A" }), "Part-2.zip": zipOf({ "b.md": "B", "c.zip": "not" }) });
  assert.deepEqual((await unpacked(parts)).files, { "a.md": "A", "b.md": "B", "c.zip": "not" });
  assert.deepEqual(Object.keys((await unpacked(zipOf({ "a.md": "A", "b.zip": zipOf({}) }))).files), ["a.md", "b.zip"]);
});

test("what is broken, encrypted, or unpacks to too much is refused whole", async () => {
  const whole = zipOf({ "a.md": "A".repeat(1000), "b.md": "B" });
  const half = zipOf({ "a.md": new Uint8Array(60_000_000) });
  const cases: [Uint8Array, RegExp][] = [
    [whole.subarray(0, -30), /broken or cut off/],
    [Buffer.concat([whole.subarray(0, 20), whole.subarray(40)]), /broken or cut off/],
    [zipOf([{ name: "a.md", content: "A", crc: 1 }]), /broken or cut off/],
    [zipOf([{ name: "a.md", content: "AAAA", size: 1 }]), /broken or cut off/],
    [zipOf([{ name: "a.md", content: "A", flags: 0x801 }]), /is encrypted: unpack it/],
    [zipOf([{ name: "a.md", content: "A", flags: 0x841 }]), /is encrypted: unpack it/],
    [zipOf([{ name: "a.md", content: "A", method: 9 }]), /method that is not supported/],
    [zipOf([{ name: "a.md", content: "A", size: 200_000_000 }]), /holds more than 100 MB: unpack it/],
    [zipOf({ "1.zip": half, "2.zip": half }), /holds more than 100 MB/],
  ];
  const before = (await readdir(tmpdir())).filter((name) => name.startsWith("rostrum-import-"));
  for (const [bytes, message] of cases) await assert.rejects(unpacked(bytes), { code: "invalid", message });
  const after = (await readdir(tmpdir())).filter((name) => name.startsWith("rostrum-import-"));
  assert.deepEqual(
    after.filter((name) => name.includes(`-${process.pid}@`)),
    before.filter((name) => name.includes(`-${process.pid}@`)),
  );
});

test("a document that is a zip archive by its form is none to unpack", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rostrum-test-"));
  const is = async (name: string, bytes: Uint8Array) => {
    await writeFile(join(folder, "x"), bytes);
    return isZip(join(folder, "x"), name);
  };
  try {
    assert.equal(await is("a.zip", zipOf({ "a.md": "A" })), true);
    assert.equal(await is("a.zip", zipOf({})), true);
    assert.equal(await is("a.docx", zipOf({ "a.xml": "" })), false);
    assert.equal(await is("upload", zipOf({ "[Content_Types].xml": "<x/>", "word/document.xml": "<x/>" })), false);
    const epub = { name: "mimetype", content: "application/epub+zip", method: 0 };
    assert.equal(await is("upload", zipOf([epub])), false);
    assert.equal(await is("a.md", Buffer.from("text")), false);
    assert.equal(await isZip(folder, "folder"), false);
  } finally {
    await rm(folder, { recursive: true });
  }
});
