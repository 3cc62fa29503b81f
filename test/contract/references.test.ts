/** docs/reference: nothing that a reader looks up is missing, and what the pages say is what the code does. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { OUTCOMES } from "../../src/domain/webhooks/attempt.ts";
import { EVENT_KINDS } from "../../src/domain/webhooks/event.ts";
import { MANAGEMENT_ERRORS, READ_ERRORS } from "../../src/http/error-codes.ts";
import { METRICS } from "../../src/http/operators/metric-list.ts";
import * as readResponses from "../../src/http/read-api/error-responses.ts";
import { listSettingKinds } from "../../src/process/settings/config.ts";
import { SETTINGS } from "../../src/process/settings/settings.ts";
import { runCli } from "../helpers/cli-in-process.ts";
import { ROOT } from "./described.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const page = (name: string): string => read(`docs/reference/${name}.md`);
const sources = (pattern: string): string[] => globSync(pattern, { cwd: ROOT }).map(read);

test("settings.md has every setting once, also those that are read as files or by the programs of sites", () => {
  const rows = Array.from(page("settings").matchAll(/^\| `([A-Z_0-9]+)` /gm), ([, name = ""]) => name);
  assert.deepEqual(rows.toSorted(), Object.keys(SETTINGS).toSorted());
  const config = sources("src/process/settings/{config,environment,telemetry-settings}.ts").join("");
  const forSites = new Set(["ROSTRUM_URL", "ROSTRUM_API_KEY"]);
  for (const name of rows) {
    const isRead = config.includes(`"${name.replace(/_FILE$/, "")}"`) || forSites.has(name);
    assert.ok(isRead, `nobody reads ${name}`);
  }
});

test("each default of settings.md is the one that the service uses", () => {
  const kinds = listSettingKinds();
  let compared = 0;
  for (const [name, { kind, fallback }] of kinds) {
    const [, written] = /^`(.+)`$/.exec(SETTINGS[name].default ?? "") ?? [];
    if (written === undefined) continue;
    const value = kind.parse(written);
    // Megabytes and days become bytes and milliseconds after they are read.
    assert.deepEqual(value, fallback, name);
    compared++;
  }
  assert.ok(compared > 20, `${compared} defaults`);
});

test("metrics.md has every metric", () => {
  for (const name of Object.keys(METRICS)) assert.match(page("metrics"), new RegExp(`^\\| \`${name}[\`{]`, "m"));
});

test("errors.md has every code, each is sent somewhere, and those of the read API with their status", () => {
  const http = sources("src/http/**/*.ts").filter((text) => !text.includes("export const READ_ERRORS"));
  for (const code of [...Object.keys(READ_ERRORS), ...Object.keys(MANAGEMENT_ERRORS)]) {
    assert.match(page("errors"), new RegExp(`^\\| \\d+ \\| \`${code}\` `, "m"));
    assert.ok(
      [...http, read("src/domain/articles/integrity-gate.ts")].some((text) => text.includes(`"${code}"`)),
      `nobody sends ${code}`,
    );
  }
  const replies = Object.values(readResponses).filter((one) => typeof one === "object");
  assert.ok(replies.length > 5);
  for (const { code, status } of replies) {
    assert.ok(code !== undefined);
    assert.equal(READ_ERRORS[code].status, status, code);
  }
});

test("events.md has every event and every outcome of an attempt", () => {
  for (const kind of EVENT_KINDS) assert.ok(page("events").includes(`## \`${kind}\`\n`), kind);
  for (const outcome of OUTCOMES) assert.ok(page("events").includes(`| \`${outcome}\` |`), outcome);
});

test("commands.md has every command with its help", async () => {
  const text = page("commands");
  const headings = Array.from(text.matchAll(/^## (.+)$/gm), ([, name = ""]) => name);
  assert.ok(headings.length > 70, `${headings.length} commands`);
  const usages = new Set<string>();
  for (const source of sources("src/cli/**/*.ts")) {
    for (const [, name = ""] of source.matchAll(/Usage: rostrum ([a-z-]+(?: [a-z][a-z-]+)?)/g)) usages.add(name);
  }
  // The name of a few commands is put together: of those, only the first word is in the text.
  for (const name of usages)
    assert.ok(
      headings.some((one) => one === name || one.startsWith(`${name} `)),
      name,
    );
  for (const name of headings) {
    const { stdout, code } = await runCli([...name.split(" "), "--help"]);
    assert.equal(code, 0, name);
    assert.ok(text.includes(`## ${name}\n\n\`\`\`text\n${stdout}\`\`\`\n`), name);
  }
});
