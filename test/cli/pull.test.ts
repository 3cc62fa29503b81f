/** `rostrum pull`: the published articles as Markdown files, for site generators. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parse } from "yaml";
import { MarkdownFolder } from "../../src/cli/articles/markdown-folder.ts";
import { createArticle, deleteArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { addAsset } from "../../src/operations/articles/assets/assets.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { runCli } from "../helpers/cli-in-process.ts";
import { tempFolder } from "../helpers/folder.ts";
import { png } from "../helpers/pictures.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

let service: TestService;

before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

async function emptySite() {
  const folder = await tempFolder();
  const website = await service.newWebsite();
  const { secret } = await service.newKey({}, website.id);
  const out = join(folder.path, "articles");
  return {
    out,
    websiteId: website.id,
    at: (name: string) => folder.at(name),
    files: () =>
      readdirSync(out)
        .filter((name) => !name.startsWith("."))
        .toSorted(),
    read: (name: string) => readFileSync(join(out, name), "utf8"),
    pull: (...options: string[]) =>
      runCli(
        ["pull", out, "--key-file", "-", ...(options.includes("--url") ? [] : ["--url", service.url]), ...options],
        {
          cwd: folder.path,
          stdin: `${secret}\n`,
        },
      ),
    publish: async (input: Parameters<typeof makeArticle>[0]) =>
      (await createArticle(service.app, website.id, makeArticle({ status: "published", ...input }), CHIEF)).article.id,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** A service that answers what the test says. */
async function startFake(answer: (request: IncomingMessage) => Promise<{ status: number; body: string }>) {
  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, body }) => response.writeHead(status, { "Content-Type": "application/json" }).end(body),
      () => response.destroy(),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** @returns the front matter and the body. */
function split(text: string): { fields: Record<string, unknown>; body: string } {
  const [, front = "", body = ""] = /^---\n([\s\S]*?)\n---\n\n([\s\S]*)$/.exec(text) ?? [];
  return { fields: parse(front) as Record<string, unknown>, body };
}

test("each published article is a file with front matter; one that changes nothing is left alone", async () => {
  await using site = await emptySite();
  const id = await site.publish({
    title: 'Water: "soft" or hard?',
    slug: "water",
    markdown: "Soft water makes **better** tea.",
    tags: ["tea", "yes", "2024"],
    metaDescription: "Which water?",
    publishedAt: Date.UTC(2026, 2, 3, 9),
    updatedAt: Date.UTC(2026, 2, 4, 9),
  });
  await site.publish({ title: "Kettles", slug: "kettles", markdown: "---\n\nA rule first.", tags: [] });
  const first = await site.pull("--json");
  assert.deepEqual(JSON.parse(first.stdout), { written: ["kettles.md", "water.md"], removed: [] });
  const { fields, body } = split(site.read("water.md"));
  assert.deepEqual(fields, {
    title: 'Water: "soft" or hard?',
    slug: "water",
    date: "2026-03-03T09:00:00.000Z",
    lastmod: "2026-03-04T09:00:00.000Z",
    description: "Which water?",
    tags: ["tea", "yes", "2024"],
    rostrum_id: id,
  });
  assert.equal(body, "Soft water makes **better** tea.\n");
  assert.equal(split(site.read("kettles.md")).body, "---\n\nA rule first.\n");
  const { mtimeMs } = statSync(join(site.out, "water.md"));
  await site.publish({ title: "Leaves", slug: "leaves" });
  const second = await site.pull();
  assert.equal(second.stderr, "1 written, 0 removed.\n");
  assert.equal(statSync(join(site.out, "water.md")).mtimeMs, mtimeMs);
});

test("the front matter has an article's optional fields, also after a change", async () => {
  await using site = await emptySite();
  const id = await site.publish({
    slug: "wasser",
    authors: [{ name: "Ada", url: "https://ada.example" }],
    metaTitle: "Wasser | Tee",
    canonicalUrl: "https://other.example/wasser",
    aliases: ["/alt/wasser"],
    language: "de",
    translationGroup: "water",
  });
  const expected = {
    authors: ["Ada"],
    meta_title: "Wasser | Tee",
    canonical_url: "https://other.example/wasser",
    aliases: ["/alt/wasser"],
    lang: "de",
    translationKey: "water",
  };
  const assertWritten = (text: string, over: object) => {
    const { fields } = split(text);
    assert.deepEqual(fields, { ...fields, ...expected, ...over });
  };
  await site.pull();
  assertWritten(site.read("wasser.md"), {});
  await updateArticle(service.app, id, { language: "de-AT" }, CHIEF);
  await site.pull();
  assertWritten(site.read("wasser.md"), { lang: "de-AT" });
});

test("a service that is none of ours writes and removes nothing outside of the folder", async () => {
  const id = "01a20acc-7897-74c0-b428-95dc575eb2e1";
  const published_at = "2026-11-21T08:00:00.000Z";
  const hostileIds = ["../../x", "..\\..\\x", "__proto__", `\u001b]0;x\u0007${"x".repeat(300)}`, 5].map((one) => ({
    id: one,
  }));
  for (const hostile of [...hostileIds, { published_at: "../../../x" }, { published_at: 1 }, { slug: null }]) {
    await using site = await emptySite();
    await using fake = await startFake(async ({ url }) => {
      const article = { id, slug: "", title: "Tea", published_at, content_markdown: "Tea.", ...hostile };
      const pagination = { total: 1, limit: 100, offset: 0, has_more: false };
      const state = { version: "a.1", latest_sequence: 1 };
      const data = url?.includes("/state") === true ? state : { articles: [article], pagination };
      return { status: 200, body: JSON.stringify({ data }) };
    });
    const { code, stderr } = await site.pull("--url", fake.url, "--names", "date-slug");
    assert.equal(code, 1);
    assert.match(stderr, /^http:\S+ sent what is no article: is it a Rostrum service\?\n$/);
    assert.deepEqual(site.files(), []);
    assert.deepEqual(readdirSync(join(site.out, "..")), ["articles"]);
  }
  await using site = await emptySite();
  await site.publish({ slug: "water" });
  await site.pull();
  const kept = join(site.out, "..", "kept.md");
  writeFileSync(kept, "kept");
  const manifest = join(site.out, ".rostrum-pull.json");
  const written = site.read(".rostrum-pull.json");
  for (const damaged of ['"stale": ["../kept.md"]', '"stale": [".."]', '"stale": [5]', '"stale": {}', "{"]) {
    writeFileSync(manifest, written.replace('"stale": []', damaged));
    const { code, stderr } = await site.pull();
    assert.equal(code, 1, damaged);
    assert.match(stderr, /\.rostrum-pull\.json is damaged: pull into another folder/);
  }
  assert.equal(readFileSync(kept, "utf8"), "kept");
});

test("links in the folder are not followed", async () => {
  await using site = await emptySite();
  const id = await site.publish({ slug: "water" });
  await site.pull();
  const kept = join(site.out, "..", "kept.md");
  writeFileSync(kept, "kept");
  for (const name of ["water.md.new", ".rostrum-pull.new", ".rostrum-pull.json.new"])
    symlinkSync(kept, join(site.out, name));
  await updateArticle(service.app, id, { title: "Changed" }, CHIEF);
  assert.equal((await site.pull()).code, 0);
  assert.match(site.read("water.md"), /Changed/);
  symlinkSync(join(site.out, "nowhere"), join(site.out, "tea.md"));
  await site.publish({ slug: "tea" });
  const refused = await site.pull();
  assert.match(refused.stderr, /tea\.md was not written by pull/);
  assert.equal(readFileSync(kept, "utf8"), "kept");
});

test("after renames, swaps and deletions the files are those of the articles", async () => {
  await using site = await emptySite();
  const [one, other, gone] = [
    await site.publish({ slug: "one", title: "One" }),
    await site.publish({ slug: "other", title: "Other" }),
    await site.publish({ slug: "gone", title: "Gone" }),
  ];
  await site.pull();
  await updateArticle(service.app, one, { slug: "between" }, CHIEF);
  await updateArticle(service.app, other, { slug: "one" }, CHIEF);
  await updateArticle(service.app, one, { slug: "other" }, CHIEF);
  await deleteArticle(service.app, gone, CHIEF);
  const { stdout } = await site.pull("--json");
  assert.deepEqual(JSON.parse(stdout), { written: ["one.md", "other.md"], removed: ["gone.md"] });
  assert.deepEqual(site.files(), ["one.md", "other.md"]);
  assert.equal(split(site.read("one.md")).fields["title"], "Other");
  assert.equal(split(site.read("other.md")).fields["title"], "One");
});

test("with --names date-slug files are named as Jekyll wants them, also after a run with other names", async () => {
  await using site = await emptySite();
  await site.publish({ slug: "water", publishedAt: Date.UTC(2026, 2, 3) });
  await site.pull();
  await site.pull("--names", "date-slug");
  assert.deepEqual(site.files(), ["2026-03-03-water.md"]);
});

test("while one pull writes into a folder, another one is refused and changes nothing", async () => {
  await using site = await emptySite();
  await site.publish({ slug: "one" });
  {
    using _folder = await MarkdownFolder.open(site.out, { url: service.url, names: "slug", pictures: null });
    const { code, stderr } = await site.pull();
    assert.deepEqual([code, site.files()], [1, []]);
    assert.match(stderr, /^Another "rostrum pull" writes into \S+: wait until it is done\.\n$/);
  }
  assert.equal((await site.pull()).code, 0);
  assert.deepEqual(site.files(), ["one.md"]);
});

test("files that pull did not write are neither changed nor removed", async () => {
  await using site = await emptySite();
  await site.publish({ slug: "one" });
  await site.pull();
  writeFileSync(join(site.out, "two.md"), "mine");
  await site.publish({ slug: "two" });
  const refused = await site.pull();
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /two\.md was not written by pull: move it away/);
  assert.equal(site.read("two.md"), "mine");
});

test("files written by a killed run are recognised by the next one", async () => {
  await using site = await emptySite();
  const id = await site.publish({ slug: "one" });
  await site.pull();
  const path = join(site.out, ".rostrum-pull.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  // As a run leaves it that was killed after it had noted the new name and before it wrote the file.
  writeFileSync(path, JSON.stringify({ ...manifest, state: null, files: { [id]: "new.md" }, stale: ["one.md"] }));
  await updateArticle(service.app, id, { slug: "new" }, CHIEF);
  assert.equal((await site.pull()).code, 0);
  assert.deepEqual(site.files(), ["new.md"]);
});

test("slugs that are no file names, and those that differ in case only, get names that work everywhere", async () => {
  await using site = await emptySite();
  await site.publish({ slug: "Tea" });
  const id = await site.publish({ slug: "tea" });
  await site.pull();
  assert.equal(site.files().length, 2);
  assert.ok(site.files().some((name) => name.toLowerCase() === "tea.md"));
  assert.ok(site.files().some((name) => name.includes(id) || /-[0-9a-f-]{36}\.md$/.test(name)));
});

test("slugs that mean something to a generator or a system are no names of files, and stop nothing", async () => {
  await using site = await emptySite();
  const slugs = ["index", "_index", "README", "con", "nul", "_draft", "~x", "tea.de"];
  const ids = new Map<string, string>();
  for (const slug of slugs) ids.set(slug, await site.publish({ slug }));
  await site.pull();
  writeFileSync(join(site.out, "index.md"), "mine");
  assert.equal((await site.pull("--names", "slug")).code, 0);
  const files = site.files();
  assert.ok(files.includes(`index-${ids.get("index")}.md`));
  assert.ok(files.includes("tea-de.md") && files.includes("draft.md") && files.includes("x.md"));
  for (const name of files.filter((one) => one !== "index.md")) {
    assert.doesNotMatch(name, /^(?:index|readme|con|nul)\.|^[_~]|\..*\.md$/i);
  }
  const found = files.filter((name) => name !== "index.md").map((name) => split(site.read(name)).fields["slug"]);
  assert.deepEqual(new Set(found), new Set(slugs));
});

test("nothing in a title, a tag or a text is read as something else or executed", async () => {
  await using site = await emptySite();
  const tags = ["no", "1.10", "2024-01-01", "=", "<<", "~", "{{ x }}"];
  await site.publish({ slug: "a", title: "yes", tags, markdown: "A {{< b >}} and {% c %}." });
  await site.pull();
  const text = site.read("a.md");
  const { fields, body } = split(text);
  assert.deepEqual([fields["title"], fields["tags"]], ["yes", tags]);
  assert.match(text, /^title: "yes"$/m);
  assert.match(body, /^<!-- \{% raw %\} -->\n.*\n\n<!-- \{% endraw %\} -->\n$/);
  assert.doesNotMatch(body, /\{\{[<%]/);
});

test("a label that cannot be the name of a folder is left out, as generators make one of each", async () => {
  await using site = await emptySite();
  const labels = ["..", "../a", "a/..", "茶".repeat(90), "a/b", "...", "茶".repeat(60)];
  await site.publish({ slug: "a", tags: labels, categories: labels });
  await site.pull();
  const { fields } = split(site.read("a.md"));
  assert.deepEqual([fields["tags"], fields["categories"]], [labels.slice(4), labels.slice(4)]);
});

test("with --pictures the service's pictures are files, and the texts have their addresses; no other host is asked", async () => {
  await using site = await emptySite();
  writeFileSync(site.at("p.png"), png(4, 3));
  const picture = { path: site.at("p.png"), name: "kettle.png", alt: "" };
  const { hash } = await addAsset(service.app, site.websiteId, picture, CLI_ORIGIN);
  await using elsewhere = await startFake(() => assert.fail("a picture elsewhere was asked for"));
  const path = `/assets/${site.websiteId}/${hash}/kettle.png`;
  const unknown = `${elsewhere.url}/assets/${site.websiteId}/${"0".repeat(64)}/a.png`;
  const foreign = `${elsewhere.url}/b.png`;
  await site.publish({
    slug: "kettle",
    markdown: `![A](${elsewhere.url}${path}?w=320) ![B](${path}) ![C](${unknown}) ![D](${foreign})`,
    featuredImageUrl: `https://cdn.example${path}`,
  });
  const pictures = join(site.out, "..", "static", "my pictures");
  const first = await site.pull("--pictures", pictures);
  assert.equal(first.stderr, `1 picture is not at ${service.url}: the addresses stay.\n1 written, 0 removed.\n`);
  const name = `${hash.slice(0, 16)}-kettle.png`;
  assert.deepEqual(readdirSync(pictures), [name]);
  assert.deepEqual(readFileSync(join(pictures, name)), png(4, 3));
  const { fields, body } = split(site.read("kettle.md"));
  const here = `/my%20pictures/${name}`;
  assert.equal(fields["image"], here);
  assert.equal(body, `![A](${here}) ![B](${here}) ![C](${unknown}) ![D](${foreign})\n`);
  await site.pull("--pictures", pictures, "--pictures-url", "https://cdn.example/p/");
  assert.equal(split(site.read("kettle.md")).fields["image"], `https://cdn.example/p/${name}`);
  await site.pull();
  assert.equal(split(site.read("kettle.md")).fields["image"], `https://cdn.example${path}`);
  for (const options of [
    ["--pictures-url", "/p"],
    ["--pictures", pictures, "--pictures-url", "p)"],
  ]) {
    assert.equal((await site.pull(...options)).code, 2);
  }
});

test("mistakes are explained: no key, a wrong key, another service, an unreachable service", async () => {
  await using site = await emptySite();
  await using folder = await tempFolder();
  await site.publish({});
  await site.pull();
  const run = (args: string[], stdin: string) => runCli(["pull", ...args], { cwd: folder.path, stdin });
  const noKey = await run([site.out, "--url", service.url], "");
  assert.equal(noKey.code, 2);
  assert.match(noKey.stderr, /^--key-file is missing/);
  const wrongKey = await run([site.out, "--url", service.url, "--key-file", "-"], "rs_unknown");
  assert.equal(wrongKey.code, 1);
  assert.match(wrongKey.stderr, /^401: .*valid API key/);
  const noAddress = await run([site.out, "--url", "localhost", "--key-file", "-"], "rs_unknown");
  assert.equal(noAddress.code, 2);
  const other = await run([site.out, "--url", "http://127.0.0.1:9", "--key-file", "-"], "rs_unknown");
  assert.equal(other.code, 1);
  assert.match(other.stderr, /contains articles of/);
});
