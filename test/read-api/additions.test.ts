/** docs/specification.md, 4.6: contents in lists, chosen fields, slugs, links between pages, warnings and codes. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CHIEF, fullArticle, makeArticle, oneOfEach } from "../helpers/articles.ts";
import { assertRefusal, type Json, record, records, type Reply } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { changeStore } from "../helpers/wrap-store.ts";
import { DAY_MS } from "../../src/domain/system/time.ts";
import {
  createArticle,
  deleteArticle,
  scheduleArticle,
  unpublishArticle,
  updateArticle,
} from "../../src/operations/articles/write/articles.ts";
import { insertAsset } from "../../src/store/articles/assets.ts";

let service: TestService;
let made: Awaited<ReturnType<typeof oneOfEach>>;
let full: string;

before(async () => {
  service = await startTestService();
  made = await oneOfEach(service.app, service.website.id);
  const input = fullArticle({ status: "published", slug: "soft-wässer", title: "Soft water" });
  full = (await createArticle(service.app, service.website.id, input, CHIEF)).article.id;
  for (let number = 0; number < 7; number++) {
    await createArticle(service.app, service.website.id, makeArticle({ status: "published" }), CHIEF);
  }
});
after(() => service[Symbol.asyncDispose]());

const shown = (reply: Reply): Json => {
  assert.equal(reply.status, 200, reply.text);
  return record(record(record(reply.json())["data"])["article"]);
};

const bySlug = (slug: string, query = "") => service.get(`${LIST}/by-slug/${encodeURIComponent(slug)}${query}`);

const linksOf = (reply: Reply) =>
  Object.fromEntries(
    Array.from(String(reply.headers.link ?? "").matchAll(/<([^>]*)>; rel="(\w+)"/g), ([, address, rel]) => [
      rel,
      address,
    ]),
  );

const warned = (reply: Reply) => reply.headers["x-rostrum-warnings"];

describe("contents", () => {
  test("include=content adds to each article of the list the content that its detail form has", async () => {
    const plain = await service.list();
    const { articles } = await service.list("?include=content");
    assert.equal(articles.length, plain.articles.length);
    for (const [index, { content, ...form }] of articles.entries()) {
      assert.deepEqual(form, plain.articles[index]);
      assert.equal(content, (await service.detail(String(form["id"])))["content"]);
    }
  });

  test("format chooses the forms of the content, in a list and in the detail form", async () => {
    const { content, markdown, text } = (await service.app.store.read((db) =>
      db.get(
        "SELECT html AS content, markdown, text FROM article_bodies JOIN articles USING (row_no) WHERE id = ?",
        full,
      ),
    )) as unknown as Record<string, string>;
    const forms = { html: { content }, markdown: { content_markdown: markdown }, text: { content_text: text } };
    for (const formats of [["html"], ["markdown"], ["text"], ["html", "text"], ["html", "markdown", "text"]] as const) {
      const expected = Object.assign({}, ...formats.map((format) => forms[format])) as Json;
      const query = `format=${formats.join(",")}`;
      const { articles } = await service.list(`?slug=soft-w%C3%A4sser&include=content&fields=id&${query}`);
      assert.deepEqual(articles, [{ id: full, ...expected }]);
      assert.deepEqual(await service.detail(full, `?fields=id,content&${query}`), { id: full, ...expected });
      const { content: _content, ...others } = await service.detail(full);
      assert.deepEqual(await service.detail(full, `?${query}`), { ...others, ...expected });
    }
  });

  test("a page ends before it has more than 4 MB of content, and the next page continues there: no article is skipped or repeated", async () => {
    await using own = await startTestService();
    const sizes = [1.5, 1.5, 1.5, 0.1, 5, 0.1, 0.1, 3.9, 0.1];
    for (const megabytes of sizes) {
      const input = makeArticle({ status: "published" });
      const { id } = (await createArticle(own.app, own.website.id, input, CHIEF)).article;
      // Preparing such a text takes a second.
      const content = `<p>${"tea ".repeat((megabytes * 1024 * 1024) / 4)}</p>`;
      await own.app.store.write((db) =>
        db.run(
          "UPDATE article_bodies SET html = ? WHERE row_no = (SELECT row_no FROM articles WHERE id = ?)",
          content,
          id,
        ),
      );
    }
    const all = (await own.list("?fields=id")).articles.map(({ id }) => id);
    const seen: unknown[] = [];
    let next = `${LIST}?include=content&fields=id&limit=100`;
    for (;;) {
      const reply = await own.get(next);
      const data = record(record(reply.json())["data"]);
      const articles = records(data["articles"]);
      const bytes = articles.reduce((sum, { content }) => sum + Buffer.byteLength(String(content)), 0);
      assert.ok(articles.length === 1 || bytes <= 4 * 1024 * 1024, `${bytes} bytes`);
      const { limit, offset, total } = record(data["pagination"]);
      assert.deepEqual([offset, total], [seen.length, sizes.length]);
      seen.push(...articles.map(({ id }) => id));
      const link = /<([^>]*)>; rel="next"/.exec(String(reply.headers.link))?.[1];
      if (link === undefined) break;
      assert.equal(limit, articles.length, "the limit that was applied");
      assert.match(String(reply.headers["x-rostrum-warnings"]), new RegExp(`go on at offset=${seen.length}"$`));
      next = link;
    }
    assert.deepEqual(seen, all);
  });

  test("while a page of them is read, others are answered at once, and as new as their requests", async () => {
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const change = changeStore((store) => ({
      read: (work, options) =>
        store.read(async (db) => {
          const result = await work(db);
          if (options?.isInParts === true) {
            begun.resolve();
            await held.promise;
          }
          return result;
        }, options),
    }));
    await using own = await startTestService({}, change);
    const create = () => createArticle(own.app, own.website.id, makeArticle({ status: "published" }), CHIEF);
    await create();
    for (let time = 0; time < 3; time++) assert.equal((await own.list()).articles.length, 1);
    const page = own.list("?include=content");
    await begun.promise;
    const { article } = await create();
    assert.equal((await own.list()).articles.length, 2);
    assert.equal((await own.detail(article.id))["id"], article.id);
    held.resolve();
    assert.equal((await page).articles.length, 1);
  });

  test("an unchanged list with contents is a 304, and is never kept in memory", async () => {
    const path = `${LIST}?include=content&limit=2`;
    const { headers } = await service.get(path);
    for (let time = 0; time < 3; time++) assert.equal((await service.get(path)).status, 200);
    assert.equal((await service.get(path, { "If-None-Match": headers.etag })).status, 304);
  });
});

test("urls=absolute makes the URLs of the content absolute at each address, and follows the website's address", async () => {
  await using own = await startTestService();
  const { app, website } = own;
  const move = (url: string | null) =>
    app.store.write((db) => db.run("UPDATE websites SET url = ? WHERE id = ?", url, website.id));
  await move(null);
  const content = '<p><a href="/a">a</a> <img src="b.png" alt=""></p>';
  const input = makeArticle({ status: "published", slug: "absolute", content });
  const { article } = await createArticle(app, website.id, input, CHIEF);
  const paths = [`${LIST}/${article.id}?`, `${LIST}/by-slug/absolute?`, `${LIST}?include=content&`];
  const read = async (path: string, etag?: string) => {
    const reply = await own.get(`${path}urls=absolute`, etag === undefined ? {} : { "If-None-Match": etag });
    const data = reply.status === 304 ? {} : record(record(reply.json())["data"]);
    const found = record(data["article"] ?? records(data["articles"] ?? [{}])[0]);
    return { status: reply.status, html: found["content"], etag: String(reply.headers.etag), headers: reply.headers };
  };
  for (const path of paths) {
    const { html, headers } = await read(path);
    assert.equal(html, content);
    assert.match(String(headers["x-rostrum-warnings"]), /the website has no address yet/);
  }
  for (const url of ["https://one.example", "https://two.example/blog"]) {
    await move(url);
    for (const path of paths) {
      for (let time = 0; time < 3; time++) {
        const { html, etag, headers } = await read(path);
        assert.equal(html, content.replace("/a", `${new URL(url).origin}/a`).replace("b.png", `${url}/b.png`), path);
        assert.equal(headers["x-rostrum-warnings"], undefined);
        assert.equal((await read(path, etag)).status, 304);
      }
      const plain = await own.get(path);
      assert.ok(plain.text.includes('href=\\"/a\\"'));
      assert.equal((await read(path, String(plain.headers.etag))).status, 200);
    }
  }
});

describe("fields", () => {
  test("the detail form has exactly the fields that are named, each with its value", async () => {
    const whole = await service.detail(full);
    for (const [name, value] of Object.entries(whole)) {
      assert.deepEqual(await service.detail(full, `?fields=${name}`), { [name]: value });
    }
    assert.deepEqual(await service.detail(full, `?fields=${Object.keys(whole).join(",")}`), whole);
  });

  test("updated_at is sent on request, in both forms", async () => {
    const expected = (await service.detail(full, "?fields=updated_at"))["updated_at"];
    assert.equal(new Date(String(expected)).toISOString(), expected);
    const whole = await service.detail(full);
    assert.ok(!("updated_at" in whole));
    assert.deepEqual(await service.detail(full, "?include=updated_at"), { ...whole, updated_at: expected });
    const { articles } = await service.list("?slug=soft-w%C3%A4sser&include=updated_at&fields=slug");
    assert.deepEqual(articles, [{ slug: "soft-wässer", updated_at: expected }]);
  });
});

test("toc and featured_image are answered at each address if they are named, and only then", async () => {
  const content = '<h2 id="a">One &amp; <em>two</em></h2><p>Text.</p><h3>Three</h3>';
  const image = { featuredImageUrl: "https://elsewhere.example/a.png", featuredImageAlt: "A kettle" };
  const input = makeArticle({ status: "published", slug: "with-headings", content, ...image });
  const { id } = (await createArticle(service.app, service.website.id, input, CHIEF)).article;
  const expected = {
    featured_image: { url: image.featuredImageUrl, width: null, height: null, alt: "A kettle" },
    toc: [
      { level: 2, text: "One & two", id: "user-content-a" },
      { level: 3, text: "Three", id: null },
    ],
  };
  const whole = await service.detail(id);
  assert.match(String(whole["content"]), /<h2 id="user-content-a">/);
  const one = async (query: string) => (await service.list(`?slug=with-headings&${query}`)).articles[0];
  const { content: _content, quality_metrics: _, pipeline_steps: _steps, internal_links: _links, ...rest } = whole;
  const { approved_at: _at, ...form } = rest;
  for (let time = 0; time < 3; time++) {
    const named = "featured_image,toc";
    assert.deepEqual(await service.detail(id, `?include=${named}`), { ...whole, ...expected });
    assert.deepEqual(await service.detail(id, `?fields=${named}`), expected);
    assert.deepEqual(shown(await bySlug("with-headings", "?fields=toc")), { toc: expected.toc });
    assert.deepEqual(await one(`fields=${named}`), expected);
    assert.deepEqual(await one(`include=${named}`), { ...form, ...expected });
    assert.deepEqual(await one("fields=id&include=content,toc&format=text"), {
      id,
      content_text: "One & two\n\nText.\n\nThree",
      toc: expected.toc,
    });
    assert.deepEqual(await one("fields=id&include=content,toc"), { id, content: whole["content"], toc: expected.toc });
    assert.ok(!("toc" in whole || "featured_image" in whole));
  }
  const { id: bare } = (
    await createArticle(service.app, service.website.id, makeArticle({ status: "published" }), CHIEF)
  ).article;
  assert.deepEqual(await service.detail(bare, "?fields=featured_image,toc"), { featured_image: null, toc: [] });
});

test("the size of a featured image is known once it is in the library, and changes the ETag", async () => {
  await using own = await startTestService();
  const { app, website } = own;
  const hash = "ab".repeat(32);
  const featuredImageUrl = `https://cdn.example/assets/${website.id}/${hash}/kettle.png`;
  const input = makeArticle({ status: "published", slug: "pictured", featuredImageUrl });
  const { id } = (await createArticle(app, website.id, input, CHIEF)).article;
  const paths = [`${LIST}/${id}?fields=featured_image`, `${LIST}/by-slug/pictured?fields=featured_image`];
  paths.push(`${LIST}?fields=featured_image`);
  const read = async (path: string, etag?: string) => {
    const reply = await own.get(path, etag === undefined ? {} : { "If-None-Match": etag });
    const data = reply.status === 304 ? {} : record(record(reply.json())["data"]);
    const found = record(data["article"] ?? records(data["articles"] ?? [{}])[0]);
    return { status: reply.status, image: found["featured_image"], etag: String(reply.headers.etag) };
  };
  const etags: string[] = [];
  for (const path of paths) {
    for (let time = 0; time < 3; time++) {
      const { image, etag } = await read(path);
      assert.deepEqual(record(image)["width"], null);
      assert.equal((await read(path, etag)).status, 304);
      etags.push(etag);
    }
  }
  await app.store.write((db) =>
    insertAsset(db, {
      id: app.newId(),
      websiteId: website.id,
      hash,
      name: "kettle.png",
      type: "image/png",
      bytes: 1,
      width: 320,
      height: 200,
      alt: "",
      sourceUrl: null,
      createdBy: "cli",
      createdAt: 1,
    }),
  );
  for (const [index, path] of paths.entries()) {
    const { status, image, etag } = await read(path, etags[3 * index]);
    assert.equal(status, 200);
    assert.deepEqual(image, { url: featuredImageUrl, width: 320, height: 200, alt: null });
    assert.equal((await read(path, etag)).status, 304);
  }
  // Another website's picture, and one in another size.
  for (const url of [featuredImageUrl.replace(website.id, app.newId()), `${featuredImageUrl}?w=160`]) {
    await updateArticle(app, id, { featuredImageUrl: url }, CHIEF);
    assert.deepEqual(await own.detail(id, "?fields=featured_image"), {
      featured_image: { url, width: null, height: null, alt: null },
    });
  }
});

test("the text of what is pending is in no list", async () => {
  const input = makeArticle({
    title: "Waiting",
    content: "<h2>Undisclosed</h2><p>Undisclosed.</p>",
    status: "pending",
  });
  const { article } = await createArticle(service.app, service.website.id, { ...input, excerpt: "None." }, CHIEF);
  for (const query of [
    "include=content",
    "include=content&format=markdown",
    "include=content&format=text&fields=id",
    "include=content,toc",
    "include=toc",
    "fields=toc",
    "include=content&debug=true",
    "q=undisclosed",
  ]) {
    const reply = await service.get(`${LIST}?status=pending&${query}`);
    assertRefusal(reply, 403, {
      error: "Forbidden",
      message: "Pending articles are listed without their text; leave out content, toc and q.",
    });
    assert.equal(reply.headers["x-error-code"], "article_not_approved");
  }
  for (const query of ["", "format=markdown", "fields=content", "urls=absolute", "include=authors"]) {
    const reply = await service.get(`${LIST}?status=pending&${query}`);
    assert.equal(reply.status, query === "fields=content" ? 400 : 200, query);
    assert.doesNotMatch(reply.text, /Undisclosed/, query);
  }
  const { secret } = await service.newKey({ scope: "preview" });
  const preview = await service.get(`${LIST}?status=pending&include=content`, { "X-API-Key": secret });
  assert.match(preview.text, /Undisclosed/);
  assert.equal((await service.get(`${LIST}?status=approved&include=content`)).status, 200);
  await deleteArticle(service.app, article.id, CHIEF);
});

describe("by-slug", () => {
  test("a request by slug gets the same response as one by id, every time", async () => {
    const whole = await service.detail(full);
    for (let time = 0; time < 3; time++) {
      const reply = await bySlug("soft-wässer");
      assert.deepEqual(shown(reply), whole);
      assert.equal(
        (await service.get(`${LIST}/by-slug/soft-w%C3%A4sser`, { "If-None-Match": reply.headers.etag })).status,
        304,
      );
    }
    assert.deepEqual(shown(await bySlug("soft-wässer", "?fields=title")), { title: "Soft water" });
  });

  test("a slug shows only what is published, whatever the key's scope", async () => {
    const { app, website } = service;
    const create = async (slug: string) => {
      const input = makeArticle({ status: "published", slug });
      return (await createArticle(app, website.id, input, CHIEF)).article.id;
    };
    const scheduled = await createArticle(app, website.id, makeArticle({ status: "approved", slug: "later" }), CHIEF);
    await scheduleArticle(app, scheduled.article.id, app.clock() + 365 * DAY_MS, CHIEF);
    const unpublished = await create("taken-down");
    // A key that has read it before gets it from memory.
    for (let time = 0; time < 3; time++) assert.equal((await bySlug("taken-down")).status, 200);
    await unpublishArticle(app, unpublished, CHIEF);
    const key = (await service.newKey({ scope: "published" })).secret;
    const { pending, approved } = made;
    for (const slug of [pending.article.slug, approved.article.slug, "later", "taken-down"]) {
      for (const secret of [service.key, key]) {
        const reply = await service.get(`${LIST}/by-slug/${slug}`, { "X-API-Key": secret });
        assert.equal(reply.status, 403, slug);
        assert.doesNotMatch(reply.text, /scope/);
      }
    }
    assert.equal((await service.get(`${LIST}/${approved.article.id}`)).status, 200, "by its id as specified");
    // The earlier slug of an article that is published leads to it, also while another article waits with this slug.
    const renamed = await create("wanted");
    await updateArticle(app, renamed, { slug: "renamed" }, CHIEF);
    await createArticle(app, website.id, makeArticle({ status: "approved", slug: "wanted" }), CHIEF);
    assert.equal(shown(await bySlug("wanted"))["id"], renamed);
    assert.equal((await bySlug("no-such-slug")).status, 404);
    const path = `${LIST}/by-slug/${approved.article.slug}`;
    const other = await service.newWebsite();
    const otherKey = (await service.newKey({}, other.id)).secret;
    assert.equal((await service.get(path, { "X-API-Key": otherKey })).status, 404);
    assert.equal((await service.get(`${LIST}/by-slug/%ff`)).status, 400);
  });
});

describe("Link", () => {
  test("following the next links visits every article once, and the prev links lead back, with all parameters", async () => {
    const query = "?limit=3&sort=title&fields=id&status=published&q=article+text&junk=%3C%3E";
    const all = (await service.list(`${query}&limit=3`.replace("limit=3&", ""))).articles;
    const whole = (await service.list("?limit=100&sort=title&fields=id&q=article+text")).articles;
    assert.ok(whole.length >= 7 && all.length === 3);
    const seen: Json[] = [];
    let path = `${LIST}${query}`;
    let pages = 0;
    for (;;) {
      const reply = await service.get(path);
      seen.push(...records(record(record(reply.json())["data"])["articles"]));
      pages++;
      const { next, prev } = linksOf(reply);
      assert.equal(prev !== undefined, pages > 1);
      if (prev !== undefined)
        assert.ok(linksOf(await service.get(prev))["next"]?.includes(`offset=${(pages - 1) * 3}`));
      if (next === undefined) break;
      path = next;
    }
    assert.deepEqual(seen, whole);
  });

  test("a list of one page has no Link header", async () => {
    assert.equal((await service.get(`${LIST}?limit=100`)).headers.link, undefined);
  });
});

describe("warnings", () => {
  test("a header names all ignored parameters and no others, every time", async () => {
    for (let time = 0; time < 3; time++) {
      const reply = await service.get(`${LIST}?categories=tea&limit=500&se%22n%C3%A9=1`);
      assert.equal(
        warned(reply),
        '"Unknown parameter ignored: categories; did you mean category?", "Unknown parameter ignored: se%22n%C3%A9", ' +
          '"limit is at most 100; 100 was applied"',
      );
    }
    for (const path of [LIST, `${LIST}/${full}`, `${LIST}?limit=3&strict=1`, "/api/public/events"]) {
      assert.equal(warned(await service.get(path)), undefined, path);
    }
    for (const path of [`${LIST}/${full}`, `${LIST}/by-slug/soft-w%C3%A4sser`, "/api/public/events"]) {
      assert.equal(warned(await service.get(`${path}?utm=1`)), '"Unknown parameter ignored: utm"', path);
    }
  });

  test("with strict=1, every warning becomes an error that names the parameter", async () => {
    for (const [query, param, code, message] of [
      ["categories=tea", "categories", "unknown_parameter", "There is no parameter categories. Did you mean category?"],
      ["utm=1", "utm", "unknown_parameter", "There is no parameter utm. Leave it out."],
      ["limit=500", "limit", "invalid_parameter", "limit must be at most 100."],
      [
        "format=text",
        "format",
        "invalid_parameter",
        "format has no effect on a list without include=content. Add include=content, or leave format out.",
      ],
    ] as const) {
      const reply = await service.get(`${LIST}?strict=1&${query}`);
      assert.deepEqual([reply.status, record(reply.json())["param"]], [400, param]);
      assert.equal(record(reply.json())["message"], message);
      assert.equal(reply.headers["x-error-code"], code);
      assert.equal((await service.get(`${LIST}?strict=0&${query}`)).status, 200);
    }
    assert.equal((await service.get(`${LIST}/${full}?strict=1&x=1`)).status, 400);
    assert.equal((await service.get(`${LIST}?strict=yes`)).status, 400);
  });
});

test("each error has its code, and no successful response has one", async () => {
  const nobody = "00000000-0000-4000-8000-000000000000";
  const cases: [path: string, headers: Record<string, string | undefined>, code: string][] = [
    [`${LIST}?limit=0`, {}, "invalid_parameter"],
    [`${LIST}?limit=1&limit=1`, {}, "duplicate_parameter"],
    [`${LIST}/x`, {}, "invalid_parameter"],
    [LIST, { "Accept-Version": "v2" }, "unsupported_version"],
    [LIST, { "X-API-Key": undefined }, "key_missing"],
    [LIST, { "X-API-Key": "rs_nothing" }, "key_unknown"],
    [`${LIST}/${made.pending.article.id}`, {}, "article_not_approved"],
    [`${LIST}/${nobody}`, {}, "article_not_found"],
    [`${LIST}/by-slug/nothing`, {}, "article_not_found"],
    [LIST, { "X-Preview-Token": "nothing" }, "preview_ended"],
    ["/api/public/nothing", {}, "no_such_endpoint"],
  ];
  for (const [path, headers, code] of cases) {
    const reply = await service.get(path, headers);
    assert.equal(reply.headers["x-error-code"], code, `${path} ${reply.text}`);
  }
  assert.equal((await service.send(LIST, { method: "POST" })).headers["x-error-code"], "method_not_allowed");
  for (const path of [LIST, `${LIST}/${full}`])
    assert.equal((await service.get(path)).headers["x-error-code"], undefined);
});
