/**
 * Generates openapi.json from the contract. With `--check` it writes nothing, and exits with code 1 if the file is outdated.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildOpenApi } from "../src/http/contract/openapi.ts";

const FILE = join(import.meta.dirname, "..", "openapi.json");
const text = `${JSON.stringify(buildOpenApi(), null, 2)}\n`;

if (process.argv.includes("--check")) {
  if (readFileSync(FILE, "utf8") !== text) {
    process.stderr.write('openapi.json is not what the contract says: run "npm run generate".\n');
    process.exitCode = 1;
  }
} else {
  writeFileSync(FILE, text);
}
