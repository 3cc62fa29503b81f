/** Imports in the dashboard: results are reported as they happen, and importing twice changes nothing. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { after, afterEach, before, describe, test } from "node:test";
import { Value } from "typebox/value";
import { importLine } from "../../src/http/admin/contract/imports.ts";
import { readImport } from "../../src/importers/import-source.ts";
import { countLists } from "../../src/operations/articles/lists/article-lists.ts";
import {
  approveAndPublishArticle,
  approveArticle,
  deleteArticle,
  getArticle,
} from "../../src/operations/articles/write/articles.ts";
import { ReadModel } from "../../src/operations/articles/read-model/read-model.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { zipOf } from "../../src/operations/articles/import/zip-test-helpers.ts";
import { CHIEF, PROSE } from "../helpers/articles.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { png } from "../helpers/pictures.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";
import { wrapStore } from "../helpers/wrap-store.ts";
import { API, type Browser } from "../people/dashboard.ts";
import { type Team, openTeam } from "../helpers/team.ts";

let team: Team;
/** Where this process puts its temporary files. */
let temporary: Folder;

before(async () => {
  temporary = await tempFolder();
  process.env["TMPDIR"] = temporary.path;
  team = await openTeam();
});
after(async () => {
  await team[Symbol.asyncDispose]();
  await temporary[Symbol.asyncDispose]();
});
afterEach(async () => {
  await until("no file of an import is left", async () => (await uploads()).length === 0);
});

async function uploads(): Promise<string[]> {
  return (await readdir(temporary.path)).filter((name) => name.startsWith("rostrum-upload-"));
}

interface Dropped {
  lines: Json[];
  items: Json[];
  /** Without its kind. */
  summary: Json | undefined;
}

const NONE = { created: 0, updated: 0, unchanged: 0, held: 0, failed: 0, skipped: 0 };

/** Drops a file; the website is the team's, unless the query names another. */
async function drop(
  name: string,
  content: string | Buffer,
  query: Record<string, string> = {},
  who: Browser = team.approver,
): Promise<Dropped> {
  const reply = await who.sendFile(address(name, query), content);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers["content-type"], "application/x-ndjson; charset=utf-8");
  const lines = reply.text
    .trimEnd()
    .split("\n")
    .map((line) => record(JSON.parse(line)));
  for (const line of lines) assert.ok(Value.Check(importLine, line), JSON.stringify(line));
  const last = lines.at(-1);
  const { kind, ...summary } = last ?? {};
  return {
    lines,
    items: lines.filter((line) => line["kind"] === "item").map(({ kind: _kind, ...item }) => item),
    summary: kind === "summary" ? summary : undefined,
  };
}

function address(name: string, query: Record<string, string> = {}): string {
  const all = { website_id: team.service.website.id, name, ...query };
  return `/imports?${new URLSearchParams(all).toString()}`;
}

function ndjson(count: number, more: (number: number) => Json = () => ({})): string {
  return Array.from({ length: count }, (_none, number) =>
    JSON.stringify({
      title: `Line ${number}`,
      content: `<p>Text ${number}.</p>`,
      slug: `line-${number}`,
      ...more(number),
    }),
  ).join("\n");
}

function post(title: string): string {
  return `---\ntitle: ${title}\n---\nText of ${title}.\n`;
}

function liveOne(more: Json): string {
  return ndjson(1, () => ({ slug: "live-one", status: "published", tags: ["a"], ...more }));
}

function contended(text: string): string {
  return ndjson(2, (number) => ({ slug: `contended-${number}`, content: `<p>${text} ${number}</p>` }));
}

function bySource(a: { source?: unknown }, b: { source?: unknown }): number {
  return String(a.source) < String(b.source) ? -1 : 1;
}

test("what its site hides is pending with the reason, whatever status is asked for; the dry run says the same", async () => {
  const text = "---\ntitle: Hidden\ndate: 2020-01-01\npassword: geheim\n---\nSecret.\n";
  const reason = "It is not open to everybody on its site (password).";
  const [would] = (await drop("hidden.md", text, { dry_run: "true", status: "published" })).items;
  assert.deepEqual([would?.["outcome"], would?.["reason"]], ["created", reason]);
  const [item] = (await drop("hidden.md", text, { status: "published" })).items;
  assert.deepEqual([item?.["outcome"], item?.["reason"]], ["created", reason]);
  const id = String(item?.["article_id"]);
  const { article } = await getArticle(team.service.app, id);
  assert.equal(article.status, "pending");
  // What people publish stays so, and what it would become is theirs to decide.
  await approveAndPublishArticle(team.service.app, id, CHIEF);
  const [changed] = (await drop("hidden.md", text.replace("Secret", "More secret"))).items;
  assert.equal(changed?.["outcome"], "held");
  assert.match(
    String(changed?.["reason"]),
    /^It is not open to everybody on its site \(password\)\. It is still published here: content\./,
  );
});

test("a Markdown file becomes an article; importing it again changes nothing, and a changed file changes that article", async () => {
  const text = `---\ntitle: Soft water\ntags: [tea]\n---\nIt makes better *tea*. ${PROSE}\n`;
  const first = await drop("2026-01-05-soft-water.md", text);
  const [item = {}] = first.items;
  const id = String(item["article_id"]);
  assert.deepEqual(first.items, [
    {
      source: "2026-01-05-soft-water.md",
      outcome: "created",
      article_id: id,
      title: "Soft water",
      reason: null,
      warnings: [],
    },
  ]);
  assert.deepEqual(first.summary, { ...NONE, created: 1 });
  const { article } = await team.stored(id);
  assert.deepEqual([article.slug, article.status], ["soft-water", "published"]);
  const again = await drop("2026-01-05-soft-water.md", text);
  assert.deepEqual(again.items, [{ ...item, outcome: "unchanged" }]);
  assert.deepEqual(again.summary, { ...NONE, unchanged: 1 });
  const changed = await drop("2026-01-05-soft-water.md", text.replace("tea]", "kettle]"));
  assert.deepEqual(changed.items, [{ ...item, outcome: "updated" }]);
  assert.deepEqual((await team.stored(id)).article.tags, ["kettle"]);
});

test("a slug that is taken, or has signs that no slug has, becomes another one, which is told", async () => {
  const { items } = await drop("one.md", `---\ntitle: One\nslug: c++\n---\n${PROSE}\n`);
  const { items: again } = await drop("two.md", `---\ntitle: Two\nslug: c\n---\n${PROSE}\n`);
  const { items: same } = await drop("three.md", `---\ntitle: Three\nslug: c__d\n---\n${PROSE}\n`);
  assert.deepEqual(
    [...items, ...again, ...same].map(({ warnings }) => warnings),
    [
      [{ kind: "address_guessed", detail: "slug: c++ → c" }],
      [{ kind: "address_guessed", detail: "slug: c → c-2" }],
      [],
    ],
  );
});

test("a folder uploaded file by file gives the same as the folder on the command line", async () => {
  const files: Record<string, string> = {
    "plain.md": post("Plain"),
    "_posts/2025-03-01-dated.md": post("Dated"),
    "2024/02/in-folders.md": post("In folders"),
    "bundle/index.md": post("Bundle"),
    "Grüße/ümlaut.md": post("Umlaut"),
    "page.html":
      "<!doctype html><html><head><title>P</title></head><body><article><h1>A page</h1><p>x</p></article></body></html>",
    "many.ndjson": ndjson(3, (number) => ({ slug: `of-many-${number}` })),
    "README.md": "# About this repository",
    ".hidden.md": post("Hidden"),
    "node_modules/x/index.md": post("A package"),
    "_layouts/post.html": "<article>{{ content }}</article>",
    "pictures/a.png": "\u0089PNG",
    "notes.txt": "Just notes.",
    "broken.json": "{",
    "letter.docx": "PK",
  };
  const { app } = team.service;
  const website = await team.service.newWebsite({ name: "By folder" });
  await using folder = await tempFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(folder.at(name)), { recursive: true });
    await writeFile(folder.at(name), content);
  }
  const items = readImport(folder.path, { format: "auto", websiteUrl: website.url });
  const byCommand = await importArticles(app, website.id, items, { actor: CHIEF, events: false, dryRun: false });
  assert.equal(byCommand.created, 9);

  const dropped: Json[] = [];
  for (const [name, content] of Object.entries(files)) {
    dropped.push(...(await drop(`blog/${name}`, content, { website_id: website.id, folder: "blog" })).items);
  }
  const told = (outcome: string) =>
    dropped.filter((item) => item["outcome"] === outcome).map(({ source, reason }) => ({ source, reason }));
  assert.equal(told("unchanged").length, 9, JSON.stringify(dropped));
  assert.deepEqual(told("failed").toSorted(bySource), byCommand.failed.toSorted(bySource));
  // A folder that is left out is named once on the command line; its files come one by one here.
  assert.deepEqual(
    told("skipped")
      .filter(({ source }) => !/^(?:node_modules|_layouts)\//.test(String(source)))
      .toSorted(bySource),
    byCommand.skipped.filter(({ source }) => !source.endsWith("/")).toSorted(bySource),
  );
  assert.equal(told("skipped").length, byCommand.skipped.length);
});

test("folders uploaded side by side give the same as in a folder around them, each index.md an article of its own", async () => {
  const { app } = team.service;
  const website = await team.service.newWebsite({ name: "Side by side" });
  const files = { "posts/one/index.md": post("One"), "posts/two/index.md": post("Two") };
  await using folder = await tempFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(folder.at(name)), { recursive: true });
    await writeFile(folder.at(name), content);
  }
  const options = { actor: CHIEF, events: false, dryRun: false };
  const importing = async (path: string) =>
    importArticles(app, website.id, readImport(path, { format: "auto", websiteUrl: website.url }), options);
  assert.equal((await importing(folder.at("posts"))).created, 2);
  const ways: [name: string, query: Record<string, string>][] = [
    ["posts/one/index.md", { folder: "posts" }],
    ["one/index.md", {}],
    ["one/index.md", { folder: "one" }],
  ];
  for (const [name, query] of ways) {
    const { items } = await drop(name, files["posts/one/index.md"], { website_id: website.id, ...query });
    assert.deepEqual(
      items.map(({ source, outcome }) => [source, outcome]),
      [["one/index.md", "unchanged"]],
      JSON.stringify(query),
    );
  }
  for (const path of ["posts/two", "posts/two/index.md"]) assert.equal((await importing(folder.at(path))).unchanged, 1);
  const [alone = {}] = (await drop("index.md", post("One"), { website_id: website.id })).items;
  assert.deepEqual(
    [alone["outcome"], alone["reason"]],
    ["failed", "An index.md is the article of its folder: take that folder."],
  );
});

test("a Word document, AsciiDoc, a table and a content management system's JSON arrive, and are unchanged the next time", async () => {
  const namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
  const word = `<w:document xmlns:w="${namespace}"><w:body><w:p><w:r><w:t>Hot.</w:t></w:r></w:p></w:body></w:document>`;
  const span = { _type: "span", text: "Hot." };
  const files: [name: string, content: string | Buffer, words: string][] = [
    ["tea.docx", zipOf({ "[Content_Types].xml": "<Types/>", "word/document.xml": word }), "Hot."],
    ["site/posts/tea.adoc", "= Tea\n\nHot *water*.\n", "Hot water."],
    ["tea.csv", "Title,Content\nTea of a table,Hot.\n", "Hot."],
    [
      "data.ndjson",
      JSON.stringify({ _id: "s1", _type: "post", title: "Tea", body: [{ _type: "block", children: [span] }] }),
      "Hot.",
    ],
    ["strapi.json", JSON.stringify({ data: [{ documentId: "s2", title: "Tea", content: "Hot." }] }), "Hot."],
  ];
  for (const [name, content, words] of files) {
    const first = await drop(name, content);
    assert.deepEqual(first.summary, { ...first.summary, ...NONE, created: 1 }, name);
    const { body } = await getArticle(team.service.app, String(first.items[0]?.["article_id"]));
    assert.match(body.html.replaceAll(/<[^<>]*>/g, ""), new RegExp(words), name);
    const second = await drop(name, content);
    assert.deepEqual(second.summary, { ...second.summary, ...NONE, unchanged: 1 }, name);
  }
});

test("unreadable files are reported, and one bad article does not stop the rest", async () => {
  const reasonOf = async (name: string, content: string | Buffer) => {
    const { items, summary } = await drop(name, content);
    assert.deepEqual(summary, { ...NONE, failed: 1 });
    return String(items[0]?.["reason"]);
  };
  assert.match(await reasonOf("a.gz", Buffer.from("1f8b080000000000", "hex")), /gzip archive: unpack it first/);
  assert.match(await reasonOf("notes.txt", "Just notes."), /format is not recognised/);
  assert.match(await reasonOf("empty.txt", ""), /It is empty/);
  assert.match(await reasonOf("a.json", '{"x": 1}'), /JSON without articles/);
  const good = ndjson(2, (number) => ({ slug: `good-${number}` }));
  const { items, summary } = await drop(
    "some.ndjson",
    `${good}\nnonsense\n{"title": ""}\n${ndjson(1, () => ({ slug: "last" }))}`,
  );
  assert.deepEqual(
    items.map(({ source, outcome }) => [source, outcome]),
    [
      ["some.ndjson, line 1", "created"],
      ["some.ndjson, line 2", "created"],
      ["some.ndjson, line 3", "failed"],
      ["some.ndjson, line 4", "failed"],
      ["some.ndjson, line 5", "created"],
    ],
  );
  assert.deepEqual(summary, { ...NONE, created: 3, failed: 2 });
});

test("results are reported as they happen, with the progress", async () => {
  const { lines, summary } = await drop(
    "long.ndjson",
    ndjson(60, (number) => ({ slug: `long-${number}` })),
  );
  const progress = lines.filter((line) => line["kind"] === "progress");
  assert.deepEqual([progress[0]?.["done"], progress[0]?.["part"]], [0, 0]);
  assert.deepEqual([progress.at(-1)?.["done"], progress.at(-1)?.["part"]], [60, 1]);
  assert.ok(progress.length > 3);
  assert.deepEqual(summary, { ...NONE, created: 60 });
});

test("a dry run reports what would be done and changes nothing", async () => {
  const before_ = await counts();
  const { items, summary } = await drop(
    "dry.ndjson",
    ndjson(2, (number) => ({ slug: `dry-${number}` })),
    { dry_run: "true" },
  );
  assert.deepEqual(
    items.map(({ outcome, article_id }) => [outcome, article_id]),
    [
      ["created", null],
      ["created", null],
    ],
  );
  assert.deepEqual(summary, { ...NONE, created: 2 });
  assert.deepEqual(await counts(), before_);
});

function counts(websiteId = team.service.website.id): ReturnType<typeof countLists> {
  const readModel = new ReadModel({ store: team.service.app.store, cacheBytes: 100_000, onChange: () => undefined });
  return countLists(readModel, websiteId, null);
}

test("webhooks are sent for imported articles only on request", async () => {
  const published = { status: "published" };
  const before_ = await team.service.lastSequence();
  await drop(
    "quiet.ndjson",
    ndjson(1, () => ({ slug: "quiet", ...published })),
  );
  assert.equal(await team.service.lastSequence(), before_);
  await drop(
    "loud.ndjson",
    ndjson(1, () => ({ slug: "loud", ...published })),
    { events: "true" },
  );
  assert.equal(await team.service.lastSequence(), before_ + 1);
});

test("an import has one audit entry, with its counts and who made it", async () => {
  await drop("noted.ndjson", `${ndjson(25, (number) => ({ slug: `noted-${number}` }))}\nnonsense`);
  await drop(
    "noted.ndjson",
    ndjson(25, (number) => ({ slug: `noted-${number}` })),
  );
  const { entries } = await team.owner.json("GET", `/audit?website_id=${team.service.website.id}`);
  const noted = records(entries).filter(({ detail }) => Number(record(detail)["created"]) === 25);
  assert.equal(noted.length, 1, "of the second one, which changed nothing, there is none");
  assert.equal(noted[0]?.["action"], "articles.imported");
  assert.equal(record(noted[0]?.["actor"])["email"], "approver@example.com");
  assert.equal(record(noted[0]?.["detail"])["failed"], 1);
});

describe("an importer who may not publish", () => {
  test("imports for review, whatever the file says", async () => {
    const { items } = await drop(
      "theirs.ndjson",
      ndjson(1, () => ({ slug: "theirs", status: "published" })),
      {},
      team.editor,
    );
    const id = String(items[0]?.["article_id"]);
    assert.equal((await team.stored(id)).article.status, "pending");
  });

  test("may not ask for another status", async () => {
    const reply = await team.editor.sendFile(address("x.md", { status: "published" }), "# X\n\nText.\n");
    assert.equal(reply.status, 403);
    assert.match(String(record(reply.json())["message"]), /for review/);
    assert.equal((await team.approver.sendFile(address("x.md", { status: "approved" }), "# X\n\nText.\n")).status, 200);
  });

  test("leaves published articles unchanged, to their last tag: what they bring is held", async () => {
    const [made = {}] = (await drop("live.ndjson", liveOne({}))).items;
    const id = String(made["article_id"]);
    const was = await team.stored(id);
    for (const change of [{ tags: ["b"] }, { content: "<p>Other.</p>" }, { title: "Other" }]) {
      const [item = {}] = (await drop("live.ndjson", liveOne(change), {}, team.editor)).items;
      assert.equal(item["outcome"], "held", JSON.stringify(change));
      assert.match(String(item["reason"]), /published, and only people who may approve can change it/);
    }
    assert.deepEqual(await team.stored(id), was);
    assert.equal(
      (await drop("live.ndjson", liveOne({ status: "pending" }), {}, team.editor)).items[0]?.["outcome"],
      "unchanged",
    );
  });
});

test("an id is kept; that of another website's article counts for nothing", async () => {
  const other = await team.service.newWebsite({ name: "Elsewhere" });
  const [made = {}] = (await drop("e.ndjson", ndjson(1), { website_id: other.id })).items;
  const free = team.service.app.newId();
  for (const [index, id] of [made["article_id"], free].entries()) {
    const line = (changes = {}) => ndjson(1, () => ({ id, slug: `elsewhere-${index}`, ...changes }));
    const [item = {}] = (await drop("e.ndjson", line())).items;
    assert.deepEqual([item["outcome"], item["reason"], item["article_id"] === id], ["created", null, id === free]);
    const [again = {}] = (await drop("e.ndjson", line({ tags: ["later"] }))).items;
    assert.deepEqual([again["outcome"], again["article_id"]], ["updated", item["article_id"]]);
    const own = ndjson(1, () => ({ id: item["article_id"], slug: `elsewhere-${index}`, tags: ["own"] }));
    const [known = {}] = (await drop("e.ndjson", own, { overwrite: "true" })).items;
    assert.deepEqual([known["outcome"], known["article_id"]], ["updated", item["article_id"]]);
  }
});

test("an article in the trash is not brought back by a file", async () => {
  const [own = {}] = (await drop("own.md", "# Own\n\nText.\n")).items;
  const id = String(own["article_id"]);
  await deleteArticle(team.service.app, id, CHIEF);
  const again = await drop("own.md", "# Own\n\nText.\n");
  assert.deepEqual(again.summary, { ...NONE, skipped: 1 });
  assert.match(String(again.items[0]?.["reason"]), /in the trash as/);
});

test("references of any length identify an article", async () => {
  // Too long for an entry of a PostgreSQL index.
  const title = "茶".repeat(1_000);
  const line = (content: string) => JSON.stringify({ title, content });
  assert.deepEqual((await drop("t.ndjson", line("<p>1</p>"))).summary, { ...NONE, created: 1 });
  assert.deepEqual((await drop("t.ndjson", line("<p>1</p>"))).summary, { ...NONE, unchanged: 1 });
  assert.deepEqual((await drop("t.ndjson", line("<p>2</p>"))).summary, { ...NONE, updated: 1 });
  // Of another file, it is another article.
  assert.deepEqual((await drop("u.ndjson", line("<p>3</p>"))).summary, { ...NONE, created: 1 });
  const name = `${"ö/".repeat(490)}x.md`;
  assert.deepEqual((await drop(name, "# Long\n\nName.\n")).summary, { ...NONE, created: 1 });
  assert.deepEqual((await drop(name, "# Long\n\nName.\n")).summary, { ...NONE, unchanged: 1 });
});

test("an article that occurs again in the next batch is changed by it", async () => {
  const texts = ["One.", "Two.", "Three."].map((text, index) => ({
    kind: "draft" as const,
    source: `line ${index}`,
    ref: "json:again",
    input: { id: "again", title: "Again", content: `<p>${PROSE} ${text}</p>` },
  }));
  const options = { events: false, dryRun: false, actor: CHIEF, batchItems: 1 };
  const { app, website } = team.service;
  const imported = await importArticles(app, website.id, Readable.from(texts), options);
  const none = { held: [], hidden: [], failed: [], skipped: [], warnings: [], warning_counts: {}, dialects: {} };
  assert.deepEqual(imported, { created: 1, updated: 2, unchanged: 0, ...none });
});

test("another person's change during an import is not overwritten, and the rest is saved", async () => {
  const { app, website } = team.service;
  const ids = (await drop("c.ndjson", contended("one"))).items.map((item) => String(item["article_id"]));
  const [first = "", other = ""] = ids;
  await writeFile(temporary.at("c.ndjson"), contended("two"));
  const lines = readImport(temporary.at("c.ndjson"), { format: "auto", websiteUrl: null });
  let isApproved = false;
  // Between what was read and what is saved of it.
  const store = wrapStore(app.store, {
    write: async (work, options) => {
      if (!isApproved) {
        isApproved = true;
        await approveArticle(app, first, CHIEF);
      }
      return app.store.write(work, options);
    },
  });
  const summary = await importArticles({ ...app, store }, website.id, lines, {
    actor: CHIEF,
    events: false,
    dryRun: false,
  });
  assert.equal(summary.updated, 1);
  assert.match(summary.failed[0]?.reason ?? "", /^You approved this article in another window/);
  assert.match((await team.stored(first)).body.html, /one 0/);
  assert.match((await team.stored(other)).body.html, /two 1/);
  assert.deepEqual([await team.rows("revisions", first), await team.rows("revision_texts", first)], [0, 0]);
});

describe("the file", () => {
  test("must be sent as an octet stream, and not from another site", async () => {
    const body = "# X\n\nText.\n";
    for (const type of [
      "application/json",
      "text/plain",
      "multipart/form-data; boundary=x",
      "application/octet-streams",
      "",
    ]) {
      const reply = await team.editor.sendFile(address("x.md"), body, { "Content-Type": type });
      assert.equal(reply.status, 403, type);
    }
    const reply = await team.editor.sendFile(address("x.md"), body, { "Sec-Fetch-Site": "cross-site" });
    assert.equal(reply.status, 403);
    for (const path of ["/articles", "/session", "/articles/bulk/approve"]) {
      assert.equal((await team.owner.sendFile(path, "{}")).status, 403, path);
    }
  });

  test("needs a name and a website of the person's", async () => {
    const other = await team.service.newWebsite({ name: "Closed" });
    const local = await team.people.person("editor", team.service.website.id, "local@example.com");
    const status = async (path: string, who = local) => (await who.sendFile(path, "# X\n\nText.\n")).status;
    assert.equal(await status(address("x.md", { website_id: other.id })), 403);
    assert.equal(await status(address("x.md", { website_id: "none" }), team.editor), 404);
    assert.equal(await status("/imports?name=x.md", team.editor), 400);
    assert.equal(await status(address(""), team.editor), 400);
    assert.equal(await status(address("a\u0000.md"), team.editor), 400);
    assert.equal(await status(address("a/x.md", { folder: "b" }), team.editor), 400);
    assert.equal(await status(address("x.md", { events: "perhaps" }), team.editor), 400);
    assert.equal((await counts(other.id)).pending, 0);
  });

  test("is refused at once when its declared length is too large", async () => {
    const headers = { "Content-Length": "200000001", Connection: "close" };
    const { status, text } = await begin(headers, (sending) => sending.write("{"));
    assert.equal(status, 413);
    assert.equal(
      record(JSON.parse(text))["message"],
      "The file is larger than 200 MB; split it, or import it on the command line.",
    );
  });

  test("is discarded if its sender disconnects during the upload", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sending = open({ "Content-Length": "1000000" });
    sending.on("error", () => resolve());
    sending.write("x".repeat(10_000));
    await until("it has begun to come", async () => (await uploads()).length === 1);
    sending.destroy();
    await promise;
    await until("nothing is left of it", async () => (await uploads()).length === 0);
  });
});

test("an import whose browser has gone ends with the current batch; what it did is kept and recorded", async () => {
  const website = await team.service.newWebsite({ name: "Left" });
  const sending = open({}, address("left.ndjson", { website_id: website.id }));
  sending.end(ndjson(3_000));
  const [response] = await once(sending, "response");
  await once(response, "readable");
  response.destroy();
  await until("the file is gone", async () => (await uploads()).length === 0);
  const { pending } = await counts(website.id);
  assert.ok(pending > 0 && pending < 3_000, String(pending));
  const { entries } = await team.owner.json("GET", `/audit?website_id=${website.id}`);
  const noted = records(entries).find(({ action }) => action === "articles.imported");
  assert.equal(record(noted?.["detail"])["created"], pending);
});

/** Several files as one body. */
function together(files: Record<string, string | Buffer>): Buffer {
  const bodies = Object.values(files).map((one) => Buffer.from(one));
  const list = Object.keys(files).map((name, index) => ({ name, size: bodies[index]?.length }));
  return Buffer.concat([Buffer.from(`${JSON.stringify(list)}\n`), ...bodies]);
}

describe("files of one drop", () => {
  const blog = {
    "blog/2026/index.md": post("The year"),
    "blog/2026/kettle.md": "---\ntitle: Kettle\n---\nText.\n\n![Steam](../img/steam.png)\n",
    "blog/bad.md": "---\ntitle: Bad\nquality_metrics: good\n---\nText.\n",
    "blog/img/steam.png": png(4, 3),
    "blog/sheet.xlsx": "nothing",
  };

  test("are imported as their folder is by the command, with the pictures beside them", async () => {
    const website = await team.service.newWebsite({ name: "Together" });
    const query = { website_id: website.id, files: "true", folder: "blog" };
    const { items, summary } = await drop("blog", together(blog), query);
    assert.deepEqual(summary, { ...NONE, created: 2, failed: 1, skipped: 1 });
    assert.deepEqual(items.map(({ source, outcome }) => `${String(source)} ${String(outcome)}`).sort(), [
      "2026/index.md created",
      "2026/kettle.md created",
      "bad.md failed",
      "sheet.xlsx skipped",
    ]);
    const kettle = items.find(({ title }) => title === "Kettle");
    const { body } = await getArticle(team.service.app, String(kettle?.["article_id"]));
    assert.match(body.html, /\/assets\//);
    // The command recognises them by the same paths.
    await using folder = await tempFolder();
    for (const [name, content] of Object.entries(blog)) {
      await mkdir(dirname(folder.at(name)), { recursive: true });
      await writeFile(folder.at(name), content);
    }
    const found = readImport(folder.at("blog"), { format: "auto", websiteUrl: website.url });
    const again = await importArticles(team.service.app, website.id, found, {
      dryRun: true,
      events: false,
      actor: CHIEF,
    });
    assert.deepEqual([again.created, again.failed.length], [0, 1]);
    // So does a file that comes alone.
    const alone = await drop("blog/2026/index.md", blog["blog/2026/index.md"], { ...query, files: "false" });
    assert.deepEqual(alone.summary, { ...NONE, unchanged: 1 });
  });

  test("of several folders, or of none, keep the paths by which each is recognised", async () => {
    const website = await team.service.newWebsite({ name: "Beside" });
    const query = { website_id: website.id };
    const files = { "a/one.md": post("One"), "b/index.md": post("Two"), "three.md": post("Three") };
    const first = await drop("3 files", together(files), { ...query, files: "true" });
    assert.deepEqual(
      first.items.map(({ source }) => String(source)).toSorted((a, b) => a.localeCompare(b)),
      ["a/one.md", "b/index.md", "three.md"],
    );
    for (const [name, text] of Object.entries(files)) {
      assert.deepEqual((await drop(name, text, query)).summary, { ...NONE, unchanged: 1 }, name);
    }
  });

  for (const [what, body] of Object.entries({
    "a path out of its folder": together({ "blog/../x.md": "Text." }),
    "a file beside its folder": together({ "other/x.md": "Text." }),
    "two files of one name": Buffer.concat([
      Buffer.from('[{"name":"blog/x.md","size":1},{"name":"blog/x.md","size":1}]\nab'),
    ]),
    "a file and a folder of one name": together({ "blog/x": "Text.", "blog/x/y.md": "Text." }),
    "bytes that are missing": together(blog).subarray(0, -1),
    "no list": Buffer.from("# Title\n"),
  })) {
    test(`are refused with ${what}`, async () => {
      const website = await team.service.newWebsite({ name: what });
      const { lines } = await drop("blog", body, { website_id: website.id, files: "true", folder: "blog" });
      assert.match(String(lines.at(-1)?.["message"]), /^The files did not arrive as they were sent/);
      assert.equal((await counts(website.id)).all, 0);
    });
  }
});

test("an import is stopped after its batch by who began it, and reports all that it saved", async () => {
  const website = await team.service.newWebsite({ name: "Stopped" });
  const sending = open({}, address("stopped.ndjson", { website_id: website.id, import_id: "mine" }));
  sending.end(ndjson(3_000));
  const [response] = await once(sending, "response");
  let text = "";
  response.setEncoding("utf8").on("data", (part: string) => (text += part));
  await until("something is told", () => text.includes('"item"'));
  const stop = (who: Browser) =>
    who.json("POST", "/imports/stop", { website_id: website.id, import_id: "mine" }).then(record);
  const again = address("again.md", { website_id: website.id, import_id: "mine" });
  assert.equal((await team.approver.sendFile(again, "# Again\n\nText.\n")).status, 409);
  assert.deepEqual(await stop(team.owner), { is_stopped: false });
  assert.deepEqual(await stop(team.approver), { is_stopped: true });
  await until("it has ended", () => response.complete === true);
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => record(JSON.parse(line)));
  const saved = lines.filter(({ outcome }) => outcome === "created").length;
  assert.deepEqual(lines.at(-1), { kind: "stopped", done: saved });
  assert.ok(saved < 3_000, String(saved));
  assert.equal((await counts(website.id)).pending, saved);
  await until("it is over", async () => (await stop(team.approver))["is_stopped"] === false);
});

test("imports beyond a website's limit are refused with a request to wait, whoever asks", async () => {
  const open_ = Array.from({ length: 2 }, () => {
    const sending = open({ "Content-Length": "100" });
    sending.on("error", () => undefined);
    sending.write("x");
    return sending;
  });
  await until("two are under way", async () => (await uploads()).length === 2);
  const reply = await team.editor.sendFile(address("x.md"), "# Later\n\nText.\n");
  assert.equal(reply.status, 409);
  for (const sending of open_) sending.destroy();
  await until("there is room again", async () => {
    return (await team.editor.sendFile(address("x.md"), "# Later\n\nText.\n")).status === 200;
  });
});

test("a stopping service ends an import after its batch and reports it", async () => {
  await using own = await openTeam();
  const sending = request(`${own.service.url}${API}/imports?website_id=${own.service.website.id}&name=x.ndjson`, {
    method: "POST",
    headers: headersOf(own.owner),
  });
  sending.end(ndjson(3_000));
  const [response] = await once(sending, "response");
  let text = "";
  response.setEncoding("utf8").on("data", (part: string) => (text += part));
  await until("something is told", () => text.includes('"item"'));
  await own[Symbol.asyncDispose]();
  await until("it has ended", () => response.complete === true);
  assert.match(
    String(record(JSON.parse(text.trimEnd().split("\n").at(-1) ?? ""))["message"]),
    /^The service is stopping/,
  );
});

function headersOf(browser: Browser): Record<string, string> {
  return {
    Cookie: browser.cookie ?? "",
    "Sec-Fetch-Site": "same-origin",
    "Content-Type": "application/octet-stream",
  };
}

function open(headers: Record<string, string>, path = address("open.ndjson")) {
  return request(team.service.url + API + path, {
    method: "POST",
    headers: { ...headersOf(team.approver), ...headers },
    agent: false,
  });
}

async function begin(
  headers: Record<string, string>,
  write: (sending: ReturnType<typeof request>) => void,
): Promise<{ status: number; text: string }> {
  const sending = open(headers);
  sending.on("error", () => undefined);
  write(sending);
  const [response] = await once(sending, "response");
  let text = "";
  for await (const part of response) text += String(part);
  sending.destroy();
  return { status: response.statusCode, text };
}
