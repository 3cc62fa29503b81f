/** Pictures beside imported files become the website's. */
import assert from "node:assert/strict";
import { PROSE } from "../helpers/articles.ts";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { followPublicUrl } from "../../src/operations/articles/assets/move-pictures.ts";
import { openAsset } from "../../src/operations/articles/assets/assets.ts";
import { SERVES_MS, spawnCli } from "../helpers/cli.ts";
import { runCli } from "../helpers/cli-in-process.ts";
import { zipOf } from "../../src/operations/articles/import/zip-test-helpers.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { until } from "../helpers/until.ts";
import { makeSite } from "../helpers/site.ts";

const BASE = "https://articles.example.com";

test("pictures that texts name by relative paths come with them; nothing outside the folder is read", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  const { website } = await makeSite(data);
  const bytes = png(3, 4);
  const files: Record<string, string | Buffer> = {
    "secret.png": png(9, 9),
    "blog/static/top.png": png(5, 5),
    "blog/posts/pic one.png": bytes,
    "blog/posts/broken.png": "no picture",
    "blog/posts/notes.txt": "not a picture by its name",
    "blog/posts/a.md": [
      "---\ntitle: A\n---",
      "![One](pic%20one.png) and ![again](<pic one.png>) and ![top](/static/top.png?v=2 'Title')",
      '<img src="../posts/pic one.png" alt="x">',
      "![broken](broken.png) ![gone](gone.png) [text](notes.txt) ![far](https://example.com/far.png)",
      "![outside](../../secret.png) ![link](linked.png) ![up](..%2f..%2fsecret.png)",
    ].join("\n\n"),
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(folder.at(name)), { recursive: true });
    writeFileSync(folder.at(name), content);
  }
  symlinkSync(folder.at("secret.png"), folder.at("blog/posts/linked.png"));
  const env = { ROSTRUM_PUBLIC_URL: BASE };
  const run = async (...more: string[]) => {
    const args = ["import", folder.at("blog"), "--website", website, "--json", ...more];
    return record((await runCli(args, { data, env })).json());
  };
  const tried = await run("--dry-run");
  assert.equal(tried["created"], 1);
  const done = await run();
  assert.equal(done["created"], 1);
  const skipped = records(done["skipped"]).find(({ source }) => source === "posts/broken.png");
  assert.match(String(skipped?.["reason"]), /not a picture/);

  const exported = await runCli(["export", "--website", website], { data });
  const { markdown } = record(JSON.parse(exported.stdout));
  const text = String(markdown);
  const urls = [...text.matchAll(/https:\/\/articles\.example\.com\/assets\/[^)\s">]+/g)].map(([url]) => url);
  assert.equal(urls.length, 4, text);
  const [one, again, top, inHtml] = urls;
  assert.deepEqual([again, inHtml], [one, one]);
  assert.match(String(one), /\/pic-one\.png$/);
  assert.match(String(top), /\/top\.png$/);
  for (const left of ["broken.png", "gone.png", "notes.txt", "example.com/far.png", "secret.png", "linked.png"]) {
    assert.ok(text.includes(left), `${left}: ${text}`);
  }
  await using app = await openApp(readConfig({ ROSTRUM_DATA_DIR: data }, folder.path));
  const [, , , , site = "", hash = ""] = String(one).split("/");
  assert.equal((await openAsset(app, site, hash))?.asset.bytes, bytes.length);
  const count = await app.store.read((db) => db.get("SELECT count(*) AS n FROM assets"));
  assert.equal(Number(count?.n), 2);

  assert.equal((await run())["unchanged"], 1, "the same once more");
});

test("pictures of a site come from beside the file, its front matter and its static folders, without a public address", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  const { website } = await makeSite(data);
  const files: Record<string, string | Buffer> = {
    "site/hugo.toml": 'baseURL = "https://e.example/b/"\n',
    "site/static/img/top.png": png(5, 5),
    "site/content/posts/bundle/index.md": [
      "---\ntitle: A\ncover:\n  image: cover.png\n  alt: Cover\n---",
      "![in](in.png) ![top](/img/top.png) ![top](/b/img/top.png) ![top](https://e.example/b/img/top.png)",
      "![by name][p] `![in](in.png)`\n\n[p]: in.png",
      "<img src='in.png'> <img alt=x src=in.png>",
      "![gone](gone.png) ![gone](/img/gone.png)",
      PROSE,
    ].join("\n\n"),
    "site/content/posts/bundle/cover.png": png(6, 6),
    "site/content/posts/bundle/in.png": png(7, 7),
    "site/content/posts/bundle/other.png": png(8, 8),
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(folder.at(name)), { recursive: true });
    writeFileSync(folder.at(name), content);
  }
  const run = async (...more: string[]) => {
    const args = ["import", folder.at("site/content"), "--website", website, ...more];
    return (await runCli(args, { data })).stdout;
  };
  const right = { imported: 3, missing: 2 };
  assert.deepEqual(record(JSON.parse(await run("--dry-run", "--json")))["pictures"], right);
  const done = record(JSON.parse(await run("--json")));
  assert.deepEqual([done["created"], done["pictures"]], [1, right]);
  assert.deepEqual(done["warning_counts"], { picture_missing: 2 });
  assert.deepEqual(
    records(done["skipped"]).map(({ source }) => source),
    ["posts/bundle/other.png"],
  );
  assert.match(await run(), /1 unchanged[^]*\nPictures: 3 imported, 2 missing\.\n/);
  const {
    markdown,
    featured_image_url: main,
    featured_image_alt: alt,
  } = record(JSON.parse((await runCli(["export", "--website", website], { data })).stdout));
  assert.match(String(main), /^http:\/\/[^/]+\/assets\/.*\/cover\.png$/);
  assert.equal(alt, "Cover");
  const text = String(markdown).replaceAll(/http:\/\/[^/]+\/assets\/[\w-]+\/\w+\//g, "@");
  assert.equal(
    text,
    [
      "![in](@in.png) ![top](@top.png) ![top](@top.png) ![top](@top.png)",
      "![by name][p] `![in](in.png)`\n\n[p]: @in.png",
      "<img src='@in.png'> <img alt=x src=@in.png>",
      "![gone](gone.png) ![gone](/img/gone.png)",
      PROSE,
    ].join("\n\n"),
  );
});

test("a killed import leaves no picture without its whole file, and goes on when it is run again", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  const { website } = await makeSite(data);
  mkdirSync(folder.at("blog"));
  for (let index = 1; index <= 60; index++) {
    writeFileSync(folder.at(`blog/${index}.png`), png(index, 300));
    writeFileSync(folder.at(`blog/${index}.md`), `---\ntitle: A ${index}\n---\n![x](${index}.png)\n`);
  }
  const env = { ROSTRUM_PUBLIC_URL: BASE };
  const args = ["import", folder.at("blog"), "--website", website, "--json"];
  await using app = await openApp(readConfig({ ROSTRUM_DATA_DIR: data }, folder.path));
  const list = () => app.store.read((db) => db.all("SELECT id, hash, bytes FROM assets"));
  const child = spawnCli(args, { data, env, withinMs: SERVES_MS });
  const closed = once(child, "close");
  await until("some pictures are there", async () => (await list()).length >= 5, SERVES_MS);
  assert.deepEqual([child.exitCode, child.signalCode], [null, null], "it was quicker than the kill");
  child.kill("SIGKILL");
  await closed;
  const kept = await list();
  for (const { id, hash, bytes } of kept) {
    const file = readFileSync(`${data}/assets/${website}/${hash}.${id}`);
    assert.equal(file.length, bytes);
    assert.equal(createHash("sha256").update(file).digest("hex"), hash);
  }
  const done = record((await runCli(args, { data, env })).json());
  assert.equal(Number(done["created"]) + Number(done["unchanged"]), 60);
  assert.equal((await list()).length, 60);
});

test("a zip archive gives the articles and pictures of its folder", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  const { website } = await makeSite(data);
  const files = { "blog/a.md": "---\ntitle: A\n---\n![One](one.png)", "blog/one.png": png(3, 4) };
  writeFileSync(folder.at("export.zip"), zipOf(files));
  const env = { ROSTRUM_PUBLIC_URL: BASE };
  const run = (path: string) => runCli(["import", path, "--website", website, "--json"], { data, env });
  assert.equal(record((await run(folder.at("export.zip"))).json())["created"], 1);
  assert.match(
    (await runCli(["export", "--website", website], { data })).stdout,
    /articles\.example\.com\/assets\/.*one\.png/,
  );
  mkdirSync(folder.at("blog"));
  for (const [name, content] of Object.entries(files)) writeFileSync(folder.at(name), content);
  assert.equal(record((await run(folder.at("blog"))).json())["unchanged"], 1);
  writeFileSync(folder.at("export.zip"), zipOf(files).subarray(0, 200));
  assert.match((await run(folder.at("export.zip"))).stderr, /zip archive is broken or cut off/);
});

test("pictures follow the service to a public address that it gets later, and approvals stay valid", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  const { website } = await makeSite(data);
  mkdirSync(folder.at("blog"));
  for (const name of ["a", "b"]) writeFileSync(folder.at(`blog/${name}.png`), png(3, name === "a" ? 4 : 5));
  const text =
    "---\ntitle: A\nstatus: approved\nimage: b.png\n---\n![One](a.png), ![far](https://example.com/far.png)\n";
  writeFileSync(folder.at("blog/a.md"), text);
  writeFileSync(folder.at("blog/c.md"), "---\ntitle: C\n---\nNo picture.\n");
  // Its author's Markdown is not what is delivered.
  writeFileSync(folder.at("blog/e.md"), '---\ntitle: E\n---\n<figure>\n  <img src="a.png" alt="One">\n</figure>\n');
  const bring = () => runCli(["import", folder.at("blog"), "--website", website, "--json"], { data });
  await bring();
  const read = async () => {
    const lines = (await runCli(["export", "--website", website], { data })).stdout.trim().split("\n");
    return record(lines.map((line) => record(JSON.parse(line))).find(({ title }) => title === "A"));
  };
  const serve = async (address: string) => {
    const env = { ROSTRUM_PUBLIC_URL: address };
    await using app = await openApp(readConfig({ ROSTRUM_DATA_DIR: data, ...env }, folder.path));
    app.startContentProcess();
    for await (const _batch of followPublicUrl(app, address, assert.ifError)) await setImmediate();
  };
  assert.match(String((await read())["markdown"]), /^!\[One\]\(http:\/\/[^/]+\/assets\//);
  for (const address of [BASE, "https://other.example.net/b"]) {
    await serve(address);
    const article = await read();
    assert.ok(String(article["featured_image_url"]).startsWith(`${address}/assets/`));
    assert.ok(String(article["markdown"]).startsWith(`![One](${address}/assets/`), String(article["markdown"]));
    assert.ok(String(article["markdown"]).endsWith("![far](https://example.com/far.png)"));
    assert.ok(String(article["content"]).includes(`src="${address}/assets/`));
  }
  const moved = (await runCli(["export", "--website", website], { data })).stdout;
  const places = Array.from(moved.matchAll(/https?:\/\/[^\s"\\]+?(?=\/assets\/)/g), ([place]) => place);
  assert.deepEqual([...new Set(places)], ["https://other.example.net/b"]);
  const { version } = await read();
  await serve("https://other.example.net/b");
  assert.equal((await read())["version"], version);
  const published = await runCli(["article", "publish", String((await read())["id"])], { data });
  assert.equal(published.code, 0, published.stderr);
  // A second import recognises the articles, and new pictures have the new address at once.
  writeFileSync(folder.at("blog/d.md"), "---\ntitle: D\n---\n![One](a.png)\n");
  const again = record((await bring()).json());
  assert.deepEqual([again["unchanged"], again["created"]], [3, 1]);
  assert.match(
    (await runCli(["export", "--website", website], { data })).stdout,
    /One\]\(https:\/\/other\.example\.net\/b\/assets[^"]*"[^\n]*"D"|"D"[^\n]*One\]\(https:\/\/other/,
  );
});
