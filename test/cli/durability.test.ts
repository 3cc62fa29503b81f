/** What a command says is done survives a power cut: files are flushed before they get their name, folders after. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { cliJson, runCli, serveCli } from "../helpers/cli.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";

const TRACER = join(import.meta.dirname, "..", "helpers", "trace-files.cjs");

interface Step {
  kind: string;
  path: string;
  to: string;
}

function tracing(trace: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--require ${TRACER}`,
    ROSTRUM_TEST_TRACE: trace,
    ROSTRUM_WEBHOOK_ALLOW_CIDRS: "192.0.2.0/24",
  };
}

function steps(trace: string): Step[] {
  return readFileSync(trace, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as [string, string, string?])
    .map(([kind, path, to]) => ({ kind, path: resolve(path), to: resolve(to ?? "") }));
}

function isSynced(path: string, part: Step[]): boolean {
  return part.some((step) => step.kind === "sync" && step.path === path);
}

/** Every name that was given is of a flushed file, and its folder was flushed afterwards. @returns the names. */
function assertDurable(trace: string): string[] {
  const all = steps(trace);
  const named = all.flatMap((step, index) => (step.kind === "sync" ? [] : [{ ...step, index }]));
  for (const { kind, path, to, index } of named) {
    // A second name is of a file that is durable already.
    const isSecondName = kind === "link" && !path.includes("secret.key");
    if (!isSecondName) assert.ok(isSynced(path, all.slice(0, index)), `${path} before it is ${to}`);
    assert.ok(isSynced(dirname(to), all.slice(index)), `the folder of ${to}`);
  }
  return named.map(({ to }) => to);
}

async function traced(folder: Folder, args: string[]): Promise<string[]> {
  const trace = folder.at(`${args[0]}.trace`);
  const { code, stderr } = await runCli(args, { data: folder.at("data"), cwd: folder.path, env: tracing(trace) });
  assert.equal(code, 0, stderr);
  return assertDurable(trace);
}

test("backups, restored data, exports, the key and the note of who serves have durable names; a new database is in a durable folder", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  const first = folder.at("first.trace");
  const website = await cliJson(["website", "create", "--name", "W"], { data, cwd: folder.path, env: tracing(first) });
  assert.ok(isSynced(folder.path, steps(first)), "the folder in which the data folder was made");
  assert.ok(isSynced(data, steps(first)), "the folder in which the database was made");

  const id = String(website["id"]);
  const hook = ["webhook", "create", "--website", id, "--url", "https://192.0.2.1/hook"];
  assert.deepEqual(await traced(folder, hook), [join(data, "secret.key")]);
  assert.deepEqual(await traced(folder, ["export", "--website", id, "--output", folder.at("all.ndjson")]), [
    folder.at("all.ndjson"),
  ]);
  assert.deepEqual(await traced(folder, ["backup", folder.at("backup.db")]), [
    folder.at("backup.db"),
    join(data, "last-backup"),
  ]);
  const names = await traced(folder, ["restore", folder.at("backup.db")]);
  const [kept, restored] = names.filter((name) => !name.endsWith(".holder"));
  assert.match(String(kept), /rostrum\.db\.before-restore-\w+$/);
  assert.equal(restored, join(data, "rostrum.db"));

  const serving = folder.at("serve.trace");
  await using _server = await serveCli({ data, cwd: folder.path, env: tracing(serving) });
  const holder = join(data, "rostrum.db.holder");
  assert.ok(assertDurable(serving).includes(holder));
});

test("migrate-store makes its SQLite file in a durable folder", async () => {
  await using folder = await tempFolder();
  await cliJson(["website", "create", "--name", "W"], { data: folder.at("data"), cwd: folder.path });
  await traced(folder, ["migrate-store", "--to", `sqlite:${folder.at("new/copy.db")}`]);
  const taken = steps(folder.at("migrate-store.trace"));
  assert.ok(isSynced(folder.path, taken) && isSynced(folder.at("new"), taken));
});
