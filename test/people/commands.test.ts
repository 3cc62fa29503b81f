import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { hasScreens } from "../../src/http/dashboard.ts";
import { cliJson, runCli, serveCli, spawnCli } from "../helpers/cli.ts";
import { testDatabase } from "../helpers/database.ts";
import { tempFolder } from "../helpers/folder.ts";
import { records } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";
import { Browser, OWNER, PASSWORD, tokenOf } from "./dashboard.ts";

const WITHOUT_SCREENS = hasScreens() ? false : "the dashboard's screens are not built";

test(
  "the first start prints a link for the owner; once it was used, a start prints none",
  { skip: WITHOUT_SCREENS },
  async () => {
    await using folder = await tempFolder();
    await using database = await testDatabase();
    const options = { cwd: folder.path, data: folder.at("data"), env: database.settings };
    let printed = "";
    {
      await using server = await serveCli(options);
      server.child.stderr.on("data", (part: string) => {
        printed += part;
      });
      await until("the link is printed", () => printed.includes("#"));
      const link = /http\S+/.exec(printed.slice(printed.indexOf("Nobody has an account")))?.[0];
      assert.ok(link?.startsWith(`${server.url}/dashboard/welcome#`), printed);
      using browser = new Browser(server.url);
      await browser.json("POST", "/welcome", { token: tokenOf(link), email: OWNER, password: PASSWORD });
    }
    printed = "";
    const child = spawnCli(["serve"], { ...options, env: { ...options.env, PORT: "0" } });
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      printed += part;
    });
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    await once(child, "close");
    assert.ok(!printed.includes("/dashboard/welcome"), printed);
  },
);

test("people are added, listed and given new passwords by commands beside the service", async () => {
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
  const reset = await cliJson(["user", "reset-password", "ADA@example.com"], options);
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

test("a backup that is put back brings no session and no link back", async () => {
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
