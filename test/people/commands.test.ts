import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { open, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openApp } from "../../src/app/app.ts";
import { showOwnerLink } from "../../src/cli/people/setup-link.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { hasDashboard } from "../../src/process/installed-package.ts";
import { serveCli, spawnCli } from "../helpers/cli.ts";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { testDatabase } from "../helpers/database.ts";
import { tempFolder } from "../helpers/folder.ts";
import { records } from "../helpers/http.ts";
import { leash } from "../helpers/processes.ts";
import { until } from "../helpers/until.ts";
import { Browser, OWNER, PASSWORD, tokenOf } from "./dashboard.ts";

const BIN = join(import.meta.dirname, "..", "..", "bin", "rostrum.js");
const WITHOUT_SCREENS = hasDashboard() ? false : "the dashboard's screens are not built";

test(
  "the first start prints a link for the owner; after it was used, a start prints none",
  { skip: WITHOUT_SCREENS },
  async () => {
    await using folder = await tempFolder();
    await using database = await testDatabase();
    const options = { cwd: folder.path, data: folder.at("data"), env: database.settings };
    {
      await using server = await serveCli(options);
      // It may come before the log's line by which the service counts as started.
      await until("the link is printed", () => /welcome#[\w-]{43}\n/.test(server.errors()));
      const [link = ""] = /\S+\/dashboard\/welcome#[\w-]+/.exec(server.errors()) ?? [];
      assert.ok(link.startsWith(`${server.url}/dashboard/welcome#`), link);
      using browser = new Browser(server.url);
      await browser.json("POST", "/welcome", { token: tokenOf(link), email: OWNER, password: PASSWORD });
      assert.ok(!server.errors().includes("owner-link.txt"), server.errors());
    }
    let printed = "";
    const child = spawnCli(["serve"], { ...options, env: { ...options.env, PORT: "0" } });
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      printed += part;
    });
    await once(child.stdout, "data");
    child.kill("SIGINT");
    await once(child, "close");
    assert.ok(!printed.includes("Nobody has an account"), printed);
  },
);

test(
  "where the system's journal keeps standard error, the link is in a file that only its user can read, and a start that needs none removes it",
  { skip: WITHOUT_SCREENS },
  async () => {
    await using folder = await tempFolder();
    await using database = await testDatabase();
    const settings = { ROSTRUM_DATA_DIR: folder.at("data"), ...database.settings };
    const file = folder.at("data/owner-link.txt");
    const journal = folder.at("journal");
    await using stderr = await open(journal, "w");
    const { dev, ino } = await stderr.stat();
    const start = async (JOURNAL_STREAM: string) => {
      const env = { ...process.env, ...settings, JOURNAL_STREAM, PORT: "0" };
      const child = leash(spawn(process.execPath, [BIN, "serve"], { env, stdio: ["ignore", "pipe", stderr.fd] }));
      await once(child.stdout ?? assert.fail(), "data");
      await until("it has printed what to do", async () =>
        (await readFile(journal, "utf8")).includes("once, within a day"),
      );
      child.kill("SIGINT");
      await once(child, "close");
      return readFile(journal, "utf8");
    };
    const printed = await start(`${dev}:${ino}`);
    assert.ok(printed.includes(`${file}\n`), printed);
    assert.equal((await stat(file)).mode & 0o777, process.platform === "win32" ? 0o666 : 0o600);
    const link = (await readFile(file, "utf8")).trim();
    assert.match(link, /\/dashboard\/welcome#[\w-]{43}$/);
    assert.ok(!printed.includes(tokenOf(link)), "the link is in no log");
    await start(`${dev}:${ino + 1}`);
    assert.equal(existsSync(file), false);
  },
);

test(
  "where the file with the link cannot be written, the output names a command",
  { skip: WITHOUT_SCREENS },
  async () => {
    await using folder = await tempFolder();
    await using database = await testDatabase();
    const settings = { ROSTRUM_DATA_DIR: folder.at("data"), ...database.settings };
    await using app = await openApp(readConfig(settings, folder.path));
    let printed = "";
    const err = (text: string) => {
      printed += text;
    };
    await writeFile(folder.at("file"), "");
    const elsewhere = { ...app, config: { ...app.config, dataDir: folder.at("file/data") } };
    await showOwnerLink(elsewhere, { isJournal: true, err, directory: process.cwd() }, "https://rostrum.example.com");
    assert.match(printed, /cannot be written: .*\n {2}node bin\/rostrum\.js user create --email EMAIL --role owner\n$/);
  },
);

test("commands add and list people and give them new passwords while the service runs", async () => {
  await using folder = await tempFolder();
  await using database = await testDatabase();
  const options = { cwd: folder.path, data: folder.at("data"), env: database.settings };
  await using server = await serveCli(options);
  using browser = new Browser(server.url);
  const made = await cliJson(["user", "create", "--email", "Ada@example.com", "--role", "approver"], options);
  assert.deepEqual(
    [made["email"], made["role"], made["website_id"], made["state"]],
    ["ada@example.com", "approver", null, "invited"],
  );
  await browser.json("POST", "/welcome", { token: tokenOf(made["link"]), password: PASSWORD });
  const again = await runCli(["user", "create", "--email", "ada@example.com"], options);
  assert.deepEqual([again.code, again.stdout], [1, ""]);
  const reset = await cliJson(["user", "reset-password", "ADA@example.com", "--without-passkeys"], options);
  assert.equal((await browser.send("GET", "/session")).status, 200, "until the link is used");
  await browser.json("POST", "/welcome", { token: tokenOf(reset["link"]), password: "nine new lanterns" });
  assert.equal((await browser.send("GET", "/session")).status, 401);
  assert.equal((await browser.signIn("ada@example.com", "nine new lanterns")).status, 200);
  const list = await runCli(["user", "list", "--json"], options);
  assert.deepEqual(
    records(list.json()).map(({ email, state, totp }) => [email, state, totp]),
    [["ada@example.com", "active", false]],
  );
  for (const [args, code, expected] of [
    [["user", "reset-password", "eve@example.com"], 1, /Nobody has the e-mail address eve@example.com/],
    [["user", "reset-password"], 2, /e-mail address is missing/],
    [["user", "create", "--email", "ada@example.com", "--role", "king"], 2, /must be one of viewer, editor/],
    [["user", "create", "--email", "ada"], 1, /not an e-mail address/],
  ] as const) {
    const result = await runCli(args, options);
    assert.equal(result.code, code, result.stderr);
    assert.match(result.stderr, expected);
  }
});

test("a restored backup brings back no session and no link", async () => {
  await using folder = await tempFolder();
  const options = { cwd: folder.path, data: folder.at("data") };
  const file = folder.at("backup.db");
  let session: string | undefined;
  const invited = await cliJson(["user", "create", "--email", "eve@example.com"], options);
  const made = await cliJson(["user", "create", "--email", OWNER, "--role", "owner"], options);
  {
    await using server = await serveCli(options);
    using browser = new Browser(server.url);
    await browser.json("POST", "/welcome", { token: tokenOf(made["link"]), password: PASSWORD });
    session = browser.cookie;
    assert.equal((await runCli(["backup", file], options)).code, 0);
  }
  assert.equal((await runCli(["restore", file], options)).code, 0);
  await using server = await serveCli(options);
  using browser = new Browser(server.url);
  browser.cookie = session;
  assert.equal((await browser.send("GET", "/session")).status, 401);
  assert.equal((await browser.send("POST", "/welcome/link", { token: tokenOf(invited["link"]) })).status, 404);
  assert.equal((await browser.signIn(OWNER)).status, 200);
});
