/** `export --with-assets` and its way back; archives that somebody has tampered with. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { importArchive } from "../../src/operations/articles/assets/asset-archive.ts";
import { addAsset, assetUrl, listLibrary, openAsset } from "../../src/operations/articles/assets/assets.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import { createWebsite, getWebsite } from "../../src/operations/website/websites.ts";
import { TAR_END, tarHeader, tarPadding } from "../../src/operations/articles/assets/tar.ts";
import { CHIEF } from "../helpers/articles.ts";
import { runCli } from "../helpers/cli-in-process.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { makeSite } from "../helpers/site.ts";

const FROM = { ROSTRUM_PUBLIC_URL: "https://old.example.com" };
const TO = { ROSTRUM_PUBLIC_URL: "https://new.example.com" };

/** An archive of these entries; a type other than "0" makes a link, a folder or a device of it. */
function tar(entries: [name: string, content: string | Buffer, type?: string][]): Buffer {
  const parts = entries.flatMap(([name, content, type = "0"]) => {
    const body = Buffer.from(content);
    const header = tarHeader(name.slice(0, 100), body.length);
    header.write(type, 156, "latin1");
    header.write("        ", 148, "latin1");
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    return [header, body, tarPadding(body.length)];
  });
  return Buffer.concat([...parts, TAR_END]);
}

function texts(lines: string) {
  return lines
    .trim()
    .split("\n")
    .map((line) => record(JSON.parse(line)))
    .map(({ title, markdown, content, featured_image_url: main }) => ({ title, markdown, content, main }));
}

test("articles and pictures come back byte for byte, under the addresses of the new website", async () => {
  await using folder = await tempFolder();
  const [data, other] = [folder.at("data"), folder.at("other")];
  const [{ website: from }, { website: to }] = [await makeSite(data), await makeSite(other)];
  const pictures = [png(20, 5), png(21, 5)];
  {
    await using app = await openApp(readConfig({ ROSTRUM_DATA_DIR: data, ...FROM }, "/"));
    for (const [index, bytes] of pictures.entries()) {
      writeFileSync(folder.at("p.png"), bytes);
      const asset = await addAsset(
        app,
        from,
        { path: folder.at("p.png"), name: `P ${index}.png`, alt: `Alt ${index}` },
        CLI_ORIGIN,
      );
      const url = assetUrl(asset, { assetUrl: null }, FROM.ROSTRUM_PUBLIC_URL);
      const markdown = `![x](${url}) and "${url}?w=320", and https://old.example.com/assets/${from}/${"0".repeat(64)}/lost.png`;
      await createArticle(
        app,
        from,
        { title: `A ${index}`, markdown, featuredImageUrl: url, status: "published" },
        CHIEF,
      );
    }
  }
  const archive = folder.at("all.tar");
  const out = ["--with-assets", "--force", "--output", archive];
  assert.equal((await runCli(["export", "--website", from, ...out], { data, env: FROM })).code, 0);
  const exported = (await runCli(["export", "--website", from], { data })).stdout;

  const again = await runCli(["import", archive, "--website", from, "--json"], { data, env: FROM });
  assert.deepEqual([again.code, records(record(again.json())["skipped"])], [0, []], again.stdout);
  assert.equal(
    (await runCli(["export", "--website", from], { data })).stdout.split("\n").slice(0, 2).join("\n"),
    exported.trim(),
  );

  const done = record((await runCli(["import", archive, "--website", to, "--json"], { data: other, env: TO })).json());
  assert.deepEqual([done["created"], done["failed"], done["skipped"]], [2, [], []]);
  const back = (await runCli(["export", "--website", to], { data: other })).stdout;
  const known = exported.replaceAll(
    new RegExp(`https://old.example.com/assets/${from}/(?!0{64})`, "g"),
    `https://new.example.com/assets/${to}/`,
  );
  assert.deepEqual(texts(back), texts(known));
  {
    await using app = await openApp(readConfig({ ROSTRUM_DATA_DIR: other, ...TO }, "/"));
    for (const bytes of pictures) {
      const [hash = ""] =
        /[0-9a-f]{64}(?=\/p-\d)/.exec(back.slice(back.indexOf(bytes === pictures[0] ? "A 0" : "A 1"))) ?? [];
      const opened = await openAsset(app, to, hash);
      assert.deepEqual(readFileSync(opened?.path ?? ""), bytes);
      assert.match(opened?.asset.alt ?? "", /^Alt \d$/);
    }
  }
  const repeated = record(
    (await runCli(["import", archive, "--website", to, "--json"], { data: other, env: TO })).json(),
  );
  assert.equal(repeated["unchanged"], 2);
});

test("a website is copied within one service with new ids, and an export without the service's address says so", async () => {
  await using folder = await tempFolder();
  const site = await makeSite(folder.at("data"));
  const { data, website: from } = site;
  let to = "";
  {
    await using app = await openApp(readConfig({ ROSTRUM_DATA_DIR: data, ...FROM }, "/"));
    to = (await createWebsite(app, { name: "Copy", url: null, urlPattern: null }, CLI_ORIGIN)).id;
    writeFileSync(folder.at("p.png"), png(20, 5));
    const asset = await addAsset(app, from, { path: folder.at("p.png"), name: "p.png", alt: "P" }, CLI_ORIGIN);
    await site.create({
      title: "A",
      markdown: `![x](${assetUrl(asset, { assetUrl: null }, FROM.ROSTRUM_PUBLIC_URL)})`,
    });
  }
  const archive = folder.at("website.tar");
  const args = ["export", "--website", from, "--with-assets", "--force", "--output", archive];
  const without = await runCli(args, { data });
  assert.match(without.stderr, /set ROSTRUM_PUBLIC_URL/);
  const written = await runCli(args, { data, env: FROM });
  assert.deepEqual([written.code, written.stderr], [0, ""]);
  const load = async (...more: string[]) =>
    record((await runCli(["import", archive, "--website", to, "--json", ...more], { data, env: FROM })).json());
  assert.match(String(records((await load())["failed"])[0]?.["reason"]), /another website: import it with --new-ids/);
  assert.equal((await load("--new-ids"))["created"], 1);
  assert.equal((await load("--new-ids"))["unchanged"], 1);
  assert.match((await runCli(["export", "--website", to], { data })).stdout, new RegExp(`/assets/${to}/`));
});

test("an archive that contains anything else is refused as a whole, and writes nowhere", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  const { website } = await makeSite(data);
  const hash = "a".repeat(64);
  const header = JSON.stringify({ format: "rostrum-export", version: 1, addresses: [] });
  const line = `${JSON.stringify({ id: "x", hash, name: "x.png", alt: "", source_url: null })}\n`;
  const whole: [string, string | Buffer][] = [
    ["export.json", header],
    ["assets.ndjson", line],
    ["articles.ndjson", ""],
    [`assets/${hash}`, png(2, 2)],
  ];
  const outside = folder.at("outside");
  const hostile: [string, Buffer][] = [
    ["a path upwards", tar([...whole, ["../outside", "x"]])],
    ["a path upwards within", tar([...whole, ["assets/../../outside", "x"]])],
    ["an absolute path", tar([...whole, [outside, "x"]])],
    ["a symbolic link", tar([["articles.ndjson", "", "2"], ...whole])],
    ["a hard link", tar([[`assets/${"b".repeat(64)}`, "", "1"], ...whole])],
    ["a folder", tar([["assets/", "", "5"], ...whole])],
    ["a device", tar([["articles.ndjson", "", "3"], ...whole])],
    ["a file twice", tar([...whole, ["articles.ndjson", "{}"]])],
    ["another name", tar([...whole, ["notes.txt", "x"]])],
    ["a picture of 26 MB", tar([...whole, [`assets/${"c".repeat(64)}`, Buffer.alloc(26_000_000)]])],
    ["a long name", tar([["x".repeat(300), "", "L"], ...whole])],
    ["no articles", tar(whole.slice(0, 2))],
    ["an unknown version", tar([["export.json", header.replace("1", "2")], ...whole.slice(1)])],
    ["a list that is not one", tar([["assets.ndjson", '{"hash":"../../x"}\n'], ...whole.toSpliced(1, 1)])],
    ["cut off", tar(whole).subarray(0, 2_000)],
    ["a wrong checksum", Buffer.concat([tar(whole).fill(0x41, 1, 3)])],
  ];
  await using app = await openApp(readConfig({ ROSTRUM_DATA_DIR: data, ...TO }, "/"));
  const target = { website: await getWebsite(app, website), base: TO.ROSTRUM_PUBLIC_URL, origin: CLI_ORIGIN };
  const before = readdirSync(folder.at("."));
  for (const [what, bytes] of hostile) {
    const archive = folder.at("hostile.tar");
    writeFileSync(archive, bytes);
    await assert.rejects(importArchive(app, archive, target), (error) => {
      assert.ok(error instanceof AppError, `${what}: ${String(error)}`);
      assert.match(error.message, /^The archive/, what);
      return error.code === "invalid";
    });
    assert.ok(!existsSync(outside), what);
  }
  assert.deepEqual(
    readdirSync(folder.at("."))
      .filter((name) => name !== "hostile.tar")
      .toSorted(),
    before.toSorted(),
  );
  assert.deepEqual((await listLibrary(app, website, null, 10)).assets, []);

  writeFileSync(folder.at("wrong.tar"), tar(whole.toSpliced(3, 1, [`assets/${hash}`, "no picture"])));
  await using imported = await importArchive(app, folder.at("wrong.tar"), target);
  assert.match(JSON.stringify(imported.skipped), /not a picture/);
});
