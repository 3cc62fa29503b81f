/** Pictures in other widths and formats, as readers ask for them. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import fastify from "fastify";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { FileCache } from "../../src/asset-files/file-cache.ts";
import { Renditions } from "../../src/asset-files/renditions.ts";
import { PicturePool } from "../../src/content-processes/pictures.ts";
import { ContentCounters } from "../../src/content-processes/processes.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { chooseRendition } from "../../src/domain/articles/assets/rendition.ts";
import { assetFileRoutes } from "../../src/http/pages/assets.ts";
import { readWebpProfile } from "../../src/domain/articles/assets/formats/webp.ts";
import { readPictureHeader, sniffPicture } from "../../src/domain/articles/assets/picture-header.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import { addAsset, assetUrl, openAsset, removeDeletedAssets } from "../../src/operations/articles/assets/assets.ts";
import { LONG_ONLY } from "../helpers/full-run.ts";
import { DAY, withClock } from "../helpers/articles.ts";
import { tempFolder } from "../helpers/folder.ts";
import { Client } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { openTeam, type Team } from "../helpers/team.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/pictures");
const ACCEPT_WEBP = "image/avif,image/webp,image/*,*/*;q=0.8";

const PICTURE = { websiteId: "w", hash: "a".repeat(64) };

let team: Team;
let reader: Client;
let files: Awaited<ReturnType<typeof tempFolder>>;

before(async () => {
  team = await openTeam();
  reader = new Client(team.service.url);
  files = await tempFolder();
});
after(async () => {
  reader[Symbol.dispose]();
  await files[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
  team.assertNoneFailed();
});

async function add(name: string, bytes: Buffer = readFileSync(join(FIXTURES, name))): Promise<string> {
  const { app, website } = team.service;
  const path = files.at(name);
  writeFileSync(path, bytes);
  const asset = await addAsset(app, website.id, { path, name, alt: "" }, CLI_ORIGIN);
  return assetUrl(asset, website, "");
}

const get = async (path: string, accept = ACCEPT_WEBP) => {
  const { status, headers, bytes } = await reader.send(path, { headers: { Accept: accept } });
  const type = sniffPicture(bytes);
  const size = type === undefined ? null : readPictureHeader(bytes, type);
  return { status, headers, bytes, type, width: size?.width, height: size?.height };
};
const renditions = () => {
  const folder = join(team.service.app.config.dataDir, "asset-renditions");
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
};

function choose(w: string, accept = "") {
  return chooseRendition({ type: "image/jpeg", width: 3_000, height: 2_000 }, { w }, accept);
}

test("widths are rounded up, and never larger than the picture", () => {
  assert.deepEqual(choose("1"), { width: 160, type: "image/jpeg" });
  assert.deepEqual(choose("321", ACCEPT_WEBP), { width: 480, type: "image/webp" });
  assert.deepEqual(choose("99999"), { width: 2560, type: "image/jpeg" });
  assert.deepEqual(choose("320", "image/webp;q=0, image/png"), { width: 320, type: "image/jpeg" });
  const small = { type: "image/png", width: 300, height: 200 } as const;
  assert.equal(chooseRendition(small, { w: "640" }, ""), null);
  assert.deepEqual(chooseRendition(small, { w: "640" }, ACCEPT_WEBP), { width: 300, type: "image/webp" });
  assert.equal(chooseRendition(small, {}, ACCEPT_WEBP), null);
  for (const type of ["image/gif", "image/svg+xml"] as const) {
    const animated = { type, width: 3_000, height: 2_000 };
    assert.equal(chooseRendition(animated, { w: "320", format: "webp" }, ACCEPT_WEBP), null);
  }
});

test("a picture with a side of more than 16,383 pixels has no other forms", () => {
  for (const size of [
    { width: 65_535, height: 762 },
    { width: 762, height: 65_535 },
  ]) {
    assert.equal(chooseRendition({ type: "image/png", ...size }, { w: "640" }, ACCEPT_WEBP), null);
  }
  const panorama = { type: "image/png", width: 16_383, height: 3_000 } as const;
  assert.deepEqual(chooseRendition(panorama, { w: "640" }, ""), { width: 640, type: "image/png" });
});

test("a width and a format are served with an unlimited lifetime, and kept apart by caches", async () => {
  const path = await add("wide.png", png(700, 350));
  const webp = await get(`${path}?w=300`);
  assert.deepEqual([webp.type, webp.width, webp.height], ["image/webp", 320, 160]);
  assert.equal(webp.headers["content-type"], "image/webp");
  assert.equal(webp.headers["cache-control"], "public, max-age=31536000, immutable");
  assert.equal(webp.headers["vary"], "Accept");
  assert.equal(webp.headers["content-length"], String(webp.bytes.length));
  assert.equal(webp.headers["content-disposition"], 'inline; filename="wide.webp"');
  assert.match(String(webp.headers["content-security-policy"]), /sandbox/);
  const plain = await get(`${path}?w=300`, "*/*");
  assert.deepEqual([plain.type, plain.width, plain.headers["vary"]], ["image/png", 320, "Accept"]);
  assert.notEqual(plain.headers["etag"], webp.headers["etag"]);
  const forced = await get(`${path}?w=320&format=webp`, "*/*");
  assert.deepEqual([forced.bytes, forced.headers["vary"]], [webp.bytes, undefined]);
  const whole = await get(`${path}?format=webp`, "*/*");
  assert.deepEqual([whole.type, whole.width], ["image/webp", 700]);
  const original = await get(path);
  assert.deepEqual([original.type, original.width, original.headers["vary"]], ["image/png", 700, undefined]);
  const again = await reader.send(`${path}?w=300`, {
    headers: { Accept: ACCEPT_WEBP, "If-None-Match": String(webp.headers["etag"]) },
  });
  assert.equal(again.status, 304);
});

test("another format or width is refused with a sentence", async () => {
  const path = await add("other.png", png(9, 9));
  for (const query of ["w=abc", "w=0", "w=-5", "w=1e3", "format=bmp"]) {
    const reply = await reader.send(`${path}?${query}`);
    assert.equal(reply.status, 400, query);
    assert.match(reply.text, /These widths exist|format must be webp/);
  }
});

test("a turned photograph is upright, and keeps its colour profile", async () => {
  const { type, width, height, bytes } = await get(`${await add("turned.jpg")}?format=webp`);
  assert.deepEqual([type, width, height], ["image/webp", 16, 24]);
  assert.equal(bytes.includes("Exif"), false);
  assert.equal(readWebpProfile(bytes)?.toString("latin1", 16, 20), "RGB ");
});

test("an AVIF becomes a JPEG for readers that know nothing newer", async () => {
  const path = await add("still.avif");
  assert.equal((await get(`${path}?w=160`, "*/*")).type, "image/jpeg");
  assert.equal((await get(`${path}?w=160`)).type, "image/webp");
});

test("animated pictures, and those that cannot be decoded, are served as they are", async () => {
  for (const name of ["moving.webp", "moving.gif", "printing.jpg", "turned.png"]) {
    const path = await add(name);
    const original = await get(path);
    const small = await get(`${path}?format=webp`);
    assert.deepEqual(small.bytes, original.bytes, name);
    assert.match(String(small.headers["cache-control"]), /immutable/);
  }
});

test("the renditions of a deleted picture are removed with its file", async () => {
  const { app } = team.service;
  const path = await add("gone.png", png(333, 10));
  const hash = path.split("/")[3] ?? "";
  await get(`${path}?w=160`);
  assert.ok(renditions().some((name) => name.startsWith(hash)));
  const deps = withClock(app, app.clock());
  await app.store.write((db) => db.run("UPDATE assets SET deleted_at = ? WHERE hash = ?", deps.now, hash));
  assert.equal((await reader.send(`${path}?w=160`)).status, 404);
  deps.now += DAY + 1;
  await removeDeletedAssets(deps);
  assert.ok(renditions().every((name) => !name.startsWith(hash)));
});

test("a rendition is made once, however many requests there are, and again after it was evicted", async () => {
  await using folder = await tempFolder();
  const path = folder.at("original");
  writeFileSync(path, png(8, 8));
  let made = 0;
  const [started, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const cache = new FileCache(folder.at("cache"), 1);
  const { open } = new Renditions(cache, async (_website, { target }, onStart) => {
    onStart();
    made++;
    started.resolve();
    await release.promise;
    writeFileSync(target, png(8, 8));
  });
  const rendition = { width: 8, type: "image/png" } as const;
  const asked = Promise.all(Array.from({ length: 50 }, () => open(PICTURE, path, rendition)));
  await started.promise;
  release.resolve();
  assert.equal(new Set((await asked).map((one) => one?.path)).size, 1);
  assert.equal(made, 1);
  await open({ ...PICTURE, hash: "b".repeat(64) }, path, rendition);
  assert.equal(readdirSync(folder.at("cache")).length, 1, "the cache keeps within its limit");
  await open(PICTURE, path, rendition);
  assert.equal(made, 3);
});

test("a reader does not wait for a rendition that waits for its turn, which is made meanwhile", async () => {
  await using folder = await tempFolder();
  const path = folder.at("original");
  writeFileSync(path, png(8, 8));
  let made = 0;
  const [turn, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { open } = new Renditions(
    new FileCache(folder.at("cache"), 1_000),
    async (_website, { target }, onStart) => {
      await turn.promise;
      onStart();
      writeFileSync(target, png(8, 8));
      made++;
      done.resolve();
    },
    1,
  );
  const rendition = { width: 8, type: "image/png" } as const;
  await assert.rejects(open(PICTURE, path, rendition), { code: "busy" });
  await assert.rejects(open(PICTURE, path, rendition), { code: "busy" });
  turn.resolve();
  await done.promise;
  assert.equal((await open(PICTURE, path, rendition))?.type, "image/png");
  assert.equal(made, 1);
});

test("a rendition that takes too much time or memory is tried once, and the picture served instead", async () => {
  await using folder = await tempFolder();
  let tried = 0;
  const { open } = new Renditions(new FileCache(folder.at("cache"), 1_000), (_website, _request, onStart) => {
    onStart();
    tried++;
    return Promise.reject(new AppError("too_expensive", "Too much."));
  });
  for (const _ of [1, 2]) assert.equal(await open(PICTURE, folder.at("original"), { width: 8, type: null }), null);
  assert.equal(tried, 1);
});

test("a website whose pictures are expensive holds up no other's", LONG_ONLY, async () => {
  await using folder = await tempFolder();
  await using pool = new PicturePool(new ContentCounters());
  const [large, small] = [folder.at("large"), folder.at("small")];
  writeFileSync(large, png(6_000, 4_000));
  writeFileSync(small, png(300, 200));
  const order: string[] = [];
  const render = async (websiteId: string, path: string, name: string) => {
    const request = { path, target: folder.at(name), width: 160, type: "image/webp" } as const;
    await pool.render(websiteId, request, () => order.push(`${name} begins`));
    order.push(`${name} ends`);
  };
  await Promise.all([
    ...["1", "2", "3"].map((name) => render("expensive", large, name)),
    render("other", small, "other's"),
  ]);
  assert.deepEqual(order.slice(0, 2), ["1 begins", "other's begins"]);
});

test("a rendition that cannot be made for now is replaced by the picture itself, for a minute", async () => {
  const { app } = team.service;
  const path = await add("busy.png", png(640, 4));
  const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  for (const [error, logged] of [
    [new AppError("busy", "Too many."), []],
    [full, [full]],
  ] as const) {
    const server = fastify();
    const failures: unknown[] = [];
    assetFileRoutes(server, {
      open: (id, hash) => openAsset(app, id, hash),
      openRendition: () => Promise.reject(error),
      log: { failed: (_facts, failure) => void failures.push(failure) },
    });
    try {
      using client = new Client(await server.listen({ port: 0, host: "127.0.0.1" }));
      const reply = await client.send(`${path}?w=160`);
      assert.deepEqual([reply.status, reply.headers["cache-control"]], [200, "public, max-age=60"]);
      assert.deepEqual(reply.bytes, (await get(path)).bytes);
      assert.deepEqual(failures, logged);
    } finally {
      await server.close();
    }
  }
});

const make = (target: string) => writeFile(target, "made");

test("the cache of renditions is read anew after a failure, and leaves alone what another process is writing", async () => {
  await using folder = await tempFolder();
  writeFileSync(folder.at("cache"), "");
  const cache = new FileCache(folder.at("cache"), 1_000);
  await assert.rejects(cache.get("one", make), { code: "ENOTDIR" });
  rmSync(folder.at("cache"));
  mkdirSync(folder.at("cache"));
  writeFileSync(folder.at("cache/fresh.unfinished"), "");
  writeFileSync(folder.at("cache/old.unfinished"), "");
  utimesSync(folder.at("cache/old.unfinished"), 0, 0);
  await cache.get("one", make);
  assert.deepEqual(readdirSync(folder.at("cache")).toSorted(), ["fresh.unfinished", "one"]);
});
