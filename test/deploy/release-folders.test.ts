/**
 * The package that `npm pack` makes, installed as docs/operate.md says: in a folder of its own, behind a link. What runs goes on
 * loading its own files while the link moves on.
 */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type DisposableTempDir, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { buildDashboard } from "../../tools/build-dashboard.ts";
import { cliJson, runCli, serveCli, spawnCli } from "../helpers/cli.ts";
import { ended } from "../helpers/processes.ts";
import { tempFolder } from "../helpers/folder.ts";
import { Client, record } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";
import { Browser, OWNER, PASSWORD, tokenOf } from "../people/dashboard.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const run = promisify(execFile);
/** What the Dockerfile copies into the folder in which it runs `npm pack`. */
const CHECKOUT = Array.from(
  readFileSync(join(ROOT, "deploy", "Dockerfile"), "utf8").matchAll(/^COPY (?!--from)(.+) \S+$/gm),
  ([, sources = ""]) => sources.split(" "),
).flat();

/** As a shell has it that npm did not start. */
const PATH = [
  ...(process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules")),
  dirname(process.execPath),
].join(delimiter);
const ENVIRONMENT = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(cache|registry|userconfig)$)/.test(name)),
  ),
  PATH,
};
const HOST_NODE = PATH.split(delimiter)
  .map((folder) => join(folder, "node"))
  .find((path) => existsSync(path));

function isTooOld(node: string | undefined): boolean {
  return (
    node !== undefined && Number(/^v(\d+)/.exec(execFileSync(node, ["--version"], { encoding: "utf8" }))?.[1]) < 26
  );
}

/** A statement that fails unless the module can be loaded, or the file of data is there. */
function useOf(name: string): string {
  const text = JSON.stringify(name);
  return /\.(?:gz|wasm)$/.test(name)
    ? `accessSync(fileURLToPath(import.meta.resolve(${text})));`
    : `await import(${text});`;
}

let folder: DisposableTempDir;
/** The installed package. */
let program: string;

before(async () => {
  assert.notEqual(await buildDashboard(), "no-tools", "the dashboard's development packages are not installed");
  // Not in memory: programs may not run from there everywhere.
  folder = await mkdtempDisposable(join(tmpdir(), "rostrum-package-"));
  // Packing changes package.json for a while, which other tests read.
  const checkout = join(folder.path, "checkout");
  for (const name of CHECKOUT) {
    cpSync(join(ROOT, name), join(checkout, name), {
      recursive: true,
      filter: (path) => basename(path) !== "node_modules",
    });
  }
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  const manifest = readFileSync(join(checkout, "package.json"), "utf8");
  const env = { ...ENVIRONMENT, PATH: `${dirname(process.execPath)}${delimiter}${PATH}` };
  await run("npm", ["pack", "--silent", "--pack-destination", folder.path], { cwd: checkout, env });
  assert.equal(readFileSync(join(checkout, "package.json"), "utf8"), manifest);
  rmSync(checkout, { recursive: true });
  const [tarball = ""] = globSync(join(folder.path, "rostrum-*.tgz"));
  const release = join(folder.path, "releases", "0.1.0");
  const { stderr } = await run("npm", ["install", "--prefer-offline", "--prefix", release, tarball], {
    cwd: folder.path,
    env: ENVIRONMENT,
  });
  assert.doesNotMatch(stderr, /EBADENGINE|install-scripts|deprecated/);
  program = join(release, "node_modules", "rostrum");
});
after(() => folder.remove());

test("the package has no dependencies, no TypeScript and nothing to be installed besides", () => {
  assert.deepEqual(
    readdirSync(dirname(program)).filter((name) => !name.startsWith(".")),
    ["rostrum"],
  );
  assert.deepEqual(globSync("**/*.ts", { cwd: program }), []);
  const manifest = record(JSON.parse(readFileSync(join(program, "package.json"), "utf8")));
  for (const key of ["dependencies", "devDependencies", "scripts", "workspaces"]) assert.ok(!(key in manifest), key);
  for (const file of ["openapi.json", "sbom.cdx.json", "LICENSE", "docs/operate.md", "deploy/rostrum.service"]) {
    assert.ok(existsSync(join(program, file)), file);
  }
});

test("every package that the installed program names can be loaded", async () => {
  const installed = join(program, "lib", "node_modules");
  const names = new Set<string>();
  for (const file of globSync("lib/**/*.js", { cwd: program, exclude: ["**/node_modules"] })) {
    const source = readFileSync(join(program, file), "utf8");
    for (const [, name = "", packageName = ""] of source.matchAll(/"(((?:@[\w-]+\/)?[a-z][\w.-]*)(?:\/[\w./-]+)?)"/g)) {
      if (existsSync(join(installed, packageName, "package.json"))) names.add(name);
    }
  }
  const { dependencies } = record(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  const known = Object.keys(record(dependencies));
  assert.deepEqual(
    known.filter((name) => ![...names].some((one) => one === name || one.startsWith(`${name}/`))),
    [],
  );
  const source = `import { accessSync } from "node:fs";
    import { fileURLToPath } from "node:url";
    ${[...names].map((name) => useOf(name)).join("\n")}`;
  await run(process.execPath, ["--input-type=module", "-e", source], { cwd: join(program, "lib") });
});

test("the demonstration runs from the package on the Node of this machine, or on one from npm where that is too old", async () => {
  await using data = await tempFolder();
  const options = { program, runtime: HOST_NODE ?? process.execPath, cwd: data.path, env: { PATH, HOME: data.path } };
  const env = { ...ENVIRONMENT, PORT: "0" };
  const demo = spawnCli(["demo"], { ...options, env, withinMs: 200_000 });
  let printed = "";
  let errors = "";
  demo.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  demo.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  await until("a webhook arrives", () => /article\.published .* signature valid/.test(printed), 120_000);
  if (isTooOld(HOST_NODE))
    assert.match(errors, /^Node v\d+\.\d+\.\d+ is too old: installing node-\S+ with npm, once, into .*\n$/);
  using client = new Client(/Address {2,}(\S+)/.exec(printed)?.[1] ?? "");
  for (const path of ["/docs/viewer.js", "/dashboard/", "/api/public/openapi.json"]) {
    assert.equal((await client.send(path)).status, 200, path);
  }
  const end = ended(demo);
  demo.kill("SIGTERM");
  await end;
  assert.equal(demo.exitCode, 0, "the launcher passes SIGTERM on, and the exit code back");

  // Npm is not asked again: this home has no cache.
  const version = await runCli(["version"], options);
  assert.deepEqual([version.code, version.stdout, version.stderr], [0, "0.1.0\n", ""]);
  assert.equal((await runCli(["nonsense"], options)).code, 2);
  const site = { ...options, data: data.at("data") };
  assert.equal((await runCli(["migrate"], site)).code, 0);
  await cliJson(["website", "create", "--name", "W"], site);
  const article = await cliJson(["article", "create", "--website", "W", "--file", "-"], {
    ...site,
    stdin: JSON.stringify({ title: "From standard input", markdown: "**Text**" }),
  });
  assert.match(String(article["content"]), /<strong>Text<\/strong>/);
});

test(
  "a Node from npm with another hash is neither kept nor run",
  { skip: isTooOld(HOST_NODE) ? false : "this machine's Node is new enough" },
  async () => {
    await using data = await tempFolder();
    const other = data.at("rostrum");
    mkdirSync(data.at("rostrum/lib"), { recursive: true });
    cpSync(join(program, "bin"), join(other, "bin"), { recursive: true });
    const packages = readFileSync(join(program, "lib", "programs.json"), "utf8");
    writeFileSync(join(other, "lib", "programs.json"), packages.replaceAll(/sha512-\w{4}/g, "sha512-AAAA"));
    const options = { program: other, cwd: data.path, env: { ...ENVIRONMENT, HOME: data.path } };
    const { code, stderr } = await runCli(["version"], { ...options, runtime: HOST_NODE ?? process.execPath });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /npm could not install one \(npm brought a package with another hash\): install a newer Node\.\n$/,
    );
    assert.deepEqual(readdirSync(other).toSorted(), ["bin", "lib"]);
  },
);

test("a service goes on from the folder that it began in when the link points to another version", async () => {
  await using data = await tempFolder();
  const current = data.at("current");
  symlinkSync(program, current);
  await using server = await serveCli({ cwd: data.path, data: data.at("data"), program: current });

  // The next version takes over the address, and nothing in it would run here.
  mkdirSync(data.at("release-2"));
  rmSync(current);
  symlinkSync(data.at("release-2"), current);
  using client = new Client(server.url);
  for (const path of ["/metrics", "/docs", "/dashboard/", "/readyz"]) {
    assert.equal((await client.send(path)).status, 200, path);
  }
  using owner = new Browser(server.url);
  const { link } = await cliJson(["user", "create", "--email", OWNER, "--role", "owner"], {
    cwd: data.path,
    data: data.at("data"),
  });
  await owner.json("POST", "/welcome", { token: tokenOf(link), password: PASSWORD });
  const { id } = await owner.json("POST", "/websites", { name: "W" }, 201);
  // Long enough for the thread of long requests.
  const markdown = "Text.\n\n".repeat(10_000);
  const made = await owner.json("POST", "/articles", { website_id: id, title: "A", markdown }, 201);
  assert.match(String(record(made["article"])["content"]), /<p>Text\.<\/p>/);
});

test("metrics answer again once the packages of a running service are back", async () => {
  await using data = await tempFolder();
  const packages = join(program, "lib", "node_modules");
  await using server = await serveCli({ cwd: data.path, data: data.at("data"), program });
  using client = new Client(server.url);
  renameSync(packages, `${packages}.away`);
  assert.equal((await client.send("/metrics")).status, 500);
  renameSync(`${packages}.away`, packages);
  assert.equal((await client.send("/metrics")).status, 200);
});
