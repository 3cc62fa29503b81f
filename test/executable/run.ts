/**
 * `npm run test:executable`: builds the single executable and one of a later version, and tries them where neither Node nor npm is:
 * every command, a service with all its threads and processes, and the folder that they unpack themselves into.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { type DisposableTempDir, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { COMMANDS, loadAllCommands } from "../../src/cli/commands.ts";
import { zipOf } from "../../src/operations/articles/import/zip-test-helpers.ts";
import { buildExecutable } from "../../tools/build-executable.ts";
import { runNpm } from "../../tools/sbom.ts";
import { Agent } from "../helpers/agent.ts";
import { type CliOptions, cliJson, runCli, serveCli, spawnCli } from "../helpers/cli.ts";
import { Client, record } from "../helpers/http.ts";
import { childrenRunning, ended, signalChildren } from "../helpers/processes.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";
import { Browser, OWNER, PASSWORD, tokenOf } from "../people/dashboard.ts";

const FIXTURES = join(import.meta.dirname, "..", "fixtures", "pictures");
const VERSION = "0.1.0";
const LATER = "0.2.0";
const NOBODY = 65_534;
const MAX_COMMANDS_AT_ONCE = 3;

/** Long enough for the database of languages. */
const GERMAN = `Der Tee wird im Frühling geerntet, wenn die Blätter noch jung sind, und dann in Körben getrocknet.

Danach werden die Blätter gerollt, in großen Kisten verpackt und mit dem Schiff in alle Welt verschickt.
`;

let folder: DisposableTempDir;
let executable: string;
let later: string;
let count = 0;

/** A folder for a home, without a cache yet. */
function newHome(): string {
  const home = join(folder.path, `home-${++count}`);
  mkdirSync(home, { mode: 0o755 });
  return home;
}

/** Neither Node nor npm, nor anything else of this process, is within reach. */
const optionsOf = (home: string, more: CliOptions = {}): CliOptions => ({
  executable,
  cwd: home,
  data: join(home, "data"),
  withinMs: 240_000,
  ...more,
  env: { PATH: "/nowhere", HOME: home, ...more.env },
});

const cacheOf = (home: string) => join(home, ".cache", "rostrum");
const programsOf = (home: string) =>
  readdirSync(cacheOf(home)).map((name) => name.replace(/-[0-9a-f]{16}$/, "").replace(/^unpacking-.*/, "unpacking"));

/** Runs it as another user, who has this home. */
function asNobody(home: string, args: readonly string[], env: Record<string, string> = {}) {
  const words = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", executable, ...args];
  return spawnSync("/usr/bin/setpriv", words, {
    cwd: "/",
    env: { PATH: "/nowhere", HOME: home, ...env },
    encoding: "utf8",
  });
}

before(async () => {
  // Programs may not run from memory everywhere, and other users may not enter the folder that mkdtemp makes.
  folder = await mkdtempDisposable(join(tmpdir(), "rostrum-executable-"));
  chmodSync(folder.path, 0o755);
  const place = (built: string, name: string) => {
    const path = join(folder.path, name);
    renameSync(built, path);
    return path;
  };
  runNpm(["pack", "--silent", "--pack-destination", folder.path]);
  const [tarball = ""] = globSync(join(folder.path, "*.tgz"));
  executable = place(await buildExecutable(tarball), "rostrum");
  execFileSync("tar", ["-xzf", tarball, "-C", folder.path]);
  const manifest = join(folder.path, "package", "package.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace(`"${VERSION}"`, `"${LATER}"`));
  execFileSync("tar", ["-czf", tarball, "-C", folder.path, "package"]);
  later = place(await buildExecutable(tarball), "rostrum-later");
  rmSync(join(folder.path, "package"), { recursive: true });
  rmSync(tarball);
});
after(() => folder.remove());

test("every command explains itself", async () => {
  const home = newHome();
  const words = [...Object.keys(COMMANDS), ...(await loadAllCommands()).keys()].map((name) => name.split(" "));
  const next = words.values();
  const work = async () => {
    for (const name of next) {
      const { code, stdout, stderr } = await runCli([...name, "--help"], optionsOf(home));
      assert.deepEqual([code, stderr], [0, ""], name.join(" "));
      assert.match(stdout, /^Usage: rostrum /, name.join(" "));
    }
  };
  await Promise.all(Array.from({ length: MAX_COMMANDS_AT_ONCE }, work));
  const { code, stderr } = await runCli(["nonsense"], optionsOf(home));
  assert.deepEqual([code, stderr], [2, 'There is no command "nonsense". See "rostrum --help".\n']);
});

test("it imports files of several formats, and a picture", async () => {
  const home = newHome();
  const options = optionsOf(home);
  const site = join(home, "site");
  mkdirSync(site);
  writeFileSync(join(site, "one.md"), "---\ntags: [a]\n---\n# One\n\nText of one.\n\n![A picture](still.avif)\n");
  copyFileSync(join(FIXTURES, "still.avif"), join(site, "still.avif"));
  writeFileSync(
    join(site, "two.html"),
    "<!doctype html><title>Two</title><main><h1>Two</h1><p>Text of two.</p></main>",
  );
  writeFileSync(join(site, "three.json"), JSON.stringify({ title: "Three", content: "<p>Text of three.</p>" }));
  writeFileSync(join(site, "four.adoc"), "= Four\n\nText of *four*.\n");
  writeFileSync(
    join(site, "five.docx"),
    zipOf({
      "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
      "word/document.xml": `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Text of five.</w:t></w:r></w:p></w:body></w:document>`,
    }),
  );
  await cliJson(["website", "create", "--name", "W"], options);
  const { created, failed, pictures } = await cliJson(["import", site, "--website", "W"], options);
  assert.deepEqual([created, failed], [5, []]);
  assert.equal(record(pictures)["imported"], 1);
  const stdin = JSON.stringify({ title: "Die Ernte des Tees", markdown: GERMAN });
  const { id } = await cliJson(["article", "create", "--website", "W", "--file", "-"], { ...options, stdin });
  assert.match((await runCli(["article", "show", String(id), "--json"], options)).stdout, /"language":"de"/);
  const result = await runCli(["export", "--website", "W"], options);
  for (const word of ["one", "two", "three", "<strong>four</strong>", "five"]) {
    assert.ok(result.stdout.includes(`Text of ${word}`), word);
  }
});

test("a service publishes, delivers, shows the dashboard and prepares pictures; a backup of it is restored", async () => {
  const home = newHome();
  const options = optionsOf(home, { env: LOOPBACK });
  const { id: website } = await cliJson(["website", "create", "--name", "W"], options);
  const { key } = await cliJson(["key", "create", "--website", "W", "--name", "k"], options);
  const { token } = await cliJson(["token", "create", "--website", "W", "--name", "t", "--scope", "publish"], options);
  const { link } = await cliJson(["user", "create", "--email", OWNER, "--role", "owner"], options);
  await using receiver = await ScriptedReceiver.start();
  await cliJson(["webhook", "create", "--website", "W", "--url", receiver.url], options);
  await using server = await serveCli(options);
  using client = new Client(server.url);
  for (const path of ["/dashboard/", "/docs", "/docs/viewer.js", "/api/public/openapi.json", "/metrics", "/readyz"]) {
    assert.equal((await client.send(path)).status, 200, path);
  }
  const assets = Array.from((await client.send("/dashboard/")).text.matchAll(/(?:src|href)="(\/dashboard\/[^"]+)"/g));
  assert.ok(assets.length > 0);
  for (const [, path = ""] of assets) assert.equal((await client.send(path)).status, 200, path);

  using owner = new Browser(server.url);
  await owner.json("POST", "/welcome", { token: tokenOf(link), password: PASSWORD });
  // Long enough for the thread of long requests.
  const markdown = "Text.\n\n".repeat(10_000);
  const made = await owner.json("POST", "/articles", { website_id: website, title: "Long", markdown }, 201);
  assert.match(String(record(made["article"])["content"]), /<p>Text\.<\/p>/);
  const query = `/assets?website_id=${String(website)}&name=still.avif`;
  const uploaded = await owner.sendFile(query, readFileSync(join(FIXTURES, "still.avif")));
  assert.equal(uploaded.status, 200, uploaded.text);
  const url = new URL(String(record(uploaded.json())["url"]));
  const small = await client.send(`${url.pathname}?w=320&format=webp`);
  assert.deepEqual([small.status, small.headers["content-type"]], [200, "image/webp"]);

  const tokenFile = join(home, "token");
  writeFileSync(tokenFile, String(token));
  const transport = new StdioClientTransport({
    command: executable,
    args: ["mcp", "--url", server.url, "--token-file", tokenFile],
    env: { PATH: "/nowhere", HOME: home },
    stderr: "ignore",
  });
  await using agent = await Agent.connect(transport, "2026-07-28");
  const { id } = await agent.call("create_draft", { title: "By an agent", markdown: GERMAN });
  await cliJson(["article", "submit", id], options);
  await cliJson(["article", "approve", id], options);
  await cliJson(["article", "publish", id], options);
  await until("the webhook arrives", () => receiver.received.length > 0);
  assert.equal(receiver.received[0]?.event["event"], "article.published");
  const read = await client.send(`/api/public/articles/${id}`, { headers: { "X-API-Key": String(key) } });
  assert.equal(record(record(record(read.json())["data"])["article"])["title"], "By an agent");

  const backup = join(home, "backup.db");
  assert.equal((await runCli(["backup", backup], options)).code, 0);
  assert.equal((await runCli(["doctor"], options)).code, 0);
  server.child.kill("SIGTERM");
  assert.deepEqual(await server.ended, { code: 0, signal: null }, server.errors());
  const other = optionsOf(home, { data: join(home, "restored") });
  const restored = await runCli(["restore", backup], other);
  assert.equal(restored.code, 0, restored.stderr);
  assert.equal((await cliJson(["article", "show", id], other))["title"], "By an agent");
});

test("the demonstration shows a webhook that arrives, and ends on SIGTERM", async () => {
  const demo = spawnCli(["demo"], optionsOf(newHome(), { env: { PORT: "0" } }));
  let printed = "";
  demo.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  await until("a webhook arrives", () => /article\.published .* signature valid/.test(printed), 120_000);
  assert.ok(printed.includes(executable), "the commands that it shows name the executable");
  const end = ended(demo);
  demo.kill("SIGTERM");
  await end;
  assert.equal(demo.exitCode, 0);
});

test("a service goes on while its file is replaced and moved; then the later version runs", async () => {
  const home = newHome();
  const file = join(home, "rostrum");
  copyFileSync(executable, file);
  const options = { ...optionsOf(home), executable: file };
  const { id: website } = await cliJson(["website", "create", "--name", "W"], options);
  const { link } = await cliJson(["user", "create", "--email", OWNER, "--role", "owner"], options);
  await using server = await serveCli(options);
  using owner = new Browser(server.url);
  copyFileSync(later, `${file}.new`);
  renameSync(`${file}.new`, file);
  assert.equal((await runCli(["version"], options)).stdout, `${LATER}\n`);
  await owner.json("POST", "/welcome", { token: tokenOf(link), password: PASSWORD });
  const save = (title: string) =>
    owner.json("POST", "/articles", { website_id: website, title, markdown: "Text.\n\n".repeat(10_000) }, 201);
  await save("Replaced");
  const moved = join(home, "moved");
  renameSync(file, moved);
  // Its content processes: the next text needs another.
  await signalChildren(server.child.pid, "SIGKILL");
  await until("they have ended", () => childrenRunning("", server.child.pid).length === 0);
  await save("Moved");
  using client = new Client(server.url);
  assert.equal((await client.send("/docs")).status, 200);
  server.child.kill("SIGINT");
  await server.ended;
  await using next = await serveCli({ ...options, executable: moved });
  assert.equal(record(JSON.parse(next.lines.at(-1) ?? ""))["version"], LATER);
  assert.deepEqual(programsOf(home).toSorted(), [`program-${VERSION}`, `program-${LATER}`]);
});

test("the last three versions are kept, and what was left unfinished is removed after an hour", async () => {
  const home = newHome();
  const cache = cacheOf(home);
  const days = ["program-0.0.1-a", "program-0.0.2-a", "program-0.0.3-a", "unpacking-1-1", "unpacking-2-2", "compiled"];
  for (const [index, name] of days.entries()) {
    mkdirSync(join(cache, name), { recursive: true, mode: 0o700 });
    const time = name === "unpacking-2-2" ? Date.now() / 1_000 : 1_000_000 + index;
    utimesSync(join(cache, name), time, time);
  }
  assert.equal((await runCli(["version"], optionsOf(home))).code, 0);
  assert.deepEqual(
    readdirSync(cache)
      .map((name) => name.replace(/-[0-9a-f]{16}$/, ""))
      .toSorted(),
    ["compiled", `program-${VERSION}`, "program-0.0.2-a", "program-0.0.3-a", "unpacking-2-2"].toSorted(),
  );
});

test("killed while it unpacks, it does so again; first starts at the same time leave one program", async () => {
  const home = newHome();
  const child = spawn(executable, ["version"], { env: { HOME: home }, stdio: "ignore" });
  await until("it unpacks", () => globSync(join(cacheOf(home), "unpacking-*", "bin")).length > 0);
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  assert.deepEqual(programsOf(home), ["unpacking"]);
  const all = await Promise.all(Array.from({ length: 4 }, () => runCli(["version"], optionsOf(home))));
  for (const one of all) assert.deepEqual([one.code, one.stdout, one.stderr], [0, `${VERSION}\n`, ""]);
  assert.deepEqual(programsOf(home).toSorted(), [`program-${VERSION}`, "unpacking"]);
});

test("a damaged file says so", async () => {
  const home = newHome();
  const damaged = join(home, "rostrum");
  const content = readFileSync(executable);
  const program = content.lastIndexOf(Buffer.from("28b52ffd", "hex"));
  content[program + 1_000_000]! ^= 1;
  writeFileSync(damaged, content, { mode: 0o755 });
  const { code, stdout, stderr } = await runCli(["version"], { ...optionsOf(home), executable: damaged });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(
    stderr,
    /^Rostrum unpacks itself once, into \S+, and could not: this file is damaged, get it again\.\n$/,
  );
  assert.deepEqual(readdirSync(cacheOf(home)), []);
});

const forRoot = { skip: process.getuid?.() === 0 ? false : "only root can run it as other users" };

test("where nothing can be written it says what to set; what is unpacked needs no writing", forRoot, () => {
  const home = newHome();
  const refused = asNobody(home, ["version"]);
  assert.deepEqual([refused.status, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /^Rostrum unpacks itself once, .* let XDG_CACHE_HOME name one that can be written\.\n$/);
  const cache = join(home, "cache");
  mkdirSync(cache, { mode: 0o700 });
  chownSync(cache, NOBODY, NOBODY);
  assert.equal(asNobody(home, ["version"], { XDG_CACHE_HOME: cache }).stdout, `${VERSION}\n`);
  execFileSync("chmod", ["-R", "a-w", cache]);
  const { stdout, stderr } = asNobody(home, ["version"], { XDG_CACHE_HOME: cache });
  assert.deepEqual([stdout, stderr], [`${VERSION}\n`, ""]);
});

test("nobody runs what another user has unpacked", forRoot, async () => {
  const home = newHome();
  const cache = join(home, ".cache");
  assert.equal((await runCli(["version"], optionsOf(home))).code, 0);
  execFileSync("chmod", ["-R", "a+rX", cache]);
  const version = () => asNobody("/nonexistent", ["version"], { XDG_CACHE_HOME: cache });
  // As long as that is not root, who could change all of them.
  assert.equal(version().stdout, `${VERSION}\n`);
  execFileSync("chown", ["-R", String(NOBODY - 1), cache]);
  const { status, stdout, stderr } = version();
  assert.deepEqual([status, stdout], [1, ""]);
  assert.match(stderr, /only this user can change/);
});
