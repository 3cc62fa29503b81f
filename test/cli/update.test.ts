/** `rostrum update --check`, with npm and a registry on this machine. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { VERSION } from "../../src/process/installed-package.ts";
import { cliJson, runCli } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";

const folder = await tempFolder();
/** What the registry says; null: it knows no such package. */
let newest: string | null = null;
const repository = { type: "git", url: "git+https://forge.example/someone/rostrum.git" };
const asked: string[] = [];
const registry = createServer((request, response) => {
  asked.push(request.url ?? "");
  response.setHeader("content-type", "application/json");
  const manifest = { name: "rostrum", version: newest, repository, dist: { tarball: "http://127.0.0.1:9/a.tgz" } };
  const all = { name: "rostrum", "dist-tags": { latest: newest }, versions: { [String(newest)]: manifest } };
  response.statusCode = newest === null ? 404 : 200;
  response.end(newest === null ? "{}" : JSON.stringify(all));
}).listen(0, "127.0.0.1");
await once(registry, "listening");
const address = registry.address();
const port = typeof address === "object" ? address?.port : undefined;
const options = {
  cwd: folder.path,
  env: { npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_cache: folder.at("cache") },
};
after(async () => {
  registry.close();
  await folder[Symbol.asyncDispose]();
});

test("a newer version is named with its changes, and what to run in a checkout", async () => {
  newest = "9.1.0";
  const { code, stdout, stderr } = await runCli(["update", "--check"], options);
  assert.equal(code, 0, stderr);
  assert.match(stdout, new RegExp(`^This is ${VERSION}, and the newest version is 9\\.1\\.0\\.$`, "m"));
  assert.match(stdout, /^What changed: https:\/\/forge\.example\/someone\/rostrum\/releases\/tag\/v9\.1\.0$/m);
  assert.match(stdout, /^ {2}git switch --detach v9\.1\.0\n {2}npm ci\n/m);
  const found = await cliJson(["update", "--check"], options);
  assert.deepEqual([found["newest"], found["is_newer"], found["installation"]], ["9.1.0", true, "checkout"]);
});

test("the .npmrc of the folder where it is run does not count", async () => {
  newest = "9.1.0";
  await using project = await tempFolder();
  writeFileSync(project.at("package.json"), "{}");
  writeFileSync(project.at(".npmrc"), "registry=http://127.0.0.1:9/\n");
  writeFileSync(project.at("user"), `registry=http://127.0.0.1:${port}/\n`);
  const env = { ...options.env, npm_config_registry: "", npm_config_userconfig: project.at("user") };
  const found = await cliJson(["update", "--check"], { cwd: project.path, env });
  assert.equal(found["newest"], "9.1.0");
});

test("without a newer version there is nothing to run", async () => {
  for (const version of [VERSION, "0.0.9"]) {
    newest = version;
    const found = await cliJson(["update", "--check"], options);
    assert.deepEqual(
      [found["version"], found["newest"], found["is_newer"], found["steps"]],
      [VERSION, version, false, []],
    );
  }
});

const failed = async (expected: RegExp, env = {}) => {
  const { code, stdout, stderr } = await runCli(["update", "--check"], {
    ...options,
    env: { ...options.env, ...env },
  });
  assert.equal(stdout, "");
  assert.match(stderr, expected);
  assert.equal(stderr.trim().split("\n").length, 1, stderr);
  return code;
};

test("what npm cannot say is one sentence with an exit code", async () => {
  newest = null;
  assert.equal(await failed(/^npm knows no package "rostrum": nothing has been published where npm looks\.\n$/), 1);
  const away = { npm_config_registry: "http://127.0.0.1:9/" };
  assert.equal(await failed(/^npm could not say which version is the newest: .* \(.*ECONNREFUSED.*\)\n$/, away), 69);
  assert.equal(
    await failed(/^npm, which knows the newest version, is not installed here\.\n$/, { PATH: folder.path }),
    69,
  );
});

test("only --check asks anybody", async () => {
  const before = asked.length;
  const { code, stderr } = await runCli(["update"], options);
  assert.deepEqual([code, asked.length], [2, before]);
  assert.match(stderr, /^--check is missing: Rostrum does not replace its own files\./);
});
