/** `import` and `export`: what goes out comes back byte for byte, and twice is once. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { listAudit } from "../../src/operations/system/audit.ts";
import { SERVES_MS, spawnCli } from "../helpers/cli.ts";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { records } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";

const ARTICLES = [
  {
    title: "Everything",
    content: '<h2>A</h2><p>B &amp; <a href="/c">c</a>  d</p>',
    slug: "every-thing",
    excerpt: "Short.",
    status: "published",
    seo_keywords: ["a", "b, c"],
    meta_description: "M",
    target_keyword: "k",
    featured_image_url: "https://img.example.com/ä.png",
    featured_image_alt: "Alt",
    categories: ["C", "D"],
    tags: ["t"],
    authors: [{ name: "A", url: "https://a.example" }, "B"],
    meta_title: "M",
    canonical_url: "https://other.example/c",
    aliases: ["/old/one", "two"],
    language: "pt-BR",
    translation_group: "every",
    internal_links: [{ text: "x", url: "/x" }],
    created_at: "2020-01-01T00:00:00.001Z",
    approved_at: "2020-01-02T00:00:00.002Z",
    published_at: "2020-01-03T00:00:00.003Z",
    platform_url: "https://example.com/p",
    platform_post_id: "1",
    user_id: "u",
    quality_metrics: { seo: 1.5, nested: { a: [1, null, "x"] } },
    pipeline_steps: [{ name: "research", started_at: "2020-01-01T00:00:00.000Z", metadata: { a: 1 } }],
  },
  {
    title: "In Markdown",
    markdown: "# Head\n\nSome *text* | with\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    status: "published",
  },
  { title: "Waiting", content: "<p>w</p>", status: "approved", publish_at: "2999-01-01T00:00:00.000Z" },
  { title: "Drafted", content: "<p>d</p>", published_at: "2019-01-01T00:00:00.000Z", user_id: null },
  { title: "東京のお茶 🍵 \u2028", content: "<p>緑茶は「美味しい」。</p>", status: "approved" },
  { title: "Twin", content: "<p>1</p>", status: "published" },
  { title: "Twin", content: "<p>2</p>", status: "published" },
];

/** Twelve batches, most of which a kill after the first one finds undone. */
const COUNT = 600;

async function newSite(folder: Folder, name: string): Promise<{ data: string; website: string }> {
  const data = folder.at(name);
  const args = ["website", "create", "--name", name, "--url", "https://example.com"];
  return { data, website: String((await cliJson(args, { data, cwd: folder.path }))["id"]) };
}

test("export, import elsewhere and export again give the same bytes; importing twice changes nothing", async () => {
  await using folder = await tempFolder();
  const one = await newSite(folder, "one");
  const two = await newSite(folder, "two");
  const source = folder.at("articles.json");
  await writeFile(source, JSON.stringify({ articles: ARTICLES }));
  const pictures = { imported: 0, missing: 0 };
  const load = async (file: string, { data, website }: typeof one, cwd = folder.path) => {
    const { warnings, ...counts } = await cliJson(["import", file, "--website", website], { data, cwd });
    for (const { detail } of records(warnings)) assert.match(String(detail), /^No article/);
    return counts;
  };
  const none = { held: [], hidden: [], failed: [], skipped: [], warning_counts: {}, dialects: {}, pictures };
  const short = { ...none, warning_counts: { finding_blocks: 7 } };
  assert.deepEqual(await load(source, one), { created: 7, updated: 0, unchanged: 0, ...short });
  assert.deepEqual(await load(source, one), { created: 0, updated: 0, unchanged: 7, ...none });
  const dump = async ({ data, website }: typeof one, file: string) => {
    const result = await runCli(["export", "--website", website, "--output", file], { data, cwd: folder.path });
    assert.equal(result.code, 0, result.stderr);
    return readFile(file, "utf8");
  };
  const first = await dump(one, folder.at("first.ndjson"));
  assert.equal(first.trim().split("\n").length, 7);
  assert.deepEqual(await load(folder.at("first.ndjson"), two), { created: 7, updated: 0, unchanged: 0, ...short });
  assert.deepEqual(await load(folder.at("first.ndjson"), two), { created: 0, updated: 0, unchanged: 7, ...none });
  assert.equal(await dump(two, folder.at("second.ndjson")), first);
  assert.deepEqual(await load(folder.at("first.ndjson"), one), { created: 0, updated: 0, unchanged: 7, ...none });
  assert.equal(await dump(one, folder.at("third.ndjson")), first);
  const printed = await runCli(["export", "--website", one.website], { data: one.data, cwd: folder.path });
  assert.equal(printed.stdout, first);
  await runCli(["export", "--website", one.website, "--status", "approved"], { data: one.data, cwd: folder.path });
  await using app = await openApp(readConfig({ ROSTRUM_DATA_DIR: one.data }, folder.path));
  const settings = { websiteId: one.website, about: "articles", after: null, limit: 100 } as const;
  const exported = (await listAudit(app, settings)).entries.filter(({ action }) => action === "articles.exported");
  assert.deepEqual(
    exported.map(({ actor, targetId, detail }) => [actor, targetId, detail["status"]]),
    ["approved", null, null, null].map((status) => ["cli", one.website, status]),
    "the audit log has each",
  );
});

test("a bad item never stops the rest; it is named with its reason, and the exit code is 1", async () => {
  await using folder = await tempFolder();
  const { data, website } = await newSite(folder, "one");
  const stdin = '{"title":"Good","content":"x"}\n{"title":""}\nnonsense\n{"title":"Also good","markdown":"y"}\n';
  const args = ["import", "-", "--website", website, "--format", "ndjson", "--json"];
  const result = await runCli(args, { data, cwd: folder.path, stdin });
  assert.equal(result.code, 1);
  const { created, failed } = result.json() as { created: number; failed: { source: string; reason: string }[] };
  assert.equal(created, 2);
  assert.equal(failed.length, 2);
});

test("--include takes pages, and other types by their names", async () => {
  await using folder = await tempFolder();
  const { data, website } = await newSite(folder, "one");
  const posts = ["post", "page"].map((type, index) => ({ id: String(index), type, title: type, html: "<p>x</p>" }));
  const stdin = JSON.stringify({ posts });
  const load = async (...more: string[]) => {
    const args = ["import", "-", "--website", website, "--dry-run", ...more];
    return ((await cliJson(args, { data, cwd: folder.path, stdin })) as { created: number }).created;
  };
  assert.deepEqual([await load(), await load("--include", "Pages, recipe")], [1, 2]);
});

test("--dry-run writes nothing, --status sets the status, and events are sent only with --events", async () => {
  await using folder = await tempFolder();
  const { data, website } = await newSite(folder, "one");
  const stdin = '{"title":"A","content":"x","status":"pending"}\n';
  const run = (...more: string[]) =>
    cliJson(["import", "-", "--website", website, "--format", "ndjson", ...more], { data, cwd: folder.path, stdin });
  assert.equal((await run("--dry-run"))["created"], 1);
  const listed = () => runCli(["article", "list", "--website", website, "--json"], { data, cwd: folder.path });
  assert.deepEqual((await listed()).json(), []);
  await run("--status", "published");
  assert.match((await listed()).stdout, /"status":"published"/);
});

test("a killed import resumes where it was when it is run again", async () => {
  await using folder = await tempFolder();
  const { data, website } = await newSite(folder, "one");
  const lines = Array.from({ length: COUNT }, (_none, index) =>
    JSON.stringify({ title: `A ${index}`, content: `<p>${index}</p>` }),
  );
  await writeFile(folder.at("many.ndjson"), `${lines.join("\n")}\n`);
  const args = ["import", folder.at("many.ndjson"), "--website", website, "--json"];
  const child = spawnCli(args, { data, cwd: folder.path, withinMs: SERVES_MS });
  const closed = once(child, "close");
  const count = async () => {
    const { stdout } = await runCli(["article", "list", "--website", website, "--json"], { data, cwd: folder.path });
    return (JSON.parse(stdout) as unknown[]).length;
  };
  const hasBegun = async () => {
    assert.deepEqual([child.exitCode, child.signalCode], [null, null], "it was quicker than the kill");
    return (await count()) >= 50;
  };
  await until("the first batch is saved", hasBegun, SERVES_MS);
  child.kill("SIGKILL");
  await closed;
  const kept = await count();
  assert.ok(kept >= 50 && kept % 50 === 0, `${kept}: whole batches`);
  const summary = await cliJson(args.slice(0, -1), { data, cwd: folder.path });
  assert.deepEqual([summary["created"], summary["unchanged"]], [COUNT - kept, kept]);
});
