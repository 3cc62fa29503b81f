/** The WordPress protocol: by a client from npm, and by requests as generators send them. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { senderSource } from "../../src/domain/articles/senders/sender.ts";
import { createSender } from "../../src/operations/articles/senders/senders.ts";
import { approveAndPublishArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { wordpress } from "../../src/http/senders/wordpress.ts";
import type { ArrivalDeps } from "../../src/operations/articles/senders/receive.ts";
import { findArticleByRow, findBody } from "../../src/store/articles/articles.ts";
import { findOrigin } from "../../src/store/articles/origins.ts";
import { listArrivals, readArrivalBody } from "../../src/store/articles/senders/arrivals.ts";
import { CHIEF } from "../helpers/articles.ts";
import { type Json, record, records, type SendOptions } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { startTestService } from "../helpers/service.ts";
import { newSender, warmUp } from "./new-sender.ts";
import { wordPressClient } from "./wordpress-client.ts";

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
await warmUp(service);
const website = await service.newWebsite({ url: "https://example.com", urlPattern: "https://example.com/blog/{slug}" });

const POSTS = "/wp-json/wp/v2/posts";
const MEDIA = "/wp-json/wp/v2/media";

async function connect() {
  const input = { kind: "wordpress", name: "My generator", secret: null };
  const { sender, secret } = await createSender(service.app, website.id, input, CLI_ORIGIN);
  assert.ok(secret !== null);
  const path = `/senders/${sender.id}`;
  const send = (below: string, { headers, ...options }: SendOptions & { json?: unknown } = {}) => {
    const { json, ...others } = options;
    return service.send(path + below, {
      ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
      ...others,
      headers: {
        "X-API-Key": undefined,
        Authorization: basic(secret),
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
    });
  };
  const make = async (json: Json): Promise<Json> => {
    const reply = await send(POSTS, { json });
    assert.equal(reply.status, 201, reply.text);
    return record(reply.json());
  };
  const article = async (number: unknown) => {
    const source = senderSource(sender.id, String(number));
    return service.app.store.read(async (db) => {
      const rowNo = (await findOrigin(db, website.id, source))?.rowNo ?? null;
      const found = rowNo === null ? undefined : await findArticleByRow(db, rowNo);
      assert.ok(found, `there is no article of post ${String(number)}`);
      return { article: found, body: await findBody(db, found.rowNo) };
    });
  };
  return { sender, secret, path, send, make, article };
}

function basic(password: string, user = "admin"): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

test("a client of npm publishes a draft with a picture, a category and tags, changes it and reads it", async () => {
  const connected = await connect();
  const client = wordPressClient(`${service.url}${connected.path}/`, connected.secret);
  const me = await client.user().findMe();
  assert.equal(me["name"], "My generator");

  const category = await client.postCategory().create({ name: "Baking" });
  const tags = [await client.postTag().create({ name: "Sourdough" }), await client.postTag().create({ name: "Flour" })];
  const picture = await client.media().create("red-kettle.png", png(40, 30), "image/png", { alt_text: "A red kettle" });
  assert.equal(picture["alt_text"], "A red kettle");
  assert.match(String(picture["source_url"]), /^http.*\/assets\/.*\/red-kettle\.png$/);
  const { width, height } = record(picture["media_details"]);
  assert.deepEqual([width, height], [40, 30]);

  const labels = { categories: [category["id"]], tags: tags.map(({ id }) => id), featured_media: picture["id"] };
  const made = await client.post().create({
    // The client takes them as it reads them, and sends the texts.
    title: { rendered: "Why sourdough needs time" },
    content: { rendered: "<p>Flour brings its own yeast.</p>" },
    excerpt: { rendered: "Flour is enough." },
    status: "draft",
    slug: "sourdough-needs-time",
    ...labels,
  });
  const id = Number(made["id"]);
  assert.equal(made["status"], "draft");
  assert.equal(made["link"], "https://example.com/blog/sourdough-needs-time");
  const { categories, tags: answered, featured_media } = made;
  assert.deepEqual({ categories, tags: answered, featured_media }, labels);

  const { article, body } = await connected.article(id);
  assert.equal(article.status, "pending");
  assert.equal(article.reviewState, "in_review");
  assert.equal(article.title, "Why sourdough needs time");
  assert.equal(article.slug, "sourdough-needs-time");
  assert.equal(article.authorExcerpt, "Flour is enough.");
  assert.deepEqual([article.categories, article.tags], [["Baking"], ["Sourdough", "Flour"]]);
  assert.equal(article.featuredImageUrl, picture["source_url"]);
  assert.equal(article.featuredImageAlt, "A red kettle");
  assert.equal(body.html, "<p>Flour brings its own yeast.</p>");

  const changed = await client.post().update({ title: { rendered: "Sourdough takes time" } }, id);
  assert.equal(record(changed["title"])["rendered"], "Sourdough takes time");
  const [read] = await client.post().find(id);
  assert.equal(record(read?.["title"])["rendered"], "Sourdough takes time");
  assert.equal(record(read?.["content"])["rendered"], "<p>Flour brings its own yeast.</p>");
  assert.deepEqual(read?.["tags"], labels.tags);

  const listed = await client.post().find(new URLSearchParams({ slug: "sourdough-needs-time" }));
  assert.deepEqual(
    listed.map((post) => post["id"]),
    [id],
  );
  await client.post().delete(id);
  const entry = await service.app.store.read((db) =>
    db.get("SELECT detail FROM audit_log WHERE target_id = ? AND action = 'article.removal_requested'", article.id),
  );
  assert.match(String(entry?.detail), /My generator has deleted it/);
});

test("a generator's own calls: a look at the site, its user, its tags, a picture, the post", async () => {
  const { send, make, article } = await connect();
  const site = await send("/wp-json", { headers: { Authorization: undefined } });
  assert.equal(site.status, 200);
  assert.deepEqual(record(site.json())["namespaces"], ["wp/v2"]);
  assert.match(String(site.headers["link"]), /wp-json\/>; rel="https:\/\/api\.w\.org\/"/);

  const root = await send("/", { method: "HEAD", headers: { Authorization: undefined } });
  assert.deepEqual([root.status, root.headers["link"]], [200, site.headers["link"]]);

  const me = record((await send("/wp-json/wp/v2/users/me?context=edit")).json());
  assert.equal(record(me["capabilities"])["publish_posts"], true);

  const found = await send("/wp-json/wp/v2/tags?search=Slow%20cooking&per_page=5");
  assert.deepEqual([found.status, found.json(), found.headers["x-wp-total"]], [200, [], "0"]);
  const tag = record((await send("/wp-json/wp/v2/tags", { json: { name: "Slow cooking" } })).json());
  const again = await send("/wp-json/wp/v2/tags", { json: { name: "slow cooking" } });
  assert.deepEqual(
    [again.status, record(again.json())["code"], record(record(again.json())["data"])["term_id"]],
    [400, "term_exists", tag["id"]],
  );
  const bySlug = records((await send("/wp-json/wp/v2/tags?slug=slow-cooking")).json());
  assert.deepEqual([bySlug[0]?.["id"], bySlug[0]?.["name"]], [tag["id"], "Slow cooking"]);

  const uploaded = await send(MEDIA, {
    method: "POST",
    headers: { "Content-Type": "image/png", "Content-Disposition": 'attachment; filename="hero.png"' },
    body: png(20, 20, 9),
  });
  assert.equal(uploaded.status, 201, uploaded.text);
  const media = record(uploaded.json());
  await send(`${MEDIA}/${String(media["id"])}`, { json: { alt_text: "Steam" } });

  const post = await make({
    title: "Stews &amp; soups",
    content: "<!-- wp:paragraph -->\n<p>Low heat, <strong>long</strong>.</p>\n<!-- /wp:paragraph -->",
    status: "publish",
    excerpt: "Low heat.",
    slug: "stews",
    tags: [tag["id"]],
    featured_media: media["id"],
    meta: {
      _yoast_wpseo_title: "Stews for winter",
      _yoast_wpseo_metadesc: "How low heat makes good soup.",
      _yoast_wpseo_focuskw: "stew",
    },
  });
  assert.equal(post["status"], "pending");
  assert.equal(post["link"], "https://example.com/blog/stews");
  assert.deepEqual(post["categories"], [1]);
  const { article: saved, body } = await article(post["id"]);
  assert.equal(saved.status, "pending");
  assert.equal(saved.title, "Stews & soups");
  assert.match(body.html, /<p>Low heat, <strong>long<\/strong>\.<\/p>/);
  assert.equal(saved.metaTitle, "Stews for winter");
  assert.equal(saved.metaDescription, "How low heat makes good soup.");
  assert.equal(saved.targetKeyword, "stew");
  assert.equal(saved.featuredImageAlt, "Steam");
  const asked = await service.app.store.read((db) =>
    db.get(
      "SELECT 1 AS found FROM audit_log WHERE target_id = ? AND action = 'article.publication_requested'",
      saved.id,
    ),
  );
  assert.ok(asked, "the reviewer sees that publication is asked for");
});

test("a repeat within ten minutes is the same post, and other content is another", async () => {
  const { send, make } = await connect();
  const content = { title: "Once", content: "<p>Sent twice.</p>", status: "draft" };
  const [first, second] = await Promise.all([make(content), make(content)]);
  assert.equal(first["id"], second["id"]);
  const other = await make({ ...content, title: "Twice" });
  assert.notEqual(other["id"], first["id"]);
  const all = await send(POSTS);
  assert.equal(all.headers["x-wp-total"], "2");
});

test("what a person changed stays, whatever the client sends again", async () => {
  const { send, make, article } = await connect();
  const post = await make({ title: "Held", content: "<p>As sent.</p>" });
  const { article: made } = await article(post["id"]);
  await updateArticle(service.app, made.id, { content: "<p>As corrected.</p>" }, CHIEF);
  await send(`${POSTS}/${String(post["id"])}`, { json: { title: "Held", content: "<p>As sent anew.</p>" } });
  const { body } = await article(post["id"]);
  assert.equal(body.html, "<p>As corrected.</p>");
});

test("the same routes by rest_route, by index.php, with a slash at the end, and by an overridden method", async () => {
  const { send, make, article } = await connect();
  const post = await make({ title: "Routes", content: "<p>Many ways.</p>" });
  const id = String(post["id"]);
  for (const below of [
    `/?rest_route=/wp/v2/posts/${id}`,
    `/index.php?rest_route=%2Fwp%2Fv2%2Fposts%2F${id}&context=edit`,
    `/index.php/wp-json/wp/v2/posts/${id}`,
    `${POSTS}/${id}/?_embed=true`,
  ]) {
    const reply = await send(below);
    assert.deepEqual([reply.status, record(reply.json())["id"]], [200, post["id"]], below);
  }
  const fields = await send(`${POSTS}/${id}?_fields=id,title.rendered`);
  assert.deepEqual(Object.keys(record(fields.json())), ["id", "title"]);
  const put = await send(`${POSTS}/${id}`, {
    json: { excerpt: "By PUT." },
    headers: { "X-HTTP-Method-Override": "PUT" },
  });
  assert.equal(put.status, 200, put.text);
  const patch = await send(`${POSTS}/${id}`, { method: "PATCH", json: { slug: "by-patch" } });
  assert.equal(patch.status, 200, patch.text);
  const { article: saved } = await article(id);
  assert.deepEqual([saved.authorExcerpt, saved.slug, saved.title], ["By PUT.", "by-patch", "Routes"]);
});

test("posts as forms, with names for numbers, without a title, or in Markdown", async () => {
  const { send, make, article } = await connect();
  const form = await send(POSTS, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams([
      ["title", "By form"],
      ["content", "First.\n\nSecond."],
      ["tags", "One, Two"],
    ]).toString(),
  });
  assert.equal(form.status, 201, form.text);
  const { article: one, body } = await article(record(form.json())["id"]);
  assert.deepEqual(
    [one.title, one.tags, body.html.trim()],
    ["By form", ["One", "Two"], "<p>First.</p>\n<p>Second.</p>"],
  );

  const untitled = await make({ content: "<p>Text alone.</p>" });
  assert.equal((await article(untitled["id"])).article.title, "(no title)");
  const textless = await make({ title: "Title alone" });
  const filled = await send(`${POSTS}/${String(textless["id"])}`, { json: { content: "## Later\n\nText." } });
  assert.equal(filled.status, 200, filled.text);
  assert.match((await article(textless["id"])).body.html, /<h2[^>]*>Later<\/h2>/);

  const empty = await send(POSTS, { json: { status: "draft" } });
  assert.deepEqual([empty.status, record(empty.json())["message"]], [400, "Content, title, and excerpt are empty."]);
});

test("pictures: a form with fields, the same file again, and what is none", async () => {
  const { send } = await connect();
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(png(10, 10, 77))], { type: "image/png" }), "by-form.png");
  form.set("alt_text", "By form");
  const request = new Request("http://localhost/", { method: "POST", body: form });
  const options = {
    method: "POST",
    headers: { "Content-Type": request.headers.get("content-type") ?? "" },
    body: Buffer.from(await request.arrayBuffer()),
  };
  const made = await send(MEDIA, options);
  assert.equal(made.status, 201, made.text);
  const media = record(made.json());
  assert.deepEqual([media["alt_text"], media["mime_type"]], ["By form", "image/png"]);
  assert.equal(record((await send(MEDIA, options)).json())["id"], media["id"]);

  const one = await send(`${MEDIA}/${String(media["id"])}`);
  assert.equal(record(one.json())["source_url"], media["source_url"]);
  const shown = await service.send(new URL(String(media["source_url"])).pathname, {
    headers: { "X-API-Key": undefined },
  });
  assert.equal(shown.status, 200);
  assert.equal((await send(`${MEDIA}/999`)).status, 404);
  const kept = await send(`${MEDIA}/${String(media["id"])}?force=true`, { method: "DELETE" });
  assert.deepEqual([kept.status, record(kept.json())["code"]], [403, "rest_cannot_delete"]);
  const text = await send(MEDIA, {
    method: "POST",
    headers: { "Content-Type": "text/plain", "Content-Disposition": "attachment; filename=a.txt" },
    body: "no picture",
  });
  assert.equal(text.status, 400);
  assert.equal(record(text.json())["code"], "rest_invalid_param");
});

test("categories that the website has are offered, and the category of posts without one is none", async () => {
  const { send, make, article } = await connect();
  await make({ title: "First", content: "<p>x</p>", categories: "1" });
  const all = records((await send("/wp-json/wp/v2/categories?per_page=100")).json());
  assert.deepEqual([all.find(({ id }) => id === 1)?.["name"]], ["Uncategorized"]);
  assert.ok(all.some(({ name }) => name === "Baking"));
  const baking = all.find(({ name }) => name === "Baking")?.["id"];
  const post = await make({ title: "Second", content: "<p>y</p>", categories: [1, baking, 999] });
  assert.deepEqual(post["categories"], [baking]);
  assert.deepEqual((await article(post["id"])).article.categories, ["Baking"]);
  const cleared = await send(`${POSTS}/${String(post["id"])}`, { json: { categories: [], featured_media: 0 } });
  assert.deepEqual(record(cleared.json())["categories"], [1]);
});

test("a wrong password, none, and an unknown sender are refused as WordPress refuses, and alike", async () => {
  const { path, secret } = await connect();
  const { secret: other } = await connect();
  const unknown = `/senders/${"0".repeat(32)}`;
  for (const [method, below] of [
    ["GET", "/wp-json/wp/v2/users/me"],
    ["POST", POSTS],
    ["GET", `${POSTS}/1`],
    ["POST", MEDIA],
    ["GET", "/?rest_route=/wp/v2/users/me"],
    ["DELETE", "/wp-json/wp/v2/nothing"],
  ] as const) {
    for (const authorization of [undefined, basic("wrong"), basic(other), `Bearer ${secret}`, "Basic ~~"]) {
      const options = { method, headers: { "X-API-Key": undefined, Authorization: authorization } };
      const [known, nobody] = [await service.send(path + below, options), await service.send(unknown + below, options)];
      assert.equal(known.status, 401, `${method} ${below} ${String(authorization)}`);
      const code = authorization === undefined ? "rest_not_logged_in" : "incorrect_password";
      assert.deepEqual([record(known.json())["code"], record(known.json())["data"]], [code, { status: 401 }]);
      assert.equal(known.text, nobody.text);
    }
  }
  const without = secret.replaceAll(" ", "");
  for (const password of [secret, without]) {
    const headers = { "X-API-Key": undefined, Authorization: basic(password, "anybody@example.com") };
    assert.equal((await service.send(`${path}/wp-json/wp/v2/users/me`, { headers })).status, 200);
  }
});

test("what is not there is said as WordPress says it", async () => {
  const { send } = await connect();
  for (const [below, status, code, options] of [
    ["/wp-json/wp/v2/pages", 404, "rest_no_route", {}],
    [`${POSTS}/77`, 404, "rest_post_invalid_id", {}],
    [`${POSTS}/77`, 404, "rest_post_invalid_id", { json: { title: "x" } }],
    [`${POSTS}/77`, 404, "rest_post_invalid_id", { method: "DELETE" }],
    ["/wp-json/wp/v2/tags/77", 404, "rest_term_invalid", {}],
    ["/wp-json/wp/v2/tags", 400, "rest_missing_callback_param", { json: { slug: "x" } }],
    [`${POSTS}?page=9`, 400, "rest_post_invalid_page_number", {}],
    [`${POSTS}?per_page=1000`, 400, "rest_invalid_param", {}],
  ] as const) {
    const reply = await send(below, options);
    assert.deepEqual([reply.status, record(reply.json())["code"]], [status, code], `${below}: ${reply.text}`);
  }
  const broken = await send("/wp-json/wp/v2/tags", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{",
  });
  assert.deepEqual([broken.status, record(broken.json())["code"]], [400, "rest_invalid_json"]);
});

test("a change of a published post waits in its draft copy, and its client reads it", async () => {
  const { send, make, article } = await connect();
  const post = await make({ title: "Live", content: "<p>First.</p>", slug: "live-post", status: "publish" });
  const { article: made } = await article(post["id"]);
  await approveAndPublishArticle(service.app, made.id, CHIEF);
  const address = `${POSTS}/${String(post["id"])}`;
  const before = record((await send(address)).json());
  assert.deepEqual([before["status"], before["link"]], ["publish", "https://example.com/blog/live-post"]);
  const changed = record((await send(address, { json: { content: "<p>Second.</p>", status: "draft" } })).json());
  assert.deepEqual([changed["status"], record(changed["content"])["raw"]], ["publish", "<p>Second.</p>"]);
  assert.equal((await article(post["id"])).body.html, "<p>First.</p>");
  assert.equal(record(record((await send(address)).json())["content"])["rendered"], "<p>Second.</p>");
});

test("a post that takes longer has its number at once, can be read, and a repeat meanwhile is the same", async () => {
  const { sender, secret, article } = await connect();
  const gate = Promise.withResolvers<void>();
  const deps: ArrivalDeps = {
    ...service.app,
    readArrival: async (...given) => {
      await gate.promise;
      return service.app.readArrival(...given);
    },
  };
  const works: Promise<void>[] = [];
  const call = {
    deps,
    senderId: sender.id,
    request: { method: "POST", path: POSTS, query: {}, headers: { authorization: basic(secret) } },
    body: Buffer.from(JSON.stringify({ title: "Late", content: "<p>Later.</p>", secret })),
    base: "https://articles.example.com",
    address: null,
    later: (work: Promise<void>) => void works.push(work),
    replyWithinMs: 1,
  };
  const replies = [await wordpress.answer(call), await wordpress.answer(call)];
  const [first, again] = replies.map(({ body }) => record(JSON.parse(body.toString())));
  assert.deepEqual([replies[0]?.status, first?.["status"], first?.["id"]], [201, "pending", again?.["id"]]);
  assert.equal(replies[0]?.headers?.["Location"], `${call.base}/senders/${sender.id}${POSTS}/${String(first?.["id"])}`);
  const read = async (number: number) => {
    const request = { ...call.request, method: "GET", path: `${POSTS}/${number}` };
    const { status, body } = await wordpress.answer({ ...call, request, body: Buffer.alloc(0) });
    return [status, record(record(JSON.parse(body.toString()))["title"])["raw"]];
  };
  const number = Number(first?.["id"]);
  assert.deepEqual(await read(number), [200, ""]);
  gate.resolve();
  await Promise.all(works);
  assert.deepEqual(await read(number), [200, "Late"]);
  assert.equal((await article(number)).article.title, "Late");
  const stored = await service.app.store.read(async (db) => {
    const arrivals = await listArrivals(db, sender.id, { state: null, before: null, limit: 9 });
    return { arrivals, bodies: await Promise.all(arrivals.map(({ id }) => readArrivalBody(db, id))) };
  });
  assert.deepEqual(
    stored.arrivals.map(({ state }) => state),
    ["stored", "stored"],
  );
  const text = JSON.stringify(stored);
  for (const form of [secret, secret.replaceAll(" ", ""), basic(secret)]) assert.ok(!text.includes(form), text);
});

test("routes of single products' plugins are answered as those products expect", async () => {
  const { sender, secret } = await newSender({ ...service, website });
  for (const below of [
    "/wp-json/babylovegrowth/v1/publish",
    "/wp-json/surferseo/v1/import_post/",
    "/wp-admin/admin-ajax.php",
  ]) {
    const reply = await service.send(`/senders/${sender.id}${below}`, {
      method: "POST",
      headers: { "X-API-Key": secret, "Content-Type": "application/json" },
      body: JSON.stringify({ title: below, slug: "by-plugin", content: "<p>By a plugin's route.</p>" }),
    });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(record(reply.json())["success"], true);
  }
  // A sender for anything else is such a site, too.
  const headers = { "X-API-Key": undefined, Authorization: basic(secret) };
  assert.equal((await service.send(`/senders/${sender.id}/wp-json/wp/v2/users/me`, { headers })).status, 200);
});
