/** What is secret comes from a file or from standard input; as an argument it still works, with a warning. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { runCli } from "../helpers/cli.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { record } from "../helpers/http.ts";
import { LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";

const WARNING =
  /^Other users of this machine can see the value of --[\w-]+ in the list of processes: use --[\w-]+-file FILE/m;
/** Nobody listens there. */
const DATABASE = "postgres://rostrum:hush-hush@127.0.0.1:1/rostrum";

let folder: Folder;
before(async () => {
  folder = await tempFolder();
  assert.equal((await run(["website", "create", "--name", "W"])).code, 0);
});
after(() => folder[Symbol.asyncDispose]());

function run(args: string[], stdin = "") {
  return runCli(args, { data: folder.path, stdin, env: LOOPBACK });
}

test("a database's address with a password as an argument causes a warning, from a file or standard input it does not, and it is never repeated", async () => {
  await writeFile(folder.at("address"), DATABASE);
  for (const [args, stdin, isVisible] of [
    [["--to", DATABASE], "", true],
    [["--to", "postgres://a@127.0.0.1:1/b?password=hush-hush"], "", true],
    [["--to", "postgres://a@127.0.0.1:1/b"], "", false],
    [["--to-file", folder.at("address")], "", false],
    [["--to-file", "-"], `${DATABASE}\n`, false],
  ] as const) {
    const { code, stdout, stderr } = await run(["migrate-store", ...args], stdin);
    assert.deepEqual([code, stdout], [69, ""], stderr);
    assert.equal(WARNING.test(stderr), isVisible, `${args.join(" ")}: ${stderr}`);
    assert.doesNotMatch(stderr, /hush-hush/);
  }
  const both = await run(["migrate-store", "--from-file", "-", "--to-file", "-"]);
  assert.equal(both.code, 2);
  assert.match(both.stderr, /^Only one of --from-file and --to-file can be standard input/);
});

test("a webhook's headers come from a file or standard input; as arguments they cause a warning", async () => {
  await writeFile(folder.at("headers"), "Authorization: Bearer hush\r\n\nX-Team: blue\n");
  await using receiver = await ScriptedReceiver.start();
  const create = ["webhook", "create", "--website", "W", "--url", receiver.url, "--json"];
  const fromFile = await run([...create, "--header-file", folder.at("headers")]);
  assert.deepEqual([fromFile.code, fromFile.stderr], [0, ""]);
  assert.equal((await run(["webhook", "test", String(record(fromFile.json())["id"])])).code, 0);
  const { authorization, "x-team": team } = (await receiver.arrival(1)).headers;
  assert.deepEqual([authorization, team], ["Bearer hush", "blue"]);
  const fromInput = await run([...create, "--header-file", "-"], "X-Own: hush");
  assert.deepEqual([fromInput.code, fromInput.stderr], [0, ""]);
  const visible = await run([...create, "--header", "X-Own: hush"]);
  assert.equal(visible.code, 0);
  assert.match(visible.stderr, WARNING);
  const twice = await run([...create, "--header-file", "-", "--header", "X-Own: a"], "X-Own: b");
  assert.equal(twice.code, 2);
  assert.match(twice.stderr, /^The header X-Own is given twice/);
});
