/** What others have written never moves the cursor, changes a colour or turns a line around. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cliJson, runCli } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";

const TITLE = "One\u001b[2J\u001b]0;owned\u0007\u009b31m two\u202efdp.exe";
const OBEYED = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u;

test("titles, names and reasons are printed without terminal control characters", async () => {
  await using folder = await tempFolder();
  const data = folder.path;
  const website = await cliJson(["website", "create", "--name", "Site\u001b[1m"], { data });
  const id = String(website["id"]);
  const article = JSON.stringify({ title: TITLE, markdown: "Text." });
  const made = await cliJson(["article", "create", "--website", id, "--file", "-"], { data, stdin: article });
  assert.equal(made["title"], TITLE.replace("\u202e", ""), "JSON means what was stored");
  for (const [args, stdin] of [
    [["website", "list"], ""],
    [["article", "list", "--website", id], ""],
    [["article", "show", String(made["id"]), "--json"], ""],
    [["article", "review-link", String(made["id"]), "--for", TITLE], ""],
    [["article", "comments", "\u001b[31m"], ""],
    [["article", "approve", "\u001b[31m"], ""],
    [["import", "-", "--website", id, "--format", "ndjson"], JSON.stringify({ title: TITLE, status: TITLE })],
    [["import", "\u001b[31m", "--website", id], ""],
    [["\u001b[31m"], ""],
  ] as const) {
    const { stdout, stderr } = await runCli(args, { data, stdin });
    assert.notEqual(stdout + stderr, "");
    assert.doesNotMatch(stdout + stderr, OBEYED, args.join(" "));
  }
});
