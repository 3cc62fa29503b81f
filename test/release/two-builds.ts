/**
 * `npm run test:release`: a release is made for real in a clone, and a second clone in another folder, with another umask and time zone,
 * builds the same bytes from its tag.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { git, packageFolders, ROOT, readManifest } from "../../tools/release-files.ts";
import { record, records } from "../helpers/http.ts";
import { cloneCheckout } from "./clone.ts";

test("a release is one commit with a tag, and two builds of it are the same bytes", async () => {
  await using clone = await cloneCheckout();
  const { version: earlier } = readManifest(ROOT);
  const version = earlier.replace(/^\d+\.\d+/, "9.9");
  const before = clone.git("rev-parse", "HEAD");
  const dry = await clone.release("--dry-run", version);
  assert.equal(dry.code, 0, dry.stderr);
  assert.match(dry.stdout, /A dry run: nothing was changed\.\n$/);
  assert.deepEqual(
    [clone.git("rev-parse", "HEAD"), clone.git("tag"), clone.git("status", "--porcelain")],
    [before, "", ""],
  );

  const made = await clone.release(version);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, new RegExp(`To publish it: git push origin main v${version}\\n$`));
  assert.deepEqual(clone.git("rev-parse", "main", `v${version}^{commit}`, "HEAD^").split("\n"), [
    clone.git("rev-parse", "HEAD"),
    clone.git("rev-parse", "HEAD"),
    before,
  ]);
  const { path } = clone;
  const heading = `## ${version} – ${new Date().toISOString().slice(0, 10)}`;
  assert.ok(readFileSync(join(path, "CHANGELOG.md"), "utf8").includes(`## Unreleased\n\n${heading}\n`));
  assert.ok(clone.git("tag", "--list", "--format=%(contents)", `v${version}`).includes(heading));
  assert.throws(() => clone.git("grep", "-F", "-e", `-${earlier}.tgz`, "--", "docs", "README.md"));
  assert.match(
    readFileSync(join(path, "deploy/helm/rostrum/Chart.yaml"), "utf8"),
    new RegExp(`^version: ${version}$`, "m"),
  );
  for (const one of packageFolders(path).all) {
    const { version: own, dependencies = {}, repository } = readManifest(path, one);
    assert.equal(own, version);
    assert.equal(dependencies["@rostrum/client"] ?? version, version);
    assert.equal(repository?.url, "git+https://forge.example/someone/rostrum.git");
  }

  const output = join(path, ".cache", "release", version);
  const sums = readFileSync(join(output, "SHA256SUMS"), "utf8");
  execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: output });
  for (const name of ["create-rostrum-site", "rostrum", "rostrum-astro", "rostrum-client", "rostrum-next"]) {
    assert.match(sums, new RegExp(`  ${name}-${version}\\.tgz$`, "m"));
  }
  const provenance = record(
    JSON.parse(readFileSync(join(output, `rostrum-${version}.linux-x64.provenance.json`), "utf8")),
  );
  const { buildDefinition } = record(provenance["predicate"]);
  const [source] = records(record(buildDefinition)["resolvedDependencies"]);
  assert.deepEqual(source, {
    uri: "git+https://forge.example/someone/rostrum.git",
    digest: { gitCommit: clone.git("rev-parse", "HEAD") },
  });

  // Deeper, for other users, elsewhere in the world.
  const deep = join(clone.folder, "another", "folder that is deeper");
  mkdirSync(deep, { recursive: true });
  const umask = process.umask(0o077);
  try {
    git(deep, "clone", "--quiet", path, "again");
    execFileSync("cp", ["-a", join(path, "node_modules"), join(deep, "again")]);
    const env = { ...process.env, TZ: "Pacific/Auckland", LC_ALL: "de_DE.UTF-8", NODE_ENV: "production" };
    execFileSync(process.execPath, ["tools/release.ts", "--build", "files"], {
      cwd: join(deep, "again"),
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
  } finally {
    process.umask(umask);
  }
  assert.equal(readFileSync(join(deep, "again", "files", "SHA256SUMS"), "utf8"), sums);
});
