/** `export --format wordpress` and `ghost`: what our own importers read back is what was exported. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { SaxesParser } from "saxes";
import { records, record } from "../helpers/http.ts";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";

const ARTICLES = [
  {
    id: "01a1fd3e-514d-73a1-9b37-2af8b51009f2",
    title: 'Everything & <b>more</b> ]]> "quoted"',
    content:
      '<h2>A</h2>\n<p>B &amp; <a href="/c">c</a>\n d [gallery] [/x] ]]&gt; &lt;![CDATA[</p>\n<pre><code>[code]\n\n\n if (a[b]) &lt;!--more--&gt;\n</code></pre>',
    slug: "every-thing",
    excerpt: "Short & <sweet>.",
    status: "published",
    seo_keywords: ["a", "b c"],
    meta_description: "M & N",
    target_keyword: "k",
    featured_image_url: "https://img.example.com/p.png?a=1&b=2",
    featured_image_alt: 'Alt "&" more',
    categories: ["C & D", "Zwei"],
    tags: ["C", "C#", "c++", "茶"],
    authors: [{ name: "Ada & Co.", url: null }],
    meta_title: "MT",
    canonical_url: "https://other.example/c",
    aliases: ["/old/one", "two"],
    language: "pt-BR",
    translation_group: "every",
    created_at: "2020-01-03T00:00:00.000Z",
    published_at: "2020-01-03T00:00:00.000Z",
    updated_at: "2020-01-04T00:00:00.000Z",
    platform_url: "https://example.com/p",
  },
  {
    title: "Same picture",
    content: "<p>w</p>",
    status: "published",
    featured_image_url: "https://img.example.com/q.png",
  },
  {
    title: "Same picture",
    content: "<p>x</p>",
    status: "published",
    featured_image_url: "https://img.example.com/q.png",
  },
  { title: "Waiting", content: "<p>w</p>", status: "approved", publish_at: "2999-01-01T00:00:00.000Z" },
  { title: "Approved", content: "<p>a</p>", status: "approved" },
  { title: "Drafted", content: "<p>d</p>", review_state: "draft", created_at: "2019-05-05T05:05:05.000Z" },
  { title: "東京のお茶 🍵", content: "<p>緑茶は「美味しい」。</p>", status: "published" },
  { title: "In Markdown", markdown: "# Head\n\nSome *text*\nin lines.\n", status: "published" },
];

/** What both formats hold of each article. */
const HELD = [
  "title",
  "slug",
  "content",
  "excerpt",
  "meta_title",
  "meta_description",
  "featured_image_url",
  "canonical_url",
  "language",
];

async function exported(folder: Folder, lines: readonly object[], ...options: string[]) {
  const from = await newSite(folder, "from");
  await writeFile(folder.at("in.ndjson"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { code, stderr } = await runCli(["import", folder.at("in.ndjson"), "--website", from.website], from);
  assert.equal(code, 0, stderr);
  const out = folder.at("out");
  const done = await runCli(["export", "--website", from.website, "--output", out, ...options], from);
  assert.equal(done.code, 0, done.stderr);
  return { ...from, text: await readFile(out, "utf8"), told: done.stderr };
}

async function newSite(folder: Folder, name: string): Promise<{ data: string; website: string }> {
  const data = folder.at(name);
  const args = ["website", "create", "--name", name, "--url", "https://example.com"];
  return { data, website: String((await cliJson(args, { data, cwd: folder.path }))["id"]) };
}

async function linesOf({ data, website }: { data: string; website: string }): Promise<Record<string, unknown>[]> {
  const { stdout } = await runCli(["export", "--website", website], { data });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => record(JSON.parse(line)));
}

async function readBack(folder: Folder, name: string, text: string): Promise<Record<string, unknown>[]> {
  const to = await newSite(folder, `to-${name}`);
  await writeFile(folder.at(name), text);
  const done = await runCli(["import", folder.at(name), "--website", to.website, "--json"], to);
  assert.equal(done.code, 0, done.stdout + done.stderr);
  return linesOf(to);
}

function pick(line: Record<string, unknown> | undefined, fields: readonly string[]): Record<string, unknown> {
  const { content, ...others } = line ?? {};
  // HTML that was made of Markdown ends with a line break.
  const text = String(content).trim();
  return Object.fromEntries(fields.map((field) => [field, field === "content" ? text : others[field]]));
}

/** By slug: an import from WordPress keeps no ids. */
function assertEqual(
  before: Record<string, unknown>[],
  after: Record<string, unknown>[],
  fields: readonly string[],
): void {
  assert.equal(after.length, before.length);
  for (const line of before) {
    const same = after.find(({ slug }) => slug === line["slug"]);
    assert.deepEqual(pick(same, fields), pick(line, fields));
  }
}

test("WordPress' format is read back with everything that it holds", async () => {
  await using folder = await tempFolder();
  const from = await exported(folder, ARTICLES, "--format", "wordpress");
  const before = await linesOf(from);
  const after = await readBack(folder, "w.xml", from.text);
  const more = [
    "featured_image_alt",
    "categories",
    "tags",
    "authors",
    "seo_keywords",
    "target_keyword",
    "aliases",
    "translation_group",
    "platform_url",
  ];
  assertEqual(before, after, [...HELD, ...more]);
  const { published_at, updated_at, created_at, status } = after.find(({ slug }) => slug === "every-thing") ?? {};
  assert.deepEqual(
    [published_at, updated_at, created_at, status],
    ["2020-01-03T00:00:00.000Z", "2020-01-04T00:00:00.000Z", "2020-01-03T00:00:00.000Z", "published"],
  );
  const waiting = after.find(({ slug }) => slug === "waiting");
  assert.deepEqual([waiting?.["status"], waiting?.["publish_at"]], ["approved", "2999-01-01T00:00:00.000Z"]);
  const drafted = after.find(({ slug }) => slug === "drafted");
  assert.deepEqual([drafted?.["status"], drafted?.["created_at"]], ["pending", "2019-05-05T05:05:05.000Z"]);
  assert.match(from.told, /^What WordPress has no place for:\n(?: {2}.*\n)* {2}8 articles: its id\n/);
  assert.match(from.told, / {2}1 article: the Markdown that it was written in; its HTML is exported\n/);
  assert.match(from.told, / {2}1 article: its approval\n/);
});

test("WordPress' format is XML as its importer reads it", async () => {
  await using folder = await tempFolder();
  const { text } = await exported(
    folder,
    [...ARTICLES, { title: "Two", content: "<p>t</p>", authors: ["Ada & Co.", "Böb"], status: "published" }],
    "--format",
    "wordpress",
  );
  const items = readItems(text);
  const types = items.map(({ "wp:post_type": type }) => type);
  // One picture is in two articles.
  assert.deepEqual(types.filter((type) => type === "attachment").length, 2);
  const ids = items.map(({ "wp:post_id": id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  // WordPress takes items of the same title and time for one.
  const titles = items.filter((item) => item["wp:post_type"] === "attachment").map(({ title }) => title);
  assert.equal(new Set(titles).size, titles.length);
  const states = Object.fromEntries(items.map((item) => [item["wp:post_name"], item["wp:status"]]));
  assert.deepEqual(
    [states["waiting"], states["approved"], states["drafted"], states["every-thing"]],
    ["future", "pending", "draft", "publish"],
  );
  const everything = items.find((item) => item["wp:post_name"] === "every-thing");
  assert.equal(everything?.["dc:creator"], "ada-co");
  assert.match(
    everything["content:encoded"] ?? "",
    /^<!-- wp:html -->\n(?:[^[]|\[(?!\/?[a-z]))*\n<!-- \/wp:html -->$/i,
  );
  assert.match(text, /<category domain="author" nicename="cap-bob"><!\[CDATA\[bob\]\]><\/category>/);
  assert.ok(text.indexOf("<wp:author>") < text.indexOf("<item>"));
});

function readItems(text: string): Record<string, string>[] {
  const items: Record<string, string>[] = [];
  let value = "";
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name }) => {
    if (name === "item") items.push({});
    value = "";
  });
  parser.on("text", (part) => (value += part));
  parser.on("cdata", (part) => (value += part));
  parser.on("closetag", ({ name }) => {
    const item = items.at(-1);
    if (item !== undefined) item[name] = value;
  });
  parser.write(text).close();
  return items;
}

test("Ghost's format is read back with everything that it holds", async () => {
  await using folder = await tempFolder();
  const from = await exported(folder, ARTICLES, "--format", "ghost");
  const before = await linesOf(from);
  const after = await readBack(folder, "g.json", from.text);
  assertEqual(before, after, [
    "id",
    ...HELD,
    "featured_image_alt",
    "authors",
    "created_at",
    "updated_at",
    "publish_at",
  ]);
  const [first] = after;
  assert.deepEqual(after.find(({ slug }) => slug === "every-thing")?.["tags"], [
    "C & D",
    "Zwei",
    "C",
    "C#",
    "c++",
    "茶",
  ]);
  assert.equal(typeof first?.["title"], "string");
  assert.match(from.told, / {2}1 article: its keywords\n/);
  assert.match(from.told, / {2}1 article: its former addresses; --redirects writes them to a file\n/);
});

test("Ghost's format has the tables and limits of its importer", async () => {
  await using folder = await tempFolder();
  const long = "Long words ".repeat(60).trim();
  const { text, told } = await exported(
    folder,
    [
      {
        title: long.slice(0, 400),
        content: "<p>t</p>",
        excerpt: long,
        tags: [",x", "#y"],
        authors: ["茶", "Ada", "ada"],
        status: "published",
      },
    ],
    "--format",
    "ghost",
  );
  const [{ meta, data } = {}] = records(record(JSON.parse(text))["db"]);
  assert.match(String(record(meta)["version"]), /^\d+\.\d+\.\d+$/);
  const tables = record(data);
  const [post] = records(tables["posts"]);
  assert.deepEqual([String(post?.["title"]).length, String(post?.["custom_excerpt"]).length], [255, 300]);
  assert.deepEqual(
    records(tables["tags"]).map(({ name }) => name),
    ["x", "#y"],
  );
  const users = records(tables["users"]);
  assert.equal(new Set(users.map(({ email }) => email)).size, 3);
  assert.equal(new Set(users.map(({ slug }) => slug)).size, 3);
  for (const { email } of users) assert.match(String(email), /^[a-z0-9-]+@authors\.invalid$/);
  assert.deepEqual(
    records(tables["posts_authors"]).map(({ author_id }) => author_id),
    users.map(({ id }) => id),
  );
  assert.match(told, / {2}1 article: texts that are longer than Ghost takes, which are cut\n/);
});

test("former addresses are a list of redirects", async () => {
  await using folder = await tempFolder();
  const { data, website } = await exported(
    folder,
    ARTICLES,
    "--format",
    "wordpress",
    "--redirects",
    folder.at("r.csv"),
  );
  assert.equal(
    await readFile(folder.at("r.csv"), "utf8"),
    'source,target\n"/old/one","/?name=every-thing"\n"/two","/?name=every-thing"\n',
  );
  const args = ["export", "--website", website, "--format", "ghost", "--redirects", folder.at("r.json")];
  assert.equal((await runCli(args, { data })).code, 0);
  assert.deepEqual(JSON.parse(await readFile(folder.at("r.json"), "utf8")), [
    { from: "^/old/one/?$", to: "/every-thing/", permanent: true },
    { from: "^/two/?$", to: "/every-thing/", permanent: true },
  ]);
});

test("options that do not go together are refused", async () => {
  await using folder = await tempFolder();
  const { data, website } = await newSite(folder, "site");
  const refused = async (...options: string[]) => {
    const { code, stderr } = await runCli(["export", "--website", website, ...options], { data });
    assert.equal(code, 2, stderr);
    return stderr;
  };
  assert.match(await refused("--format", "joomla"), /must be one of rostrum, wordpress, ghost/);
  assert.match(await refused("--format", "ghost", "--with-assets", "--output", folder.at("o")), /--with-assets/);
  assert.match(await refused("--redirects", folder.at("r")), /--redirects/);
});
