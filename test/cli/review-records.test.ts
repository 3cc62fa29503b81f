import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { after, test } from "node:test";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { makeArticle } from "../helpers/articles.ts";
import { tempFolder } from "../helpers/folder.ts";
import { openApp } from "../../src/app/app.ts";
import { approveAndPublishArticle, createArticle } from "../../src/operations/articles/write/articles.ts";
import { exportArticles } from "../../src/operations/articles/import/exports.ts";
import { readKeySet } from "../../src/operations/system/signing-keys.ts";
import { readConfig } from "../../src/process/settings/config.ts";

const run = promisify(execFile);
const DOCUMENT = new URL("../../docs/review-records.md", import.meta.url);

const folder = await tempFolder();
after(() => folder[Symbol.asyncDispose]());
const data = folder.at("data");
const site = await cliJson(["website", "create", "--name", "Blog"], { data });

/** Approves an article as a person, and writes the files that `verify` needs. */
async function approve(from = data): Promise<{ files: string[]; line: Record<string, unknown> }> {
  await using app = await openApp(readConfig({ ROSTRUM_DATA_DIR: from }, folder.path));
  const reviewer = {
    name: "Ann Lee",
    role: "approver",
    signedInWith: "two_factors",
    issuer: "https://a.example",
  } as const;
  const { article } = await createArticle(app, String(site["id"]), makeArticle(), { id: "x", mayApprove: false });
  await approveAndPublishArticle(app, article.id, { id: "ann", mayApprove: true, reviewer });
  let line: Record<string, unknown> = {};
  for await (const one of exportArticles(app, article.websiteId)) {
    const read = JSON.parse(one) as Record<string, unknown>;
    if (read["id"] === article.id) line = read;
  }
  const files = [folder.at("article.json"), folder.at("record.jws"), folder.at("keys.json")];
  const texts = [JSON.stringify(line), String(line["review_record"]), JSON.stringify(await readKeySet(app))];
  await Promise.all(files.map((file, index) => writeFile(file, texts[index] ?? "")));
  return { files, line };
}

test("a website is told who is responsible, and whether its records name people", async () => {
  const set = ["website", "responsible", "Blog", "--name", "Example GmbH", "--imprint", "https://example.com/imprint"];
  const { stdout } = await runCli(["website", "responsible", "Blog"], { data });
  assert.match(stdout, /^Nobody is named as responsible for "Blog"/);
  assert.match(
    (await runCli(set, { data })).stdout,
    /^Example GmbH \(https:\/\/example.com\/imprint\) .* a pseudonym\.$/m,
  );
  const changed = await cliJson(["website", "responsible", "Blog", "--reviewers", "named"], { data });
  assert.deepEqual([changed["responsible_name"], changed["names_reviewers"]], ["Example GmbH", true]);
  assert.equal((await runCli(["website", "responsible", "Blog", "--reviewers", "x"], { data })).code, 2);
});

test("verify says who approved exactly this, and exits with 1 for anything else", async () => {
  const { files, line } = await approve();
  const [article = "", record = "", keys = ""] = files;
  const valid = await runCli(["verify", article, record, keys]);
  assert.equal(valid.code, 0);
  assert.match(valid.stdout, /^Ann Lee \(approver; responsible: Example GmbH\) approved exactly this on 20.*Z\./);
  const json = await cliJson(["verify", article, record, keys]);
  assert.equal(json["valid"], true);
  assert.deepEqual(json["not_compared"], ["content_markdown"]);
  // The program in the documentation says the same.
  const [, program = ""] = /```js\n(.*?)```/s.exec(await readFile(DOCUMENT, "utf8")) ?? [];
  await writeFile(folder.at("verify.mjs"), program);
  for (const [title, said] of [
    [line["title"], "Ann Lee approved exactly this\n"],
    ["Another", "not valid\n"],
  ]) {
    await writeFile(folder.at("answer.json"), JSON.stringify({ data: { article: { ...line, title } } }));
    const ran = await run(process.execPath, [folder.at("verify.mjs"), folder.at("answer.json"), record, keys]);
    assert.equal(ran.stdout, said);
  }
  await writeFile(article, JSON.stringify({ ...line, title: "Another" }));
  const changed = await runCli(["verify", article, record, keys]);
  assert.deepEqual([changed.code, changed.stdout], [1, "Not valid: changed since the approval: title.\n"]);
  assert.equal((await runCli(["verify", article, record])).code, 2);
  assert.match((await runCli(["verify", article, record, record])).stderr, /is not JSON/);
});

test("keys are listed, rotated and revoked, and a revoked key's records fail", async () => {
  const { files } = await approve();
  const rotated = await cliJson(["review-key", "rotate"], { data });
  const later = await approve();
  assert.equal((await runCli(["verify", ...later.files])).code, 0);
  const list = (await runCli(["review-key", "list", "--json"], { data })).json();
  assert.ok(Array.isArray(list) && list.length === 2);
  const id = String(rotated["id"]);
  const { code, stdout } = await runCli(["review-key", "revoke", id, "--since", String(rotated["created_at"])], {
    data,
  });
  assert.deepEqual([code, stdout.startsWith(`What ${id} has signed since`)], [0, true]);
  await approve();
  const keys = folder.at("keys.json");
  await writeFile(later.files[0] ?? "", JSON.stringify(later.line));
  await writeFile(later.files[1] ?? "", String(later.line["review_record"]));
  const revoked = await runCli(["verify", later.files[0] ?? "", later.files[1] ?? "", keys]);
  assert.match(revoked.stdout, /^Not valid: its key was revoked/);
  assert.equal((await runCli(["review-key", "revoke", "nobody"], { data })).code, 1);
  assert.equal(
    (await runCli(["review-key", "revoke", id, "--since", "2999-01-01"], { data })).code,
    0,
    "an earlier time counts",
  );
  assert.equal(files.length, 3);
});

/** What a verification says of who approved, without the time. */
function reviewer(verified: Record<string, unknown>): string {
  return JSON.stringify(Reflect.get(Object(verified["record"]), "review")).replace(/"approved_at":"[^"]*"/, "");
}

test("after a restore, records are valid, and the same key signs and knows the same pseudonyms", async () => {
  await runCli(["website", "responsible", "Blog", "--reviewers", "pseudonyms"], { data });
  const before = await cliJson(["verify", ...(await approve()).files]);
  const backup = folder.at("backup.db");
  assert.equal((await runCli(["backup", backup], { data })).code, 0);
  const { code, stderr } = await runCli(["restore", backup], { data });
  assert.equal(code, 0, stderr);
  const { files } = await approve();
  const again = await cliJson(["verify", ...files]);
  assert.equal(again["key"], before["key"]);
  assert.equal(reviewer(again), reviewer(before));
  const doctor = (await runCli(["doctor", "--json"], { data })).stdout;
  assert.match(doctor, /the key opens the secrets of 2 review keys/);
});
