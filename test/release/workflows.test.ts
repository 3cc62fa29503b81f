/** The workflows of this repository: what each step runs exists, and what publishes does so once, after all checks. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { readManifest, ROOT } from "../../tools/release-files.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";

const read = (name: string) => record(parse(readFileSync(join(ROOT, ".github", "workflows", name), "utf8")));
const jobsOf = (name: string) =>
  Object.entries(record(read(name)["jobs"])).map(([id, job]) => [id, record(job)] as const);

test("every script of a workflow can be parsed, and runs what is in this repository", () => {
  const { scripts = {} } = readManifest(ROOT);
  for (const name of ["ci.yml", "release.yml"]) {
    for (const [id, job] of jobsOf(name)) {
      assert.ok(Number(job["timeout-minutes"]) > 0, `${name}: ${id} has a limit of time`);
      for (const { run } of records(job["steps"])) {
        if (typeof run !== "string") continue;
        const script = run.replaceAll(/\$\{\{.*?\}\}/g, "x");
        execFileSync("bash", ["-n", "-c", script], { stdio: ["ignore", "ignore", "inherit"] });
        for (const [, called = ""] of script.matchAll(/npm run ([\w:]+)/g)) assert.ok(called in scripts, called);
        if (script.startsWith(".")) assert.ok(existsSync(join(ROOT, script)), script);
      }
    }
  }
});

test("nothing is published before all checks and builds, and only what publishes may write", () => {
  assert.deepEqual(record(read("release.yml")["on"]), { push: { tags: ["v*"] } });
  const jobs = new Map(jobsOf("release.yml"));
  const writing = [...jobs].filter(([, job]) => JSON.stringify(job["permissions"] ?? {}).includes("write"));
  assert.deepEqual(
    writing.map(([id]) => id),
    ["publish", "image"],
  );
  for (const [id, job] of writing) assert.deepEqual(job["needs"], ["check", "files"], id);
  assert.deepEqual(
    [read("ci.yml")["permissions"], read("release.yml")["permissions"]],
    [{ contents: "read" }, { contents: "read" }],
  );
});

test("each package is published once, also when the job runs again", async () => {
  await using folder = await tempFolder();
  const bin = folder.at("bin");
  for (const name of ["bin", "files", "published", "package"]) mkdirSync(folder.at(name));
  const npm = `case $1 in
view) cat "${folder.at("published")}/$(echo "$2" | tr / +)" 2>/dev/null ;;
publish) name=$(tar -xOf "$2" package/package.json | sed -n 's/.*"name":"\\([^"]*\\)".*/\\1@1.0.0/p')
  touch "${folder.at("calls")}"; echo "$@" >> "${folder.at("calls")}"; echo 1.0.0 > "${folder.at("published")}/$(echo "$name" | tr / +)" ;;
esac`;
  writeFileSync(join(bin, "npm"), `#!/bin/sh\n${npm}\n`);
  chmodSync(join(bin, "npm"), 0o755);
  for (const name of ["@rostrum/client", "rostrum"]) {
    writeFileSync(folder.at("package/package.json"), JSON.stringify({ name, version: "1.0.0" }));
    execFileSync("tar", ["-czf", `files/${name.replace("@rostrum/", "rostrum-")}-1.0.0.tgz`, "package"], {
      cwd: folder.path,
    });
  }
  const step = records(new Map(jobsOf("release.yml")).get("publish")?.["steps"]).find((one) => one["name"] === "npm");
  const run = () =>
    execFileSync("bash", ["-e", "-o", "pipefail", "-c", String(step?.["run"])], {
      cwd: folder.path,
      stdio: ["ignore", "ignore", "inherit"],
      env: { PATH: `${bin}:${join(process.execPath, "..")}:/usr/bin:/bin`, NPM_TOKEN: "" },
    });
  run();
  const calls = readFileSync(folder.at("calls"), "utf8");
  assert.deepEqual(calls.trim().split("\n"), [
    "publish ./files/rostrum-1.0.0.tgz --provenance --access public",
    "publish ./files/rostrum-client-1.0.0.tgz --provenance --access public",
  ]);
  run();
  assert.equal(readFileSync(folder.at("calls"), "utf8"), calls);
});
