/** `article check` and `recheck`. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { PROSE } from "../helpers/articles.ts";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";

test("files are checked without a database, with exit code 2 if a finding blocks", async () => {
  await using folder = await tempFolder();
  mkdirSync(folder.at("posts"));
  writeFileSync(folder.at("posts/sound.md"), `---\ntitle: Our tea\n---\n\n${PROSE}\n`);
  writeFileSync(
    folder.at("posts/gap.md"),
    `---\ntitle: About us\n---\n\n${PROSE}\n\nAsk [Insert company name] for more.\n`,
  );
  writeFileSync(
    folder.at("page.html"),
    `<title>Page</title><h1>Page</h1><p>${PROSE}</p><p>Lorem ipsum dolor sit amet.</p>`,
  );
  const env = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };

  const all = await runCli(["article", "check", folder.at("posts")], { env });
  assert.equal(all.code, 2);
  assert.match(all.stdout, /^.*sound\.md: Our tea: score \d+, nothing found$/m);
  assert.match(
    all.stdout,
    /^.*gap\.md: About us: score \d+, 1 blocking$\n {2}blocks {2}Gap to fill in: “.*\[Insert company name\].*”\. .+$/m,
  );
  const page = await runCli(["article", "check", folder.at("page.html")], { env });
  assert.match(page.stdout, /^ {2}blocks {2}Dummy text: “Lorem ipsum/m);

  const sound = await cliJson(["article", "check", folder.at("posts/sound.md")], { env });
  const [article] = records(sound["articles"]);
  assert.equal(article?.["title"], "Our tea");
  assert.equal(record(record(article?.["quality_metrics"])["integrity"])["status"], "pass");
  assert.deepEqual(sound["failed"], []);

  const stdin = JSON.stringify({
    title: "Sent",
    content: `<p>${PROSE}</p><p>As an AI language model, I cannot say.</p>`,
  });
  const sent = await runCli(["article", "check", "-", "--json"], { env, stdin });
  assert.equal(sent.code, 2);
  const { integrity } = record(records(record(sent.json())["articles"])[0]?.["quality_metrics"]) as {
    integrity: object;
  };
  assert.deepEqual(
    records(record(integrity)["findings"]).map(({ kind, severity }) => [kind, severity]),
    [["chatbot_voice", "block"]],
  );

  assert.equal((await runCli(["article", "check", folder.at("nothing.md")], { env })).code, 1);
  assert.equal((await runCli(["article", "check"], { env })).code, 2);
});

test("an article of the service is checked with its draft copy, and recheck says what it did", async () => {
  await using folder = await tempFolder();
  const data = folder.path;
  const website = String((await cliJson(["website", "create", "--name", "Site"], { data }))["id"]);
  const stdin = JSON.stringify({ title: "Our tea", content: `<p>${PROSE}</p>`, status: "published" });
  const create = ["article", "create", "--website", website, "--file", "-"];
  const id = String((await cliJson(create, { data, stdin }))["id"]);
  assert.equal((await runCli(["article", "check", id], { data })).code, 0);
  const draft = JSON.stringify({ content: `<p>${PROSE}</p><p>Ask [Insert company name].</p>` });
  await cliJson(["article", "update", id, "--draft", "--file", "-"], { data, stdin: draft });
  const { code, stdout } = await runCli(["article", "check", id], { data });
  assert.equal(code, 2);
  assert.match(stdout, /Gap to fill in/);
  await cliJson(["article", "apply-draft", id], { data });

  assert.deepEqual(await cliJson(["recheck"], { data }), { rechecked: 0, failed: 0, blocking: {} });
  {
    await using app = await openApp(readConfig({ ROSTRUM_DATA_DIR: data }, data));
    await app.store.write((db) =>
      db.run(`UPDATE article_bodies SET metrics = replace(metrics, '"engine_version":"', '"engine_version":"0.')`),
    );
  }
  const { code: done, stdout: said } = await runCli(["recheck", "--website", "Site"], { data });
  assert.deepEqual([done, said], [0, "1 article rechecked, 0 failed.\n  Gap to fill in, which blocks: 1\n"]);
});
