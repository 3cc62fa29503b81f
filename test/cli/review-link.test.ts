import assert from "node:assert/strict";
import { test } from "node:test";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { tempFolder } from "../helpers/folder.ts";

test("a review link is printed for the requested number of days, and refused for a published article", async () => {
  await using folder = await tempFolder();
  const data = folder.path;
  const website = String((await cliJson(["website", "create", "--name", "Site"], { data }))["id"]);
  const create = async (more: object) => {
    const stdin = JSON.stringify({ title: "T", markdown: "Text.", ...more });
    return String((await cliJson(["article", "create", "--website", website, "--file", "-"], { data, stdin }))["id"]);
  };
  const id = await create({});
  const made = await cliJson(["article", "review-link", id, "--for", "Maria", "--days", "2"], { data });
  assert.match(String(made["url"]), /^http:\/\/[^/]+\/dashboard\/review#[\w-]{43}$/);
  const days = (Date.parse(String(made["expires_at"])) - Date.now()) / 86_400_000;
  assert.ok(days > 1.9 && days <= 2, String(days));
  const { code, stderr } = await runCli(["article", "review-link", id, "--days", "90"], { data });
  assert.deepEqual([code, /1 to 30 days/.test(stderr)], [1, true]);
  const published = await create({ status: "published" });
  assert.match((await runCli(["article", "review-link", published], { data })).stderr, /not published yet/);
});
