/** Pictures of articles: uploaded, served, and refused. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { newIdAt } from "../../src/process/uuid.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { AssetUses } from "../../src/operations/articles/assets/asset-uses.ts";
import { addAsset, removeDeletedAssets, removeOrphanedFiles } from "../../src/operations/articles/assets/assets.ts";
import { createArticle, deleteArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { loadReviewed } from "../../src/operations/articles/review/article-review.ts";
import { saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { insertAsset } from "../../src/store/articles/assets.ts";
import { putOrigin } from "../../src/store/articles/origins.ts";
import { deleteArticles } from "../../src/store/articles/purging.ts";
import type { AssetFiles } from "../../src/operations/system/deps.ts";
import { keepWorkingCopy } from "../../src/operations/articles/write/working-copies.ts";
import { deleteWebsite, removeDeletedWebsites } from "../../src/operations/website/website-deletion.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { CHIEF, DAY, withClock } from "../helpers/articles.ts";
import { tempFolder } from "../helpers/folder.ts";
import { Client, type Json, record, records } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { poison } from "../helpers/poison.ts";
import { wrapStore } from "../helpers/wrap-store.ts";
import { openTeam, type Team } from "../helpers/team.ts";
import type { Browser } from "../people/dashboard.ts";

const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'";

let team: Team;
let reader: Client;

before(async () => {
  team = await openTeam();
  reader = new Client(team.service.url);
});
after(async () => {
  reader[Symbol.dispose]();
  await team[Symbol.asyncDispose]();
  team.assertNoneFailed();
});

async function upload(body: string | Buffer, name = "a.png", more = "", as: Browser = team.editor): Promise<Json> {
  const address = `/assets?website_id=${team.service.website.id}&name=${encodeURIComponent(name)}${more}`;
  const reply = await as.sendFile(address, body);
  assert.equal(reply.status, 200, reply.text);
  return record(reply.json());
}

const pathOf = (asset: Json) => new URL(String(asset["url"])).pathname;
const folder = () => join(team.service.app.config.dataDir, "assets");
const namesOf = (list: unknown) =>
  records(list)
    .map(({ name }) => String(name))
    .toSorted();
const stored = () => globSync("*/*", { cwd: folder() }).toSorted();

test("an uploaded picture is served unchanged, publicly, and cacheable for ever", async () => {
  const bytes = png(32, 16);
  const hash = createHash("sha256").update(bytes).digest("hex");
  const asset = await upload(bytes, "Red Kettle.PNG", "&alt=A%20red%20kettle");
  assert.deepEqual(
    { ...asset, id: "", created_at: "" },
    {
      id: "",
      url: `${team.service.url}/assets/${team.service.website.id}/${hash}/red-kettle.png`,
      path: `/assets/${team.service.website.id}/${hash}/red-kettle.png`,
      name: "red-kettle.png",
      type: "image/png",
      bytes: bytes.length,
      width: 32,
      height: 16,
      alt: "A red kettle",
      source_url: null,
      created_at: "",
    },
  );
  const reply = await reader.send(pathOf(asset));
  assert.equal(reply.status, 200);
  assert.deepEqual(reply.bytes, bytes);
  const { headers } = reply;
  assert.equal(headers["content-type"], "image/png");
  assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["content-security-policy"], CONTENT_POLICY);
  assert.equal(headers["cross-origin-resource-policy"], "cross-origin");
  assert.equal(headers["content-disposition"], 'inline; filename="red-kettle.png"');
  assert.equal(headers["content-length"], String(bytes.length));
  assert.equal(headers["set-cookie"], undefined);
  const again = await reader.send(pathOf(asset), { headers: { "If-None-Match": headers["etag"] } });
  assert.equal(again.status, 304);
  const head = await reader.send(pathOf(asset), { method: "HEAD" });
  assert.equal(head.headers["content-length"], String(bytes.length));
});

test("a browser that disconnects before its picture arrives causes no error in the log", async () => {
  const path = pathOf(await upload(png(64, 64), "left.png"));
  const { hostname, port } = new URL(team.service.url);
  for (let count = 0; count < 60; count++) {
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write(`GET ${path}?${count} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    await sleep(count % 6);
    socket.resetAndDestroy();
  }
  assert.equal((await reader.send(path)).status, 200);
  assert.deepEqual(team.service.log.failures, []);
});

test("uploading the same file again returns the same picture and fills in a missing alternative text", async () => {
  const bytes = png(3, 3);
  const [first, second] = await Promise.all([upload(bytes, "x.png"), upload(bytes, "y.png")]);
  assert.equal(first["id"], second["id"]);
  const third = await upload(bytes, "z.png", "&alt=Later");
  assert.deepEqual([third["id"], third["url"], third["alt"]], [first["id"], first["url"], "Later"]);
  assert.equal((await upload(bytes, "z.png", "&alt=Other"))["alt"], "Later");
  assert.equal(stored().filter((key) => key.includes(String(first["id"]))).length, 1);
});

test("an SVG is served without its scripts, and can run nothing", async () => {
  const asset = await upload(
    '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="5" onload="alert(1)"><script>alert(2)</script><rect/></svg>',
    "evil.png",
  );
  assert.equal(asset["name"], "evil.svg");
  const reply = await reader.send(pathOf(asset));
  assert.equal(reply.headers["content-type"], "image/svg+xml");
  assert.equal(reply.headers["content-security-policy"], CONTENT_POLICY);
  assert.doesNotMatch(reply.text, /alert|script/);
  assert.match(reply.text, /<rect>/);
  const hash = createHash("sha256").update(reply.bytes).digest("hex");
  assert.ok(pathOf(asset).includes(hash), "the hash in the address is that of what is served");
});

test("the type is detected from the bytes, whatever the name says", async () => {
  const page = Buffer.concat([png(2, 2), Buffer.from("<script>alert(1)</script>")]);
  const asset = await upload(page, "page.html");
  assert.equal(asset["name"], "page.png");
  const reply = await reader.send(pathOf(asset).replace(/[^/]+$/, "page.html"));
  assert.equal(reply.headers["content-type"], "image/png");
  assert.equal(reply.headers["x-content-type-options"], "nosniff");
});

test("a file that is no picture, or too large, is refused, and leaves nothing behind", async () => {
  const before = stored();
  const address = `/assets?website_id=${team.service.website.id}&name=x.png`;
  const refused: [string, string | Buffer, number][] = [
    ["a page", "<html><script>alert(1)</script></html>", 400],
    ["nothing", "", 400],
    ["a bomb", png(4, 4, 0, { width: 60_000, height: 60_000 }), 400],
    ["a truncated header", png(4, 4).subarray(0, 20), 400],
    ["a document", "%PDF-1.7", 400],
    ["an SVG that is broken", '<svg xmlns="http://www.w3.org/2000/svg"><rect></svg>', 400],
    ["a file of 26 MB", Buffer.alloc(26_000_000), 413],
  ];
  for (const [what, body, status] of refused) {
    const reply = await team.editor.sendFile(address, body);
    assert.equal(reply.status, status, `${what}: ${reply.text}`);
  }
  assert.deepEqual(stored(), before);
});

test("the URL of no picture is a 404 and reaches no other file", async () => {
  const asset = await upload(png(7, 7));
  const path = pathOf(asset);
  const [, , website = "", hash = "", name = ""] = path.split("/");
  const other = await team.service.newWebsite();
  for (const wrong of [
    `/assets/${other.id}/${hash}/${name}`,
    `/assets/${website}/${hash.toUpperCase()}/${name}`,
    `/assets/${website}/${"0".repeat(64)}/${name}`,
    `/assets/${website}/..%2f..%2frostrum.db/${name}`,
    `/assets/..%2f/${hash}/${name}`,
    `/assets/${website}/${hash}`,
    `/assets/${website}/${hash}/a/b`,
    `/assets/`,
  ]) {
    assert.equal((await reader.send(wrong)).status, 404, wrong);
  }
  assert.equal((await reader.send(`/assets/${website}/${hash}/%2e%2e`)).headers["content-type"], "image/png");
});

test("viewers may not upload, and the form of another site cannot", async () => {
  const address = `/assets?website_id=${team.service.website.id}&name=x.png`;
  assert.equal((await team.viewer.sendFile(address, png(1, 1))).status, 403);
  for (const headers of [{ "Sec-Fetch-Site": "cross-site" }, { "Content-Type": "multipart/form-data" }]) {
    assert.equal((await team.editor.sendFile(address, png(1, 1), headers)).status, 403);
  }
});

test("URLs use the website's CDN, if it has one", async () => {
  const { app } = team.service;
  const website = await team.service.newWebsite();
  await updateWebsite(app, website.id, { assetUrl: "https://cdn.example.com/r/" }, CLI_ORIGIN);
  const reply = await team.owner.sendFile(`/assets?website_id=${website.id}&name=a.png`, png(5, 5));
  assert.match(
    String(record(reply.json())["url"]),
    /^https:\/\/cdn\.example\.com\/r\/assets\/[0-9a-f-]{36}\/[0-9a-f]{64}\/a\.png$/,
  );
  await assert.rejects(
    updateWebsite(app, website.id, { assetUrl: "ftp://x" }, CLI_ORIGIN),
    /not an address for pictures/,
  );
});

test("a picture whose file was lost is complete again once it is uploaded again", async () => {
  const { app } = team.service;
  const bytes = png(9, 9);
  const asset = await upload(bytes);
  const key = stored().find((key) => key.includes(String(asset["id"]))) ?? "";
  await app.assetFiles.remove(key);
  assert.equal((await upload(bytes))["id"], asset["id"]);
  assert.deepEqual((await reader.send(pathOf(asset))).bytes, bytes);
});

test("the files of a deleted website are removed with it", async () => {
  const { app } = team.service;
  const website = await team.service.newWebsite({ name: "Gone" });
  const reply = await team.owner.sendFile(`/assets?website_id=${website.id}&name=a.png`, png(6, 6));
  const path = pathOf(record(reply.json()));
  await deleteWebsite(app, website.id, "Gone", CLI_ORIGIN);
  assert.equal((await reader.send(path)).status, 404);
  await removeDeletedWebsites(app);
  assert.deepEqual(
    stored().filter((key) => key.startsWith(website.id)),
    [],
  );
});

test("files that interrupted uploads left are removed after a month, and no others are", async () => {
  const { app, website } = team.service;
  const deps = withClock(app, app.clock());
  const hash = "a".repeat(64);
  const keep = await upload(png(11, 11));
  const keys = [31 * DAY, 29 * DAY, 0].map((age) => `${website.id}/${hash}.${newIdAt(deps.now - age)}`);
  for (const key of keys) writeFileSync(join(folder(), key), "x");
  mkdirSync(join(folder(), "lost+found"), { recursive: true });
  writeFileSync(join(folder(), "lost+found", "notes.txt"), "not ours");
  assert.equal(await removeOrphanedFiles(deps), 1);
  assert.deepEqual(
    keys.map((key) => existsSync(join(folder(), key))),
    [false, true, true],
  );
  deps.now += 40 * DAY;
  assert.equal(await removeOrphanedFiles(deps), 2);
  assert.ok(existsSync(join(folder(), "lost+found", "notes.txt")));
  assert.equal((await reader.send(pathOf(keep))).status, 200);
});

test("the file of a deleted picture is removed a day later, unless the picture was uploaded again", async () => {
  const { app, website } = team.service;
  const deps = withClock(app, app.clock());
  await using files = await tempFolder();
  const add = async (side: number) => {
    const path = files.at(`${side}.png`);
    writeFileSync(path, png(side, side));
    return addAsset(deps, website.id, { path, name: "d.png", alt: "" }, CLI_ORIGIN);
  };
  const [gone, kept] = [await add(21), await add(22)];
  await app.store.write((db) =>
    db.run("UPDATE assets SET deleted_at = ? WHERE id IN (?, ?)", deps.now, gone.id, kept.id),
  );
  assert.equal((await reader.send(`/assets/${website.id}/${gone.hash}/d.png`)).status, 404);
  assert.equal(await removeDeletedAssets(deps), 0);
  assert.equal((await add(22)).id, kept.id);
  deps.now += DAY + 1;
  assert.equal(await removeDeletedAssets(deps), 1);
  assert.deepEqual(
    [gone, kept].map(({ id }) => stored().some((key) => key.endsWith(id))),
    [false, true],
  );
  assert.notEqual((await add(21)).id, gone.id);
});

test("a file or row that cannot be removed does not keep others from being removed", async () => {
  const { app, website } = team.service;
  const deps = withClock(app, app.clock());
  const keys = ["b", "c", "d"].map((letter) => `${website.id}/${letter.repeat(64)}.${newIdAt(deps.now - 31 * DAY)}`);
  for (const key of keys) writeFileSync(join(folder(), key), "x");
  const errors: string[] = [];
  const remove = async (key: string) => {
    if (key === keys[1]) throw new Error("not permitted");
    await app.assetFiles.remove(key);
  };
  const assetFiles = { ...bound(app.assetFiles), remove };
  await removeOrphanedFiles({ ...deps, assetFiles }, (_error, what) => errors.push(what));
  assert.deepEqual([keys.map((key) => existsSync(join(folder(), key))), errors.length], [[false, true, false], 1]);
  assert.equal(await removeOrphanedFiles(deps), 1);

  const pictures = [await upload(png(61, 61)), await upload(png(62, 62)), await upload(png(63, 63))];
  for (const { id } of pictures) await team.approver.send("DELETE", `/assets/${String(id)}`);
  const undo = await poison(app.store, "DELETE", "assets", "id", String(pictures[0]?.["id"]));
  deps.now += 2 * DAY;
  assert.equal(await removeDeletedAssets(deps, (_error, what) => errors.push(what)), 2);
  assert.equal(errors.length, 2);
  await undo();
  assert.equal(await removeDeletedAssets(deps), 1);
});

/** The methods of an object with private fields, as they can be copied. */
function bound(files: AssetFiles): AssetFiles {
  return {
    isShared: files.isShared,
    put: (key, path) => files.put(key, path),
    open: (key) => files.open(key),
    has: (key) => files.has(key),
    remove: (key) => files.remove(key),
    list: () => files.list(),
  };
}

test("files are private to the service's user", async () => {
  await upload(png(12, 12));
  for (const key of stored().filter((key) => !key.startsWith("lost"))) {
    const path = join(folder(), key);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(dirname(path)).mode & 0o777, 0o700);
  }
});

async function library(websiteId: string, as: Browser = team.owner): Promise<Json[]> {
  return records((await as.json("GET", `/assets?website_id=${websiteId}`))["assets"]);
}

test("the library lists the articles that currently use a picture", async () => {
  const { app } = team.service;
  const website = await team.service.newWebsite();
  const add = async (side: number) => {
    const reply = await team.owner.sendFile(`/assets?website_id=${website.id}&name=l.png`, png(side, side));
    return record(reply.json());
  };
  const pictures = [await add(31), await add(32), await add(33)] as const;
  const [inText, asMain, inDraft] = pictures.map(({ url }) => String(url)) as [string, string, string];
  const usedIn = async () => {
    const found = await library(website.id);
    return pictures.map(({ id }) =>
      records(found.find((one) => one["id"] === id)?.["used_in"]).map(
        ({ title, is_in_trash: isInTrash }) => `${String(title)}${isInTrash === true ? " (trash)" : ""}`,
      ),
    );
  };
  assert.deepEqual(await usedIn(), [[], [], []]);
  const text = await createArticle(
    app,
    website.id,
    { title: "Text", markdown: `![A](${inText})`, featuredImageUrl: asMain, status: "published" },
    CHIEF,
  );
  assert.deepEqual(await usedIn(), [["Text"], ["Text"], []]);
  await saveDraftCopy(app, text.article.id, { content: `<p><img src="${inDraft}" alt=""></p>` }, CHIEF);
  assert.deepEqual(await usedIn(), [["Text"], ["Text"], ["Text"]]);
  await updateArticle(app, text.article.id, { markdown: "Without.", featuredImageUrl: null }, CHIEF);
  const other = await createArticle(app, website.id, { title: "Other", markdown: `![A](${inText})` }, CHIEF);
  await deleteArticle(app, other.article.id, CHIEF);
  assert.deepEqual((await usedIn()).slice(0, 2), [["Other (trash)"], []]);
});

test("long texts are searched for pictures one after the other, and their uses are counted", async () => {
  const { app } = team.service;
  const website = await team.service.newWebsite();
  const reply = await team.owner.sendFile(`/assets?website_id=${website.id}&name=l.png`, png(34, 34));
  const picture = record(reply.json());
  const path = pathOf(picture);
  const hash = path.split("/")[3] ?? "";
  const ids: string[] = [];
  for (let no = 0; no < 101; no++) {
    const input = { title: `Number ${no}`, markdown: "Text.", featuredImageUrl: String(picture["url"]) };
    const { article } = await createArticle(app, website.id, input, CHIEF);
    ids.push(article.id);
  }
  const text = `<p>${"long ".repeat(150_000)}<img src="${path}"></p>`;
  await app.store.write(async (db) => {
    for (const id of ids.slice(0, 5)) {
      await db.run(
        "UPDATE article_bodies SET html = ? WHERE row_no = (SELECT row_no FROM articles WHERE id = ?)",
        text,
        id,
      );
      await db.run(
        "INSERT INTO draft_copies SELECT row_no, website_id, ?, 'cli', 1, '[]' FROM articles WHERE id = ?",
        JSON.stringify({ content: text }),
        id,
      );
    }
  });
  const lengths: number[] = [];
  const store = wrapStore(app.store, {
    read: async (work) => {
      const found = await app.store.read(work);
      lengths.push(JSON.stringify([found]).length);
      return found;
    },
  });
  const found = (await new AssetUses({ store }).find(website.id, [hash])).get(hash);
  assert.deepEqual([found?.count, found?.articles.length], [101, 100]);
  assert.ok(Math.max(...lengths) < 2 * text.length, `${Math.max(...lengths)} characters were read at once`);
  assert.equal((await library(website.id))[0]?.["use_count"], 101);
});

test("a picture in use is deleted only on insistence, and comes back when it is uploaded again", async () => {
  const { app, website } = team.service;
  const bytes = png(41, 41);
  const asset = await upload(bytes);
  const path = `/assets/${String(asset["id"])}`;
  await createArticle(app, website.id, { title: "Uses it", markdown: `![A](${String(asset["url"])})` }, CHIEF);
  const refused = await team.approver.send("DELETE", path);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /An article uses this picture/);
  assert.equal((await team.editor.send("DELETE", `${path}?even_if_used=true`)).status, 403);
  assert.equal((await team.approver.send("DELETE", `${path}?even_if_used=true`)).status, 204);
  assert.equal((await reader.send(pathOf(asset))).status, 404);
  assert.equal((await team.approver.send("DELETE", path)).status, 404);
  assert.ok((await library(website.id)).every(({ id }) => id !== asset["id"]));
  assert.equal((await upload(bytes))["id"], asset["id"]);
  assert.equal((await reader.send(pathOf(asset))).status, 200);
});

test("a picture that only a held change has is not unused", async () => {
  const { app } = team.service;
  const website = await team.service.newWebsite();
  const sent = await team.owner.sendFile(`/assets?website_id=${website.id}&name=held.png`, png(50, 50));
  const { id, url } = record(sent.json());
  const countUnused = async () =>
    (await team.owner.json("GET", `/assets?website_id=${website.id}&unused=true`))["unused_count"];
  assert.equal(await countUnused(), 1);
  const origin = { source: "markdown:a.md", rowNo: null, hash: "h", fields: {}, heldBy: [] };
  const held = { content: `<p><img src="${String(url)}" alt=""></p>` };
  await app.store.write((db) => putOrigin(db, website.id, { ...origin, held, heldAt: 1 }));
  assert.equal(await countUnused(), 0);
  const deleted = await team.owner.send("DELETE", `/assets/${String(id)}`);
  assert.match(deleted.text, /not saved yet/);
  await app.store.write((db) => putOrigin(db, website.id, { ...origin, held: null, heldAt: null }));
  assert.equal(await countUnused(), 1);
});

test("unused pictures are listed, and deleted unless something uses them by then", async () => {
  const { app } = team.service;
  const website = await team.service.newWebsite();
  const add = async (side: number, name: string) => {
    const reply = await team.owner.sendFile(`/assets?website_id=${website.id}&name=${name}`, png(side, side));
    return record(reply.json());
  };
  const [inText, inDraft, inPurged, typed, one, two] = [
    await add(51, "text.png"),
    await add(52, "draft.png"),
    await add(53, "purged.png"),
    await add(54, "typed.png"),
    await add(55, "one.png"),
    await add(56, "two.png"),
  ];
  const inLibrary = async (filter = "&unused=true") => {
    const page = await team.owner.json("GET", `/assets?website_id=${website.id}${filter}`);
    return { names: records(page["assets"]).map(({ name }) => name), count: page["unused_count"] };
  };
  const create = (picture: Json) => {
    const markdown = `![A](${String(picture["url"])})`;
    return createArticle(app, website.id, { title: "Uses it", markdown, status: "published" }, CHIEF);
  };
  const { article } = await create(inText);
  await saveDraftCopy(app, article.id, { content: `<p><img src="${String(inDraft["url"])}" alt=""></p>` }, CHIEF);
  const { id: purgedId } = (await create(inPurged)).article;
  assert.deepEqual(await inLibrary(), { names: ["two.png", "one.png", "typed.png"], count: 3 });
  await deleteArticle(app, purgedId, CHIEF);
  assert.deepEqual(await inLibrary(), { names: ["two.png", "one.png", "typed.png"], count: 3 });
  await app.store.write(async (db) => {
    const row = await db.get("SELECT row_no FROM articles WHERE id = ?", purgedId);
    await deleteArticles(db, website.id, [Number(row?.row_no)]);
  });
  const unsaved = { id: app.newId(), content: JSON.stringify({ content: `<img src="${String(typed["path"])}">` }) };
  await keepWorkingCopy(app, { accountId: app.newId(), articleId: article.id }, unsaved);
  assert.deepEqual(await inLibrary(), { names: ["two.png", "one.png", "purged.png"], count: 3 });
  assert.deepEqual((await inLibrary("")).count, 3);
  const guarded = await team.owner.send("DELETE", `/assets/${String(typed["id"])}`);
  assert.match(guarded.text, /somebody has not saved yet/);

  const foreign = await upload(png(57, 57), "foreign.png");
  await create(two);
  const ids = [inText, inDraft, typed, one, two, foreign, inPurged].map(({ id }) => id);
  const result = await team.owner.json("POST", "/assets/delete-unused", { website_id: website.id, ids });
  assert.deepEqual(namesOf(result["deleted"]), ["one.png", "purged.png"]);
  assert.deepEqual(namesOf(result["used"]), ["draft.png", "text.png", "two.png", "typed.png"]);
  assert.deepEqual(await inLibrary(), { names: [], count: 0 });
  assert.equal((await reader.send(pathOf(one))).status, 404);
  assert.equal((await reader.send(pathOf(foreign))).status, 200);
  const { entries } = await team.owner.json("GET", `/audit?website_id=${website.id}&about=articles`);
  const audited = records(entries).filter(({ action }) => action === "asset.deleted");
  assert.deepEqual(namesOf(audited.map(({ detail }) => detail)), ["one.png", "purged.png"]);
});

test("a picture is replaced in the articles that use it, as a draft copy where one is published", async () => {
  const { app } = team.service;
  const website = await team.service.newWebsite();
  const add = async (side: number, name: string) => {
    const reply = await team.owner.sendFile(`/assets?website_id=${website.id}&name=${name}`, png(side, side));
    return record(reply.json());
  };
  const [old, other] = [await add(61, "old.png"), await add(62, "other.png")];
  const [from, to] = [String(old["url"]), String(other["url"])];
  const create = async (input: Parameters<typeof createArticle>[2]) =>
    (await createArticle(app, website.id, input, CHIEF)).article.id;
  const markdown = `One ![A](${from}?w=640)\n\n<img src="${from}" alt="B">\n\n[${from}](${from}).\n`;
  const pending = await create({ title: "Pending", markdown });
  const html = await create({ title: "HTML", content: `<p>Text</p><p><img src="${from}" alt="A"></p>` });
  const live = await create({ title: "Live", markdown, featuredImageUrl: from, status: "published" });
  const edited = await create({ title: "Edited", markdown, status: "published" });
  await saveDraftCopy(app, edited, { markdown: "Without.", title: "New title" }, CHIEF);
  const trashed = await create({ title: "Trashed", markdown });
  await deleteArticle(app, trashed, CHIEF);

  const address = `/assets/${String(old["id"])}/replace`;
  assert.equal((await team.owner.send("POST", address, { by: old["id"] })).status, 400);
  const foreign = await upload(png(63, 63), "foreign.png");
  assert.equal((await team.owner.send("POST", address, { by: foreign["id"] })).status, 400);
  const result = await team.owner.json("POST", address, { by: other["id"] });
  const changed = records(result["changed"]).map(
    ({ title, is_drafted: isDrafted }) => `${String(title)}: ${String(isDrafted)}`,
  );
  assert.deepEqual(changed.toSorted(), ["HTML: false", "Live: true", "Pending: false"]);
  const left = records(result["left"]).map(({ title, reason }) => `${String(title)}: ${String(reason)}`);
  assert.deepEqual(left.toSorted(), [
    "Edited: Its draft copy no longer has the picture.",
    "Trashed: It is in the trash.",
  ]);

  const stored = (id: string) => app.store.read((db) => loadReviewed(db, id));
  assert.equal((await stored(pending)).full.body.markdownSource, markdown.replaceAll(from, to));
  assert.ok((await stored(html)).full.body.html.includes(`src="${to}"`));
  const published = await stored(live);
  assert.equal(published.full.body.markdownSource, markdown);
  const expected = { markdown: markdown.replaceAll(from, to), featuredImageUrl: to };
  assert.deepEqual(published.draft?.changes, expected);
  assert.equal((await stored(trashed)).full.body.markdownSource, markdown);
  assert.equal((await reader.send(pathOf(old))).status, 200);
});

test("changes of alternative texts are in the audit log", async () => {
  const asset = await upload(png(42, 42));
  const path = `/assets/${String(asset["id"])}`;
  assert.equal((await team.editor.json("PATCH", path, { alt: "  A kettle\n" }))["alt"], "A kettle");
  assert.equal((await team.viewer.send("PATCH", path, { alt: "x" })).status, 403);
  const found = (await library(team.service.website.id)).find(({ id }) => id === asset["id"]);
  assert.equal(found?.["alt"], "A kettle");
  const { entries } = await team.owner.json("GET", `/audit?website_id=${team.service.website.id}&about=articles`);
  const entry = records(entries).find(({ action }) => action === "asset.changed");
  assert.deepEqual(record(entry?.["detail"])["alt"], "A kettle");
});

test("the library is read page by page, newest first", async () => {
  const { app } = team.service;
  const website = await team.service.newWebsite();
  const now = app.clock();
  const facts = {
    type: "image/png",
    bytes: 1,
    width: 1,
    height: 1,
    alt: "",
    sourceUrl: null,
    createdBy: "cli",
  } as const;
  await app.store.write(async (db) => {
    for (let index = 0; index < 100; index++) {
      const hash = index.toString(16).padStart(64, "0");
      // Several have the same time.
      const createdAt = now + Math.floor(index / 7);
      await insertAsset(db, {
        ...facts,
        id: app.newId(),
        websiteId: website.id,
        hash,
        name: `${index}.png`,
        createdAt,
      });
    }
  });
  const names: string[] = [];
  for (let cursor = ""; ;) {
    const { assets, next } = await team.owner.json("GET", `/assets?website_id=${website.id}${cursor}`);
    names.push(...records(assets).map(({ name }) => String(name)));
    if (typeof next !== "string") break;
    cursor = `&cursor=${next}`;
  }
  assert.deepEqual(
    names,
    Array.from({ length: 100 }, (_, index) => `${99 - index}.png`),
  );
  assert.equal((await team.owner.send("GET", `/assets?website_id=${website.id}&cursor=x`)).status, 400);
});
