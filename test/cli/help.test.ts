/** Help, suggestions and completion cover every command. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { before, test } from "node:test";
import type { Command } from "../../src/cli/command.ts";
import { COMMANDS, loadAllCommands } from "../../src/cli/commands.ts";
import { EXAMPLES } from "../../src/cli/examples.ts";
import { runCli } from "../helpers/cli-in-process.ts";
import { tempFolder } from "../helpers/folder.ts";

const MAX_COLUMNS = 100;

let commands: Map<string, Command>;
before(async () => {
  commands = await loadAllCommands();
});

test("every command has an example, and no example is of a command that does not exist", async () => {
  assert.deepEqual(Object.keys(EXAMPLES).toSorted(), [...commands.keys()].toSorted());
  for (const [name, examples] of Object.entries(EXAMPLES)) {
    for (const example of examples) assert.match(example, new RegExp(`\\brostrum ${name}\\b`));
    const { stdout } = await runCli(["help", ...name.split(" ")]);
    for (const example of examples) assert.ok(stdout.includes(example), name);
  }
});

test("the options of every example are options of its command", () => {
  for (const [name, examples] of Object.entries(EXAMPLES)) {
    for (const [option] of examples.join(" ").matchAll(/--[a-z][a-z-]+/g)) {
      assert.ok(commands.get(name)?.help.includes(option), `${name} ${option}`);
    }
  }
});

test("help COMMAND is COMMAND --help, for groups, too", async () => {
  for (const name of [...Object.keys(COMMANDS), ...commands.keys()]) {
    const words = name.split(" ");
    const [asked, named] = [await runCli(["help", ...words]), await runCli([...words, "--help"])];
    assert.equal(asked.stdout, named.stdout, name);
    assert.deepEqual([asked.code, asked.stderr, named.code], [0, "", 0], name);
    assert.deepEqual(
      asked.stdout.split("\n").filter((line) => line.length > MAX_COLUMNS && !/^(?:Usage:| {2})/.test(line)),
      [],
      `${name} has long lines`,
    );
  }
});

test("the list of commands names each of them, with what it does", async () => {
  const { stdout, code } = await runCli(["help"]);
  assert.equal(code, 0);
  for (const [name, { summary }] of Object.entries(COMMANDS)) {
    assert.ok(stdout.includes(`${name} `) && stdout.includes(summary), name);
  }
});

test("-v and --version print the version", async () => {
  const { stdout } = await runCli(["version"]);
  for (const word of ["-v", "--version"]) assert.equal((await runCli([word])).stdout, stdout);
});

for (const [args, sentence] of [
  [["articel"], 'There is no command "articel". Did you mean "article"?'],
  [["article", "aprove", "x"], 'There is no "article aprove". Did you mean "article approve"?'],
  [["key", "create", "--nmae", "x"], "Unknown option '--nmae'. Did you mean \"--name\"?"],
  [["qqqqqqqq"], 'There is no command "qqqqqqqq". See'],
] as const) {
  test(`${args.join(" ")}: ${sentence}`, async () => {
    const { code, stderr } = await runCli(args);
    assert.equal(code, 2);
    assert.ok(stderr.startsWith(sentence), stderr);
  });
}

test("a command in a folder without data names the folder, and makes none", async () => {
  await using folder = await tempFolder();
  for (const args of [
    ["article", "list", "--website", "w"],
    ["website", "list"],
    ["import", "x", "--website", "w"],
    ["backup", folder.at("copy")],
    ["user", "reset-password", "a@example.com"],
  ]) {
    const { code, stderr } = await runCli(args, { cwd: folder.path });
    assert.equal(code, 69, args.join(" "));
    assert.ok(stderr.startsWith(`There is no Rostrum data in ${folder.at("data")}.`), stderr);
  }
  assert.deepEqual(await readdir(folder.path), []);
});

test("bash completes commands, options and the values of options", async (t) => {
  if (spawnSync("bash", ["--version"]).status !== 0) return t.skip("bash is not installed");
  const { stdout: script } = await runCli(["completion", "bash"]);
  const complete = (...words: string[]): string[] => {
    const asks = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rostrum; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync("bash", ["-c", asks, "bash", "rostrum", ...words], { encoding: "utf8" });
    return stdout.split("\n").filter((line) => line !== "");
  };
  assert.deepEqual(complete("webh"), ["webhook"]);
  assert.deepEqual(complete("help", "webhook", "rep"), ["replay"]);
  assert.deepEqual(complete("article", "list", "--st"), ["--status"]);
  assert.deepEqual(complete("article", "list", "--status", "pu"), ["published"]);
  assert.deepEqual(complete("article", "list", "--website", "W", "--status", "pu"), ["published"]);
  assert.deepEqual(complete("website", "feeds", "My website", "o"), ["on", "off"]);
  for (const name of commands.keys()) {
    const words = name.split(" ");
    const last = words.at(-1) ?? "";
    assert.ok(complete(...words).includes(last), name);
  }
});

test("a table that is wider than the terminal shows one field per line", async () => {
  await using folder = await tempFolder();
  const options = { data: folder.at("data") };
  await runCli(["website", "create", "--name", "Shop", "--url", "https://shop.example.com"], options);
  const wide = (await runCli(["website", "list"], { ...options, columns: 200 })).stdout;
  const narrow = (await runCli(["website", "list"], { ...options, columns: 60 })).stdout;
  assert.match(wide, /^ID +NAME +URL +URL PATTERN\n/);
  assert.match(narrow, /^ID +[0-9a-f-]{36}\nNAME +Shop\nURL +https:\S+\nURL PATTERN +–\n$/);
});

test("lists that are empty say so, on standard error", async () => {
  await using folder = await tempFolder();
  const options = { data: folder.at("data") };
  await runCli(["website", "create", "--name", "Shop"], options);
  for (const [group, hint] of [
    ["key", "No keys yet."],
    ["token", "No access tokens yet."],
    ["webhook", "No webhooks yet."],
    ["sender", "No senders yet."],
    ["article", "No articles yet."],
  ]) {
    const { stdout, stderr } = await runCli([String(group), "list", "--website", "Shop"], options);
    assert.equal(stdout, "");
    assert.ok(stderr.startsWith(String(hint)), stderr);
  }
});

test("a name that several websites have is answered with their ids", async () => {
  await using folder = await tempFolder();
  const options = { data: folder.at("data") };
  for (let count = 0; count < 2; count++) await runCli(["website", "create", "--name", "Twin"], options);
  const ids = (await runCli(["website", "list", "--json"], options)).json() as { id: string }[];
  const { code, stderr } = await runCli(["key", "list", "--website", "Twin"], options);
  assert.equal(code, 1);
  for (const { id } of ids) assert.ok(stderr.includes(id), stderr);
});

test("a person may be added to one website alone", async () => {
  await using folder = await tempFolder();
  const options = { data: folder.at("data") };
  await runCli(["website", "create", "--name", "Shop"], options);
  const made = await runCli(["user", "create", "--email", "a@example.com", "--website", "Shop"], options);
  assert.match(made.stderr, /^a@example\.com is viewer of "Shop"\./);
  const [member] = (await runCli(["user", "list", "--json"], options)).json() as { website_id: string | null }[];
  const [website] = (await runCli(["website", "list", "--json"], options)).json() as { id: string }[];
  assert.equal(member?.website_id, website?.id);
});
