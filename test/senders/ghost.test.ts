/** Ghost's Admin API, by Ghost's own client and by requests that only resemble its own. */
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import GhostAdminAPI from "@tryghost/admin-api";
import { type Sender, senderSource } from "../../src/domain/articles/senders/sender.ts";
import { ghost } from "../../src/http/senders/ghost.ts";
import { type ArrivalDeps, arrivalTurns } from "../../src/operations/articles/senders/receive.ts";
import { approveAndPublishArticle, deleteArticle } from "../../src/operations/articles/write/articles.ts";
import { findKnown } from "../../src/operations/articles/write/source-edit.ts";
import { listArrivals } from "../../src/store/articles/senders/arrivals.ts";
import { findBody } from "../../src/store/articles/articles.ts";
import { CHIEF } from "../helpers/articles.ts";
import { tempFolder } from "../helpers/folder.ts";
import type { Json } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { startTestService } from "../helpers/service.ts";
import { newSender, warmUp } from "./new-sender.ts";

const service = await startTestService();
const folder = await tempFolder();
after(async () => {
  await service[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});
await warmUp(service);
const { app, website } = service;

async function connect(version = "v6.0") {
  const key = `${randomBytes(12).toString("hex")}:${randomBytes(32).toString("hex")}`;
  const { sender, path } = await newSender(service, { kind: "ghost", name: "A generator", secret: key });
  return { sender, path, key, api: new GhostAdminAPI({ url: service.url + path, key, version }) };
}

async function findSaved(sender: Sender, id: unknown) {
  const source = senderSource(sender.id, String(id));
  return app.store.read(async (db) => {
    const { article } = await findKnown(db, website.id, { source, id: undefined });
    assert.ok(article !== undefined);
    return { article, body: await findBody(db, article.rowNo) };
  });
}

const arrivalsOf = ({ id }: Sender) =>
  app.store.read((db) => listArrivals(db, id, { state: null, before: null, limit: 100 }));

const countEntries = async (id: string, action: string): Promise<number> =>
  (await app.store.read((db) => db.all("SELECT id FROM audit_log WHERE target_id = ? AND action = ?", id, action)))
    .length;

const lexical = (text: string): string =>
  JSON.stringify({
    root: { type: "root", children: [{ type: "paragraph", children: [{ type: "extended-text", text, format: 1 }] }] },
  });

const encode = (value: Json) => Buffer.from(JSON.stringify(value)).toString("base64url");

function sign(key: string, claims: Json = {}, header: Json = {}): string {
  const [kid, secret = ""] = key.split(":");
  const now = Math.floor(app.clock() / 1000);
  const head = encode({ alg: "HS256", typ: "JWT", kid, ...header });
  const signed = `${head}.${encode({ iat: now, exp: now + 300, aud: "/admin/", ...claims })}`;
  const signature = createHmac("sha256", Buffer.from(secret, "hex")).update(signed).digest("base64url");
  return `${signed}.${signature}`;
}

async function call(
  { path, key }: { path: string; key: string },
  method: string,
  below: string,
  body?: Json,
): Promise<{ status: number; headers: Json; json: Json }> {
  const headers = { "X-API-Key": undefined, Authorization: `Ghost ${sign(key)}`, "Content-Type": "application/json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const reply = await service.send(`${path}/ghost/api/admin/${below}`, { method, headers, ...sent });
  return { status: reply.status, headers: reply.headers, json: reply.text === "" ? {} : (reply.json() as Json) };
}

test("a draft with an uploaded picture is published, changed, found and deleted by Ghost's own client", async () => {
  const { sender, api } = await connect();
  assert.equal((await api.site.read())["title"], website.name);
  assert.equal((await api.config.read())["version"], "6.0");
  assert.deepEqual(
    (await api.users.browse()).map(({ name }) => name),
    ["A generator"],
  );

  const file = join(folder.path, "kettle.png");
  await writeFile(file, png(40, 30));
  const picture = await api.images.upload({ file, ref: "kettle" });
  assert.match(picture.url, /\/kettle\.png$/);
  assert.equal(picture.ref, "kettle");
  assert.equal((await fetch(picture.url)).status, 200);

  const made = await api.posts.add(
    {
      title: "How to descale a kettle",
      slug: "descale-a-kettle",
      html: "<!--kg-card-begin: html--><h1>How to descale a kettle</h1><p>Use <b>vinegar</b>.</p><!--kg-card-end: html-->",
      custom_excerpt: "Vinegar will do.",
      meta_title: "Descaling",
      meta_description: "Vinegar and time.",
      feature_image: picture.url,
      feature_image_alt: "A kettle",
      tags: ["Kitchen", { name: "Kettles" }, "#internal"],
      authors: [{ name: "Ada Moss" }],
      status: "published",
    },
    { source: "html" },
  );
  assert.match(String(made["id"]), /^[\da-f]{24}$/);
  assert.equal(made["status"], "draft");
  assert.equal(made["slug"], "descale-a-kettle");
  assert.deepEqual(
    (made["tags"] as Json[]).map(({ name }) => name),
    ["Kitchen", "Kettles"],
  );
  const { article, body } = await findSaved(sender, made["id"]);
  assert.equal(body.html, "<p>Use <b>vinegar</b>.</p>");
  assert.deepEqual(
    [article.reviewState, article.tags, article.categories, article.authorExcerpt, article.metaTitle],
    ["in_review", ["Kitchen", "Kettles"], ["Kitchen"], "Vinegar will do.", "Descaling"],
  );
  assert.deepEqual(article.authors, [{ name: "Ada Moss", url: null }]);
  assert.equal(article.featuredImageAlt, "A kettle");
  assert.equal(article.featuredImageUrl, picture.url);
  assert.equal(await countEntries(article.id, "article.publication_requested"), 1);

  const edited = await api.posts.edit({
    id: String(made["id"]),
    lexical: lexical("Citric acid, too."),
    meta_title: null,
    updated_at: made["updated_at"],
  });
  assert.equal(edited["id"], made["id"]);
  assert.equal(edited["title"], "How to descale a kettle");
  assert.equal(edited["html"], "<p><strong>Citric acid, too.</strong></p>");
  assert.equal(edited["meta_title"], null);
  assert.equal(edited["custom_excerpt"], "Vinegar will do.");
  await assert.rejects(
    api.posts.edit({ id: String(made["id"]), title: "Too late", updated_at: "2020-01-01T00:00:00.000Z" }),
    { name: "UpdateCollisionError", code: "UPDATE_COLLISION" },
  );

  const second = await api.posts.add({ title: "Another", lexical: lexical("Text"), status: "draft" });
  assert.deepEqual(
    (await api.posts.browse({ limit: 1 })).map(({ id }) => id),
    [second["id"]],
  );
  const { meta } = await api.posts.browse({ limit: 1 });
  assert.deepEqual(meta?.pagination, { page: 1, limit: 1, pages: 2, total: 2, next: 2, prev: null });
  const bySlug = await api.posts.browse({ filter: "slug:descale-a-kettle" });
  assert.deepEqual(
    bySlug.map(({ id }) => id),
    [made["id"]],
  );
  assert.deepEqual((await api.posts.browse({ filter: "title:'Another'+status:draft" })).length, 1);
  assert.deepEqual((await api.posts.browse({ filter: `id:${String(second["id"])}` })).length, 1);
  assert.equal((await api.posts.read({ slug: "another" }))["id"], second["id"]);
  assert.equal((await api.posts.read({ id: String(second["id"]) }))["title"], "Another");
  await assert.rejects(api.posts.read({ slug: "nothing" }), { name: "NotFoundError" });
  await assert.rejects(api.posts.browse({ filter: "tag:kitchen" }), { name: "BadRequestError" });
  assert.deepEqual(
    (await api.tags.browse()).map(({ slug }) => slug),
    ["kettles", "kitchen"],
  );
  assert.equal((await api.tags.browse({ filter: "slug:kettles" })).length, 1);

  await api.posts.delete({ id: String(made["id"]) });
  assert.equal(await countEntries(article.id, "article.removal_requested"), 1);
  assert.equal((await api.posts.read({ id: String(made["id"]) }))["id"], made["id"]);
  await deleteArticle(app, article.id, CHIEF);
  await assert.rejects(api.posts.read({ id: String(made["id"]) }), { name: "NotFoundError" });
  const arrivals = await arrivalsOf(sender);
  assert.ok(!JSON.stringify(arrivals).includes("Ghost ey"), "a token was stored");
  const states = arrivals.map(({ state, request }) => [request.method, state]);
  assert.deepEqual(states, [
    ["DELETE", "stored"],
    ["POST", "stored"],
    ["PUT", "stored"],
    ["POST", "stored"],
  ]);
});

for (const version of ["v5.0", "v4", "v3", "v2", "canary"]) {
  test(`a client of ${version} is answered`, async () => {
    const { api } = await connect(version);
    const made = await api.posts.add({ title: `Of ${version}`, html: "<p>Text</p>" });
    assert.equal((await api.posts.read({ id: String(made["id"]) }))["html"], "<p>Text</p>");
  });
}

test("HTML is taken without ?source=html, and beside Lexical only with it", async () => {
  const { sender, api } = await connect();
  const both = { html: "<p>Html</p>", lexical: lexical("Lexical") };
  const mobiledoc = JSON.stringify({ version: "0.3.1", sections: [[1, "p", [[0, [], 0, "Mobiledoc"]]]] });
  const texts = [];
  for (const [post, query] of [
    [{ html: "<p>Html</p>" }, {}],
    [both, {}],
    [both, { source: "html" }],
    [{ mobiledoc }, {}],
  ] as const) {
    const { id } = await api.posts.add({ title: `Post ${texts.length}`, ...post }, query);
    texts.push((await findSaved(sender, id)).body.html);
  }
  assert.deepEqual(texts, ["<p>Html</p>", "<p><strong>Lexical</strong></p>", "<p>Html</p>", "<p>Mobiledoc</p>"]);
});

test("a repeated post is the same one, also after it was changed", async () => {
  const { sender, api } = await connect();
  const post = { title: "Once", html: "<p>First</p>" };
  const made = await api.posts.add({ ...post });
  assert.equal((await api.posts.add({ ...post }))["id"], made["id"]);
  await api.posts.edit({ id: String(made["id"]), html: "<p>Second</p>", updated_at: made["updated_at"] });
  const again = await api.posts.add({ ...post });
  assert.deepEqual([again["id"], again["html"]], [made["id"], "<p>Second</p>"]);
  assert.equal((await api.posts.browse()).meta?.pagination["total"], 1);
  assert.equal((await arrivalsOf(sender)).length, 2);
  const together = await Promise.all(
    Array.from({ length: 5 }, () => api.posts.add({ title: "At once", html: "<p>Text</p>" })),
  );
  assert.equal(new Set(together.map(({ id }) => id)).size, 1);
  assert.equal((await api.posts.browse()).meta?.pagination["total"], 2);
});

test("a new post that takes longer can be read, changed and deleted at once", async () => {
  const { sender, key } = await connect();
  const gate = Promise.withResolvers<void>();
  const works: Promise<void>[] = [];
  const deps: ArrivalDeps = {
    ...app,
    turns: arrivalTurns(),
    readArrival: async (...given) => {
      await gate.promise;
      return app.readArrival(...given);
    },
  };
  const ask = async (method: string, below: string, body?: Json) => {
    const reply = await ghost.answer({
      deps,
      senderId: sender.id,
      request: {
        method,
        path: `/ghost/api/admin/posts/${below}`,
        query: {},
        headers: { authorization: `Ghost ${sign(key)}` },
      },
      body: Buffer.from(body === undefined ? "" : JSON.stringify({ posts: [body] })),
      base: service.url,
      address: null,
      later: (work) => void works.push(work),
      replyWithinMs: 1,
    });
    const text = reply.body.toString();
    return { status: reply.status, post: text === "" ? undefined : (JSON.parse(text) as { posts: Json[] }).posts[0] };
  };
  const id = String((await ask("POST", "", { title: "Slow", html: "<p>Slowly.</p>" })).post?.["id"]);
  assert.deepEqual(await ask("GET", `${id}/`), { status: 200, post: { id, status: "draft", url: null, slug: null } });
  assert.equal((await ask("PUT", `${id}/`, { title: "Slower" })).status, 200);
  assert.equal((await ask("DELETE", `${id}/`)).status, 204);
  gate.resolve();
  await Promise.all(works);
  const { article } = await findSaved(sender, id);
  assert.equal(article.title, "Slower");
  assert.equal(await countEntries(article.id, "article.removal_requested"), 1);
});

test("a published post keeps its text until people approve the change, which its client sees", async () => {
  const { sender, api } = await connect();
  const made = await api.posts.add({ title: "Live", html: "<p>First</p>", status: "published" });
  const { article } = await findSaved(sender, made["id"]);
  await approveAndPublishArticle(app, article.id, CHIEF);
  const live = await api.posts.read({ id: String(made["id"]) });
  assert.equal(live["status"], "published");
  const edit = { id: String(made["id"]), html: "<p>Second</p>", status: "draft", updated_at: live["updated_at"] };
  const edited = await api.posts.edit({ ...edit });
  assert.deepEqual([edited["status"], edited["html"]], ["published", "<p>Second</p>"]);
  assert.notEqual(edited["updated_at"], live["updated_at"]);
  await assert.rejects(api.posts.edit({ ...edit }), { code: "UPDATE_COLLISION" });
  const saved = await findSaved(sender, made["id"]);
  assert.deepEqual([saved.article.status, saved.body.html], ["published", "<p>First</p>"]);
});

test("what cannot be a post is refused in Ghost's form, and waits for attention", async () => {
  const sent = await connect();
  const cases: [string, string, Json | undefined, number, string][] = [
    ["POST", "posts/", { posts: [{ html: "<p>x</p>" }] }, 422, "ValidationError"],
    ["POST", "posts/", { posts: [{ title: "No text" }] }, 422, "ValidationError"],
    ["POST", "posts/", { posts: [] }, 422, "ValidationError"],
    ["POST", "posts/", { posts: [{ title: "Deep", lexical: '{"root":{' }] }, 422, "ValidationError"],
    ["PUT", `posts/${"0".repeat(24)}/`, { posts: [{ title: "x" }] }, 404, "NotFoundError"],
    ["DELETE", `posts/${"0".repeat(24)}/`, undefined, 404, "NotFoundError"],
    ["GET", "posts/slug/none/", undefined, 404, "NotFoundError"],
    ["GET", "members/", undefined, 404, "NotFoundError"],
    ["POST", "pages/", { pages: [{ title: "A page" }] }, 404, "NotFoundError"],
    ["POST", "images/upload/", {}, 422, "ValidationError"],
  ];
  for (const [method, below, body, status, type] of cases) {
    const { json, headers, ...reply } = await call(sent, method, below, body);
    const [error] = json["errors"] as Json[];
    assert.deepEqual([method, below, reply.status, error?.["type"]], [method, below, status, type]);
    assert.equal(headers["content-version"], "v6.0");
  }
  const states = (await arrivalsOf(sent.sender)).map(({ state }) => state);
  assert.deepEqual(
    states,
    Array.from({ length: 4 }, () => "needs_attention"),
  );
});

test("only a picture is an image", async () => {
  const { api } = await connect();
  const file = join(folder.path, "notes.png");
  await writeFile(file, "These are notes.");
  await assert.rejects(api.images.upload({ file }), { name: "UnsupportedMediaTypeError" });
});

test("a new post answers 201 with its address, and a deleted one 204 without a body", async () => {
  const sent = await connect();
  const made = await call(sent, "POST", "posts/?source=html", { posts: [{ title: "T", html: "<p>x</p>" }] });
  const [post] = made.json["posts"] as Json[];
  const id = String(post?.["id"]);
  assert.equal(made.status, 201);
  assert.equal(made.headers["location"], `${service.url}${sent.path}/ghost/api/admin/posts/${id}/`);
  assert.equal(post?.["uuid"], (await findSaved(sent.sender, id)).article.id);
  assert.match(String(post?.["updated_at"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const gone = await call(sent, "DELETE", `posts/${id}/`);
  assert.deepEqual([gone.status, gone.json], [204, {}]);
});

test("a key is of one sender, and every forged token is answered alike", async () => {
  const [sent, other] = [await connect(), await connect()];
  const past = Math.floor(app.clock() / 1000) - 600;
  const good = sign(sent.key);
  const [head = "", claims = "", signature = ""] = good.split(".");
  const none = encode({ alg: "none", kid: sent.key.slice(0, 24) });
  const forged = [
    undefined,
    "Ghost",
    "Ghost a.b.c",
    good,
    `Bearer ${good}`,
    `Ghost ${sign(other.key)}`,
    `Ghost ${sign(sent.key, { aud: "/members/" })}`,
    `Ghost ${sign(sent.key, { exp: past + 300, iat: past })}`,
    `Ghost ${sign(sent.key, { iat: past })}`,
    `Ghost ${sign(sent.key, { exp: undefined })}`,
    `Ghost ${sign(sent.key, {}, { kid: "0".repeat(24) })}`,
    `Ghost ${sign(sent.key, {}, { alg: "HS512" })}`,
    `Ghost ${none}.${claims}.`,
    `Ghost ${none}.${claims}.${signature}`,
    `Ghost ${head}.${claims}.${signature.slice(0, -2)}AA`,
  ];
  const answers = new Set<string>();
  for (const path of [sent.path, "/senders/00000000000000000000000000000000"]) {
    for (const authorization of forged) {
      const headers = { "X-API-Key": undefined, Authorization: authorization };
      const reply = await service.send(`${path}/ghost/api/admin/site/`, { headers });
      assert.equal(reply.status, 401, authorization ?? "without a token");
      answers.add(reply.text);
    }
  }
  assert.equal(answers.size, 1);
  assert.match([...answers].join(), /"type":"UnauthorizedError".*"code":"INVALID_JWT"/);
  const { status } = await service.send(`${sent.path}/ghost/api/admin/site/`, {
    headers: { "X-API-Key": undefined, Authorization: `Ghost ${good}` },
  });
  assert.equal(status, 200);
});
