/** Imports in the dashboard that copy pictures from elsewhere on the web, or bring an archive with its pictures. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { exportArchive } from "../../src/operations/articles/assets/asset-archive.ts";
import { addAsset, assetUrl, deleteAsset } from "../../src/operations/articles/assets/assets.ts";
import { exportArticles } from "../../src/operations/articles/import/exports.ts";
import { TAR_END, tarHeader, tarPadding } from "../../src/operations/articles/assets/tar.ts";
import { CHIEF } from "../helpers/articles.ts";
import { tempFolder } from "../helpers/folder.ts";
import { zipOf } from "../../src/operations/articles/import/zip-test-helpers.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { startPlainServer } from "../helpers/plain-server.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { LOOPBACK } from "../helpers/webhooks.ts";
import { type Browser, type People, people } from "../people/dashboard.ts";

let service: TestService;
let all: People;
let owner: Browser;
let far: Awaited<ReturnType<typeof startPlainServer>>;

before(async () => {
  service = await startTestService(LOOPBACK);
  all = people(service);
  owner = await all.owner();
  far = await startPlainServer(({ url = "" }, response) => {
    if (url === "/later.png") response.writeHead(503).end();
    else if (url === "/page.png") response.setHeader("Content-Type", "text/html").end("<script>alert(1)</script>");
    else response.setHeader("Content-Type", "image/png").end(png(url.length, 3));
  });
});
after(async () => {
  await far[Symbol.asyncDispose]();
  all[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

async function importFile(
  person: Browser,
  website: string,
  body: string | Buffer,
  more = "",
  name = "a.md",
): Promise<Json[]> {
  const reply = await person.sendFile(`/imports?website_id=${website}&name=${name}${more}`, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.text
    .trim()
    .split("\n")
    .map((line) => record(JSON.parse(line)));
}

const exported = (website: string) => Array.fromAsync(exportArticles(service.app, website));
const ofKind = (lines: readonly Json[], kind: string) => lines.filter((line) => line["kind"] === kind);
const outcomes = (lines: readonly Json[]) =>
  ofKind(lines, "item").map(({ outcome, reason }) =>
    reason === null ? outcome : `${String(outcome)}: ${JSON.stringify(reason)}`,
  );
/** Without the host: what was copied, and what was not. */
const pictures = (lines: readonly Json[]) =>
  ofKind(lines, "picture").map(
    ({ url, reason }) => `${reason === null ? "" : "not "}${String(url).replace(far.url, "")}`,
  );

test("pictures are copied if that is chosen; each is reported, and only failed ones are fetched again", async () => {
  const website = (await service.newWebsite({ name: "Copies" })).id;
  const editor = await all.person("editor", website, "copies@example.com");
  const text = `---\ntitle: A\n---\n![one](${far.url}/one.png) ![later](${far.url}/later.png)\n\n![page](${far.url}/page.png) ![in](http://169.254.169.254/x.png)`;
  const markdown = async () => (await exported(website)).join("");

  assert.deepEqual(pictures(await importFile(editor, website, text, "&dry_run=true&copy_images=true")), []);
  assert.deepEqual(outcomes(await importFile(editor, website, text)), ["created"]);
  assert.deepEqual(far.asked, [], "it was not chosen");

  const lines = await importFile(editor, website, text, "&copy_images=true");
  assert.deepEqual(pictures(lines), [
    "/one.png",
    "not /later.png",
    "not /page.png",
    "not http://169.254.169.254/x.png",
  ]);
  assert.deepEqual(outcomes(lines), ["updated"]);
  assert.equal(ofKind(lines, "summary")[0]?.["skipped"], 0, "pictures are no articles");
  const copied = await markdown();
  assert.ok(copied.includes(`/assets/${website}/`) && !copied.includes(`${far.url}/one.png`), copied);
  assert.ok(copied.includes(`${far.url}/later.png`), "what could not be copied stays");
  const { assets } = await owner.json("GET", `/assets?website_id=${website}`);
  assert.deepEqual(
    records(assets).map((one) => one["source_url"]),
    [`${far.url}/one.png`],
  );

  assert.deepEqual(outcomes(await importFile(editor, website, text, "&copy_images=true")), ["unchanged"]);
  assert.equal(far.asked.filter((one) => one === "GET /one.png").length, 1, "it is fetched once");
});

test("an import that was stopped in the middle of its pictures goes on there", async () => {
  const website = (await service.newWebsite({ name: "Stopped" })).id;
  const reached = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  await using slow = await startPlainServer(({ url }, response) => {
    const send = () => response.setHeader("Content-Type", "image/png").end(png(Number(url?.charAt(1)), 3));
    if (url === "/3.png") {
      reached.resolve();
      void answer.promise.then(send);
    } else send();
  });
  const file = [1, 2, 3, 4]
    .map((n) => `${JSON.stringify({ title: `No ${n}`, markdown: `![x](${slow.url}/${n}.png)` })}\n`)
    .join("");
  const stopping = new AbortController();
  const url = `${service.url}/dashboard/api/imports?website_id=${website}&name=a.ndjson&copy_images=true`;
  const headers = {
    "Content-Type": "application/octet-stream",
    "Sec-Fetch-Site": "same-origin",
    Origin: service.url,
    Cookie: owner.cookie ?? "",
  };
  const response = await fetch(url, { method: "POST", headers, body: file, signal: stopping.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  while (!seen.includes("/2.png")) seen += (await reader?.read())?.value ?? "";
  await reached.promise;
  stopping.abort();
  answer.resolve();
  const again = await importFile(owner, website, file, "&copy_images=true", "a.ndjson");
  assert.equal((await exported(website)).length, 4);
  const copied = pictures(again).map((one) => one.slice(-6));
  assert.ok(!copied.includes("/1.png") && !copied.includes("/2.png"), copied.join());
});

test("an archive of articles and pictures that was exported is imported with its pictures", async () => {
  const { app } = service;
  const website = await service.newWebsite({ name: "Archive" });
  await using folder = await tempFolder();
  await writeFile(folder.at("p.png"), png(9, 9));
  const picture = { path: folder.at("p.png"), name: "kettle.png", alt: "A kettle" };
  const asset = await addAsset(app, website.id, picture, CLI_ORIGIN);
  const content = `<p><img src="${assetUrl(asset, website, service.url)}" alt="K"></p>`;
  const made = await createArticle(app, website.id, { title: "Kettles", content }, CHIEF);
  const archive = Buffer.concat(
    await Array.fromAsync(exportArchive(app, website, exportArticles(app, website.id), service.url)),
  );
  await deleteAsset(app, asset, CLI_ORIGIN);
  await updateArticle(app, made.article.id, { title: "Changed" }, CHIEF);
  const names = async () =>
    records((await owner.json("GET", `/assets?website_id=${website.id}`))["assets"]).map(({ name, alt }) => [
      name,
      alt,
    ]);

  const overwrite = "&overwrite=true";
  assert.deepEqual(outcomes(await importFile(owner, website.id, archive, `${overwrite}&dry_run=true`)), ["updated"]);
  assert.deepEqual(await names(), []);
  assert.deepEqual(outcomes(await importFile(owner, website.id, archive, overwrite)), ["updated"]);
  assert.deepEqual(await names(), [["kettle.png", "A kettle"]]);
  assert.match((await exported(website.id)).join(""), /"Kettles"/);
  assert.equal(ofKind(await importFile(owner, website.id, archive.subarray(0, 3_000)), "error").length, 1);
});

const tarFile = (name: string, text: string) => [
  tarHeader(name, text.length),
  Buffer.from(text),
  tarPadding(text.length),
];

test("an archive with addresses that are none of pictures, or with endless lines, is refused before its articles are read", async () => {
  const website = await service.newWebsite({ name: "Hostile" });
  const importFrom = (addresses: readonly string[], alt = "") => {
    const asset = { id: "a", hash: "0".repeat(64), name: "a.png", alt, source_url: null };
    const files = [
      tarFile("export.json", JSON.stringify({ format: "rostrum-export", version: 1, addresses })),
      tarFile("assets.ndjson", `${JSON.stringify(asset)}\n`),
      tarFile("articles.ndjson", `${JSON.stringify({ title: "A", markdown: "B" })}\n`),
    ];
    return importFile(owner, website.id, Buffer.concat([...files.flat(), TAR_END]));
  };
  const address = `https://e.com/assets/${website.id}/`;
  for (const addresses of [["/"], ["e"], [address, address.slice(0, -1)], Array.from({ length: 11 }, () => address)]) {
    const [problem] = ofKind(await importFrom(addresses), "error");
    assert.match(String(problem?.["message"]), /export\.json is unknown/, JSON.stringify(addresses));
  }
  const [endless] = ofKind(await importFrom([address], "x".repeat(200_000)), "error");
  assert.match(String(endless?.["message"]), /assets\.ndjson is too long/);
  assert.deepEqual(outcomes(await importFrom([address])), [
    "created",
    'skipped: "The archive has no file of this picture."',
  ]);
});

test("a zip archive is imported as the folder that it holds, with its pictures", async () => {
  const website = (await service.newWebsite({ name: "Zipped" })).id;
  const editor = await all.person("editor", website, "zipped@example.com");
  const zip = zipOf({
    "blog/index.md": "---\ntitle: Home\nslug: home\n---\nText.\n",
    "blog/posts/2026-01-02-tea.md": "---\ntitle: Tea\n---\n![Pot](pot.png)\n",
    "blog/posts/pot.png": png(3, 4),
    "blog/posts/film.mp4": "x",
    "../up.md": "---\ntitle: Up\n---\nText.\n",
  });
  const first = await importFile(editor, website, zip, "", "blog%20of%20tea.zip");
  assert.deepEqual(
    ofKind(first, "item").map(({ source, outcome }) => `${String(outcome)} ${String(source)}`),
    ["created blog/index.md", "created posts/2026-01-02-tea.md", "skipped posts/film.mp4", "skipped ../up.md"],
  );
  const tea = (await exported(website)).find((line) => line.includes('"Tea"')) ?? "";
  assert.match(tea, /!\[Pot\]\(http[^)]*\/assets\/[^)]*\/pot\.png\)/);
  const again = await importFile(editor, website, zip, "", "downloaded%20(2).zip");
  assert.deepEqual(outcomes(again).slice(0, 2), ["unchanged", "unchanged"]);
  const broken = await importFile(editor, website, zip.subarray(0, -40), "", "a.zip");
  assert.deepEqual(broken.at(-1), {
    kind: "error",
    message: "The zip archive is broken or cut off: nothing was imported. Download or make it again.",
  });
  const empty = await importFile(editor, website, zipOf({ "notes.txt": "x" }), "", "notes.zip");
  assert.deepEqual(empty.at(-1), { kind: "error", message: "No articles found in notes." });
});
