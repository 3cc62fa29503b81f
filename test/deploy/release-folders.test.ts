/** A version in a folder of its own, behind a link: what runs goes on loading its own files while the link moves on. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { buildDashboard } from "../../tools/build-dashboard.ts";
import { cliJson, serveCli } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { Client, record } from "../helpers/http.ts";
import { Browser, OWNER, PASSWORD, tokenOf } from "../people/dashboard.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** What a release consists of, besides its packages. */
const PROGRAM = ["bin", "src", "package.json", "openapi.json", join("dashboard", "dist")];

test("a service goes on from the folder that it began in when the link points to another version", async () => {
  assert.notEqual(await buildDashboard(), "no-tools", "the dashboard's development packages are not installed");
  await using folder = await tempFolder();
  const release = folder.at("release-1");
  for (const path of PROGRAM) cpSync(join(ROOT, path), join(release, path), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(release, "node_modules"));
  const current = folder.at("current");
  symlinkSync(release, current);
  await using server = await serveCli({ cwd: folder.path, data: folder.at("data"), program: current });

  // The next version takes over the address, and nothing in it would run here.
  mkdirSync(folder.at("release-2"));
  rmSync(current);
  symlinkSync(folder.at("release-2"), current);
  using client = new Client(server.url);
  for (const path of ["/metrics", "/docs", "/dashboard/", "/readyz"]) {
    assert.equal((await client.send(path)).status, 200, path);
  }
  using owner = new Browser(server.url);
  const { link } = await cliJson(["user", "create", "--email", OWNER, "--role", "owner"], {
    cwd: folder.path,
    data: folder.at("data"),
  });
  await owner.json("POST", "/welcome", { token: tokenOf(link), password: PASSWORD });
  const { id } = await owner.json("POST", "/websites", { name: "W" }, 201);
  const made = await owner.json("POST", "/articles", { website_id: id, title: "A", markdown: "Text." }, 201);
  assert.match(String(record(made["article"])["content"]), /<p>Text\.<\/p>/);
});

test("metrics answer again once the packages of a running service are back", async () => {
  await using folder = await tempFolder();
  const release = folder.at("release");
  for (const path of PROGRAM.filter((one) => !one.startsWith("dashboard"))) {
    cpSync(join(ROOT, path), join(release, path), { recursive: true });
  }
  const packages = join(release, "node_modules");
  symlinkSync(join(ROOT, "node_modules"), packages);
  await using server = await serveCli({ cwd: folder.path, data: folder.at("data"), program: release });
  using client = new Client(server.url);
  renameSync(packages, `${packages}.away`);
  assert.equal((await client.send("/metrics")).status, 500);
  renameSync(`${packages}.away`, packages);
  assert.equal((await client.send("/metrics")).status, 200);
});
