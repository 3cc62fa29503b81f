/** A backup does not contain the secret key, and the commands say what that means. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { addMember } from "../../src/operations/people/members.ts";
import { createWebsite } from "../../src/operations/website/websites.ts";
import { beginTotp, confirmTotp } from "../../src/store/people/second-factors.ts";
import { serveCli } from "../helpers/cli.ts";
import { runCli } from "../helpers/cli-in-process.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";

let folder: Folder;
let backup: string;
let key: string;

/** A folder with one webhook, and its backup. */
before(async () => {
  folder = await tempFolder();
  backup = folder.at("backup.db");
  const data = folder.at("data");
  await using app = await openApp(
    readConfig({ ROSTRUM_DATA_DIR: data, ROSTRUM_WEBHOOK_ALLOW_CIDRS: "192.0.2.0/24" }, folder.path),
  );
  const { id } = await createWebsite(app, { name: "W", url: null, urlPattern: null }, CLI_ORIGIN);
  const none = await runCli(["backup", folder.at("without.db")], { data });
  assert.deepEqual([none.code, none.stderr], [0, ""], "without webhooks there is nothing to say");
  await createEndpoint(app, id, { url: "https://192.0.2.1/hook" }, CLI_ORIGIN);
  key = (await readFile(folder.at("data/secret.key"), "utf8")).trim();
});
after(() => folder[Symbol.asyncDispose]());

/** A copy of the data that may be changed. */
async function copyOf(name: string): Promise<string> {
  await cp(folder.at("data"), folder.at(name), { recursive: true });
  return folder.at(name);
}

async function doctor(data: string, env: Record<string, string> = {}) {
  const { code, stdout } = await runCli(["doctor", "--json"], { data, env });
  const findings = records(record(JSON.parse(stdout))["findings"]);
  const found = record(findings.find((finding) => finding["check"] === "secrets"));
  return { code, ok: found["ok"], detail: String(found["detail"]) };
}

test("a backup says that the key in the data folder is not in it, and nothing where it is a setting", async () => {
  const said = await runCli(["backup", backup, "--json"], { data: folder.at("data") });
  assert.equal(said.code, 0);
  assert.match(said.stderr, /^The backup does not contain the key .* keep a copy of .*secret\.key, too\.\n$/);
  assert.equal(record(said.json())["file"], backup, "standard output is the data alone");
  const quiet = await runCli(["backup", backup, "--force"], {
    data: folder.at("data"),
    env: { ROSTRUM_SECRET_KEY: key },
  });
  assert.deepEqual([quiet.code, quiet.stderr], [0, ""]);
});

test("with the right key a restore says nothing, and doctor says that the key opens the secrets", async () => {
  const data = await copyOf("whole");
  const { code, stderr } = await runCli(["restore", backup], { data });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(await doctor(data), {
    code: 0,
    ok: true,
    detail: "the key opens the signing secrets of 1 webhooks",
  });
});

test("without the key a restore is done, says that the key is missing, and makes none; so does doctor", async () => {
  const data = await copyOf("keyless");
  await rm(`${data}/secret.key`);
  const { code, stderr } = await runCli(["restore", backup], { data });
  assert.equal(code, 0);
  assert.match(stderr, /^The key that opens the signing secrets of 1 of 1 webhooks is missing: put /);
  const found = await doctor(data);
  assert.deepEqual([found.code, found.ok], [78, false]);
  assert.match(found.detail, /is missing/);
  assert.ok(!existsSync(`${data}/secret.key`));
  assert.equal((await doctor(data, { ROSTRUM_SECRET_KEY: key })).code, 0);
});

test("with another key, or with a file that holds none, restore and doctor say so", async () => {
  const data = await copyOf("other");
  for (const [content, said] of [
    [randomBytes(32).toString("base64"), /^The key in .*secret\.key does not open the signing secrets of 1 of 1/],
    ["not a key", /secret\.key does not hold a key/],
  ] as const) {
    await writeFile(`${data}/secret.key`, content);
    const { code, stderr } = await runCli(["restore", backup], { data });
    assert.equal(code, 0, stderr);
    assert.match(stderr, said);
    const found = await doctor(data);
    assert.deepEqual([found.code, found.ok], [78, false]);
    assert.match(found.detail, said);
  }
});

test("authenticators' secrets are tried, too, and a backup with nothing else sealed names the key", async () => {
  const data = folder.at("people");
  {
    await using app = await openApp(readConfig({ ROSTRUM_DATA_DIR: data }, folder.path));
    const person = { email: "ada@example.com", name: "Ada", role: "owner", websiteId: null } as const;
    const { accountId: account } = (await addMember(app, person, CLI_ORIGIN)).member;
    const begun = app.secrets().seal("JBSWY3DPEHPK3PXP", account);
    await app.store.write((db) => beginTotp(db, account, begun, 1));
    assert.equal((await doctor(data)).detail, "none", "it is not in use yet");
    await app.store.write((db) => confirmTotp(db, { accountId: account, sealed: begun }, 1, 2));
  }
  assert.deepEqual(await doctor(data), { code: 0, ok: true, detail: "the key opens the secrets of 1 authenticators" });
  const said = await runCli(["backup", folder.at("people.db")], { data });
  assert.match(
    said.stderr,
    /does not contain the key that decrypts the secrets of webhooks, senders and authenticators/,
  );
  const other = await doctor(data, { ROSTRUM_SECRET_KEY: randomBytes(32).toString("hex") });
  assert.deepEqual([other.code, other.ok], [78, false]);
  assert.match(
    other.detail,
    /ROSTRUM_SECRET_KEY does not open the secrets of 1 of 1 authenticators: .*reset-password EMAIL --without-totp"\.$/,
  );
});

test("a key that is easy to guess is refused, by doctor too", async () => {
  const weak = "changeme-changeme-changeme";
  const env = { ROSTRUM_SECRET_KEY: weak };
  const fresh = await runCli(["website", "create", "--name", "W"], { data: folder.at("fresh"), cwd: folder.path, env });
  assert.deepEqual([fresh.code, fresh.stdout], [78, ""]);
  assert.match(
    fresh.stderr,
    /^ROSTRUM_SECRET_KEY is easy to guess, .*: set it to what "openssl rand -hex 32" prints\.\n$/,
  );
  assert.ok(!fresh.stderr.includes(weak));
  assert.match((await doctor(folder.at("whole"), env)).detail, /does not open/);
  await cp(folder.at("without.db"), folder.at("empty/rostrum.db"));
  const unused = await doctor(folder.at("empty"), env);
  assert.deepEqual([unused.code, unused.ok], [78, false]);
  assert.match(unused.detail, /easy to guess, .*: set it to what "openssl rand -hex 32" prints\.$/);
});

test("the service says at its start that the key file holds no key, even while nothing is encrypted", async () => {
  await using data = await tempFolder();
  await writeFile(data.at("secret.key"), "short\n", { mode: 0o600 });
  await using server = await serveCli({ data: data.path });
  assert.match(server.lines.join("\n"), /secret\.key does not hold a key: put back the file that was there/);
});
