import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { buildDashboard, bundledPackages } from "../../tools/build-dashboard.ts";
import { buildSbom, VIEWER } from "../../tools/sbom.ts";
import { type Json, record, records } from "../helpers/http.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as { packages: Record<string, Json> };

test("the bill of materials names each package that is delivered, with version, licence and hash, and no other", async () => {
  assert.notEqual(await buildDashboard(), "no-tools", "the dashboard's development packages are not installed");
  const bundled = bundledPackages();
  for (const name of ["react", "@mantine/core"]) assert.ok(bundled.includes(`node_modules/${name}`), name);
  const expected = new Map<string, unknown>();
  const built = new Set([...bundled, VIEWER]);
  for (const [path, { name, version, license, dev, link }] of Object.entries(lock.packages)) {
    if (!path.includes("node_modules/") || link === true || (dev === true && !built.has(path))) continue;
    const known = typeof name === "string" ? name : path.split("node_modules/").at(-1);
    expected.set(`${known}@${String(version)}`, license);
  }
  const text = buildSbom(bundled);
  const bom = record(JSON.parse(text));
  const components = records(bom["components"]);
  const refs = components.map((one) => String(one["bom-ref"]));
  assert.deepEqual(refs.toSorted(), [...expected.keys()].toSorted());
  for (const one of components) {
    const ref = String(one["bom-ref"]);
    const [licence = {}] = records(one["licenses"]);
    const said = licence["expression"] ?? record(licence["license"])["id"] ?? record(licence["license"])["name"];
    assert.equal(said, expected.get(ref), `${ref} has its licence`);
    assert.match(String(one["purl"]), /^pkg:npm\//, ref);
    assert.equal(records(one["hashes"])[0]?.["alg"], "SHA-512", ref);
  }
  assert.equal(bom["bomFormat"], "CycloneDX");
  assert.equal(record(record(bom["metadata"])["component"])["name"], "rostrum");
  process.env["NODE_ENV"] = "production";
  assert.equal(buildSbom(bundled), text, "the same lock gives the same bytes, in whatever environment");
});
