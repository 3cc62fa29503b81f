/** `rostrum push`: a repository's articles, of which only what has changed is sent. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { createManagementClient } from "../../client/src/management/index.ts";
import { readPath } from "../../src/content-processes/import-reader.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { type PushManifest, writePush } from "../../src/operations/articles/import/push-archive.ts";
import { TAR_END, tarHeader, tarPadding } from "../../src/operations/articles/assets/tar.ts";
import { deleteArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { createToken } from "../../src/operations/people/access-tokens.ts";
import { CHIEF } from "../helpers/articles.ts";
import { runCli } from "../helpers/cli-in-process.ts";
import { tempFolder } from "../helpers/folder.ts";
import { png } from "../helpers/pictures.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

let service: TestService;

before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

/** Counts what is sent to the service. */
async function startCounter() {
  const sent: { path: string; bytes: number }[] = [];
  const server = createServer((incoming, response) => {
    const { url = "/", method, headers } = incoming;
    const entry = { path: url, bytes: 0 };
    sent.push(entry);
    const onward = request(new URL(url, service.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.on("data", (chunk: Buffer) => (entry.bytes += chunk.length));
    incoming.pipe(onward);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What was sent since the last call: whole lists, and archives. */
    take: () => {
      const all = sent.splice(0);
      const archives = all.filter(
        ({ path }) => path.startsWith("/api/management/articles/batch") && !path.includes("files"),
      );
      return {
        requests: all.length,
        archives: archives.length,
        bytes: archives.reduce((sum, one) => sum + one.bytes, 0),
      };
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const post = (title: string, text = "Text.", more = "") =>
  `---\ntitle: ${title}\ndate: 2026-01-02\n${more}---\n\n${text}\n`;

async function newSite() {
  const folder = await tempFolder();
  const counter = await startCounter();
  const website = await service.newWebsite();
  const newToken = async () => {
    const input = { name: "CI", scope: "draft" as const, expiresAt: null };
    return (await createToken(service.app, website.id, input, CLI_ORIGIN)).secret;
  };
  const token = await newToken();
  const root = join(folder.path, "blog");
  mkdirSync(root);
  const { articles } = createManagementClient({ url: service.url, token });
  return {
    root,
    website,
    token,
    newToken,
    articles,
    take: counter.take,
    write(files: Record<string, string | Uint8Array>) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), text);
      }
    },
    push: (options: string[] = [], secret = token) =>
      runCli(["push", root, "--url", counter.url, "--token-file", "-", ...options], { stdin: `${secret}\n` }),
    import: () => {
      const found = readPath(root, { format: "auto", websiteUrl: website.url, clock: Date.now });
      return importArticles(service.app, website.id, found, {
        events: false,
        dryRun: false,
        actor: { ...CHIEF, id: "import" },
      });
    },
    all: () => Array.fromAsync(articles.all()),
    async find(title: string) {
      const found = (await Array.fromAsync(articles.all())).find((one) => one.title === title);
      assert.ok(found, title);
      const article = await articles.get(found.id);
      assert.ok(article);
      return article;
    },
    async [Symbol.asyncDispose]() {
      await counter[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("the first push brings all for review with their pictures, and the next one sends nothing", async () => {
  await using site = await newSite();
  site.write({
    "posts/tea.md": post("Tea", "![A cup](../img/a%20cup.png)"),
    "posts/water.md": post("Water"),
    "img/a cup.png": png(4, 3),
    "img/unused.png": png(5, 3),
    "README.md": "# Not an article",
    ".hidden/x.md": "x",
  });
  const first = await site.push();
  assert.deepEqual([first.code, first.stdout], [0, ""], first.stderr);
  assert.match(first.stderr, /^2 created, 0 updated, .* Sent: 3 files/);
  const tea = await site.find("Tea");
  assert.equal(tea.state, "in_review");
  assert.match(tea.content, /<img src="http[^"]+\/assets\//);
  assert.equal(site.take().archives, 1);

  const second = await site.push();
  assert.deepEqual([second.code, site.take()], [0, { requests: 1, archives: 0, bytes: 0 }]);
  site.write({ "posts/water.md": post("Water", "More.") });
  const third = await site.push();
  assert.match(third.stderr, /^0 created, 1 updated, .* Sent: 1 files/);
  assert.ok(site.take().bytes < 4_000);
});

test("an imported blog goes on by push, without a duplicate; what is published waits in a draft copy", async () => {
  await using site = await newSite();
  site.write({
    "index.md": post("Home"),
    "a.md": post("A"),
    "b.html": "<html><title>B</title><body><article><h1>B</h1><p>Text</p></article></body></html>",
  });
  await site.import();
  const before = await site.all();
  assert.equal(before.length, 3);
  const pushed = await site.push();
  assert.match(pushed.stderr, /^0 created, 0 updated, 3 unchanged/);
  assert.equal(
    (await site.push()).stderr,
    "0 created, 0 updated, 3 unchanged, 0 held, 0 failed, 0 skipped, 0 to be removed by people. Sent: 0 files, 0 bytes.\n",
  );
  site.write({ "a.md": post("A", "New.") });
  await site.push();
  const a = await site.find("A");
  assert.deepEqual([a.state, a.content.includes("Text."), a.draft?.changes.markdown], ["published", true, "New."]);
  assert.equal((await site.all()).length, 3);
});

test("renamed files stay the same articles, and of deleted ones people are asked to delete the article", async () => {
  await using site = await newSite();
  site.write({ "one.md": post("One"), "two.md": post("Two"), "three.md": post("Three", "Long ".repeat(50)) });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", site.root, "-c", "user.name=T", "-c", "user.email=t@test", ...args]);
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "one");
  await site.push();
  const [one, two, three] = [await site.find("One"), await site.find("Two"), await site.find("Three")];

  mkdirSync(join(site.root, "sub"));
  renameSync(join(site.root, "one.md"), join(site.root, "sub/first.md"));
  rmSync(join(site.root, "two.md"));
  const moved = await site.push();
  assert.match(moved.stderr, /^0 created, .* 1 to be removed by people/);
  assert.equal((await site.find("One")).id, one.id);
  const asked = await site.articles.get(two.id);
  assert.match(asked?.removal_request?.reason ?? "", /two\.md was deleted/);
  site.take();
  assert.equal((await site.push()).code, 0);
  assert.equal(site.take().archives, 0);

  // Renamed and changed at once: git knows.
  git("add", ".");
  git("commit", "-qm", "two");
  renameSync(join(site.root, "three.md"), join(site.root, "third.md"));
  site.write({ "third.md": post("Three", `${"Long ".repeat(50)} And more.`) });
  git("add", ".");
  git("commit", "-qm", "three");
  const since = await site.push(["--changed-since", "HEAD~1"]);
  assert.match(since.stderr, /^0 created, 1 updated/);
  const changed = await site.find("Three");
  assert.equal(changed.id, three.id);
  assert.match(changed.content, /And more/);
  const unknown = await site.push(["--changed-since", "nothing"]);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /fetch more of its history/);
});

test("what failed or is held is told as Markdown without markup of the files, and with code 1", async () => {
  await using site = await newSite();
  site.write({ "good.md": post("Good"), "bad.md": "---\ntitle: Bad\nquality_metrics: <b>@all</b>\n---\nx" });
  const failed = await site.push();
  assert.equal(failed.code, 1);
  assert.match(failed.stdout, /^### Articles that need attention\n\n\*\*Failed\*\*\n\n- `bad\.md`: .*\n$/);
  assert.ok(!/<b>|@all/.test(failed.stdout), failed.stdout);
  // It is told until it is mended.
  assert.equal((await site.push()).code, 1);
  site.write({ "bad.md": post("Bad no more") });
  assert.equal((await site.push()).code, 0);

  const good = await site.find("Good");
  await updateArticle(service.app, good.id, { title: "Better" }, CHIEF);
  site.write({ "good.md": post("Best") });
  const held = await site.push();
  assert.equal(held.code, 1);
  assert.match(
    held.stdout,
    /\*\*Held: people decide in the dashboard\*\*\n\n- \[`good\.md`\]\(http.*\/dashboard\/articles\/[0-9a-f-]+\): .*title/,
  );
  await deleteArticle(service.app, good.id, CHIEF);
  site.write({ "good.md": post("Best of all") });
  assert.match((await site.push()).stdout, /trash/);
});

test("a service that does not answer is named at once, before push tries again", async () => {
  await using site = await newSite();
  site.write({ "a.md": post("A"), "b.md": post("B") });
  let refused = 2;
  const server = createServer((incoming, response) => {
    if (refused-- > 0) {
      incoming.destroy();
      return;
    }
    const { url = "/", method, headers } = incoming;
    const onward = request(new URL(url, service.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, stderr } = await runCli(["push", site.root, "--url", url, "--token-file", "-"], {
      stdin: `${site.token}\n`,
    });
    const [first = "", second = ""] = stderr.split("\n");
    assert.match(first, /^http:\S+ did not answer: .+[^.]\. Trying again for up to 5 minutes\.$/);
    assert.match(second, /^2 created/, "once for each failure");
    assert.equal(code, 0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("two jobs at once bring each article once, and neither fails", async () => {
  await using site = await newSite();
  const names = Array.from({ length: 60 }, (_none, index) => `p${index}.md`);
  site.write(Object.fromEntries(names.map((name) => [name, post(`Title ${name}`)])));
  for (const text of ["Text.", "Changed."]) {
    site.write(Object.fromEntries(names.map((name) => [name, post(`Title ${name}`, text)])));
    const both = await Promise.all([site.push(), site.push()]);
    for (const { code, stderr, stdout } of both) assert.deepEqual([code, stdout], [0, ""], stderr);
  }
  const all = await site.all();
  assert.equal(all.length, names.length);
  assert.equal(new Set(all.map(({ title }) => title)).size, names.length);
});

test("a file is sent again when what it depends on has changed", async () => {
  await using site = await newSite();
  site.write({ "docs/_index.md": "---\ncascade:\n  author: Ada\n---\n", "docs/a.md": post("A"), "b.md": post("B") });
  await site.push();
  assert.deepEqual((await site.find("A")).authors, [{ name: "Ada", url: null }]);
  site.write({ "docs/_index.md": "---\ncascade:\n  author: Grace\n---\n" });
  assert.match((await site.push()).stderr, /^0 created, 1 updated, 1 unchanged.* Sent: 2 files/);
  assert.deepEqual((await site.find("A")).authors, [{ name: "Grace", url: null }]);
  site.write({ "b.de.md": post("B auf Deutsch") });
  assert.match((await site.push()).stderr, /^1 created, 1 updated, 1 unchanged/);
  assert.equal((await site.find("B")).translation_group, (await site.find("B auf Deutsch")).translation_group);
});

test("a folder of a site is pushed as it is imported: with the configuration, the static pictures and what links lead to", async () => {
  await using site = await newSite();
  const configure = (pattern: string) =>
    site.write({
      "../hugo.toml": `baseURL = "https://example.com/"\ncontentDir = "blog"\n[permalinks]\nposts = "${pattern}"\n`,
    });
  configure("/:year/:slug/");
  site.write({
    "../static/img/s.png": png(3, 3),
    "../static/img/other.png": png(6, 3),
    "posts/a.md": post("A", '![S](/img/s.png) [b](b.md) and {{< ref "b" >}}'),
    "posts/b.md": post("B"),
    "posts/c.md": post("C"),
  });
  const first = await site.push();
  assert.match(first.stderr, /^3 created, .* Sent: 5 files/);
  const before = await site.find("A");
  assert.equal(before.platform_url, "https://example.com/2026/a/");
  assert.match(before.content, /<img src="http[^"]+\/assets\/.*<a href="https:\/\/example\.com\/2026\/b\/">/);
  assert.equal((await site.import()).unchanged, 3);

  site.write({ "posts/a.md": post("A", "Now [b](b.md) and [c](c.md).") });
  assert.match((await site.push()).stderr, /^0 created, 1 updated, 2 unchanged, .* Sent: 4 files/);
  assert.match((await site.find("A")).content, /2026\/b\/.*2026\/c\//);
  configure("/:slug/");
  assert.match((await site.push()).stderr, /^0 created, 3 updated/);
  assert.equal((await site.find("B")).platform_url, "https://example.com/b/");
});

test("a dry run says what would be done, and saves nothing", async () => {
  await using site = await newSite();
  site.write({ "a.md": post("A") });
  assert.match((await site.push(["--dry-run"])).stderr, /^Would be: 1 created/);
  assert.deepEqual(await site.all(), []);
  await site.push();
  rmSync(join(site.root, "a.md"));
  site.write({ "b.md": post("B") });
  assert.match((await site.push(["--dry-run"])).stderr, /^Would be: 1 created, .* 1 to be removed/);
  assert.equal((await site.find("A")).removal_request, null);
  assert.match((await site.push()).stderr, /1 to be removed/);
});

test("the wrong folder removes nothing, and another token goes on where the first one ended", async () => {
  await using site = await newSite();
  const names = Array.from({ length: 12 }, (_none, index) => `p${index}.md`);
  site.write(Object.fromEntries(names.map((name) => [name, post(name)])));
  await site.push();
  const other = await site.newToken();
  site.take();
  assert.equal((await site.push([], other)).code, 0);
  assert.equal(site.take().archives, 0);
  rmSync(join(site.root, "p0.md"));
  assert.match((await site.push([], other)).stderr, /1 to be removed/);
  for (const name of names.slice(1)) rmSync(join(site.root, name));
  site.write({ "else.md": post("Else") });
  const doubtful = await site.push([], other);
  assert.equal(doubtful.code, 1);
  assert.match(doubtful.stdout, /11 files are gone, more than half/);
  assert.equal((await site.all()).length, 13);
  assert.equal((await site.find("p1.md")).removal_request, null);
});

/** An entry of an archive. */
function file(name: string, text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([tarHeader(name, bytes.length), bytes, tarPadding(bytes.length)]);
}

test("an archive with anything else in it is refused, and nothing reaches other places", async () => {
  await using site = await newSite();
  const { files, articles } = createManagementClient({ url: service.url, token: site.token, giveUpAfterMs: 0 });
  const manifest: PushManifest = { folder: "blog", siteFolder: "", names: [], files: [], moved: [], removed: [] };
  const send = async (parts: readonly Buffer[]) => {
    const answers = Array.fromAsync(files.send(new Blob([Buffer.concat(parts)])));
    await assert.rejects(answers, /no archive that this version|damaged|does not belong/);
  };
  const text = join(site.root, "a.md");
  writeFileSync(text, post("A"));
  for (const path of [
    "../a.md",
    "/etc/a.md",
    "a/../../b.md",
    "a\\b.md",
    ".git/a.md",
    "a//b.md",
    "a\0.md",
    "x".repeat(256),
    "",
  ]) {
    const archive = writePush({ ...manifest, files: [{ path, hash: "x" }] }, [{ path: text, size: 10 }]);
    await send(await Array.fromAsync(archive));
  }
  for (const [siteFolder, path] of [
    ["blog/", "../../a.md"],
    ["", "../a.md"],
    ["", ""],
    ["blog/", "../../blog/../../etc/a.md"],
    ["../", "a.md"],
    ["/", "a.md"],
    ["blog", "a.md"],
  ] as const) {
    const archive = writePush({ ...manifest, siteFolder, files: [{ path, hash: null }] }, [{ path: text, size: 10 }]);
    await send(await Array.fromAsync(archive));
  }
  const header = (value: object) =>
    file("push.json", JSON.stringify({ format: "rostrum-push", version: 1, ...manifest, ...value }));
  await send([Buffer.alloc(0)]);
  await send([file("push.json", "{"), TAR_END]);
  await send([header({ files: [{ path: "a.md", hash: null }] }), file("files/1", "x"), TAR_END]);
  await send([header({}), file("files/0", "x"), TAR_END]);
  await send([header({ files: [{ path: "a.md", hash: null }] }), TAR_END]);
  const clash = [
    { path: "a", hash: null },
    { path: "a/b.md", hash: null },
  ];
  await send([header({ files: clash }), file("files/0", "x"), file("files/1", "x"), TAR_END]);
  assert.deepEqual((await articles.list()).articles, []);
});
