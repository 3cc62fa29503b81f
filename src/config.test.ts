import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "./config.ts";
import { AppError } from "./domain/errors.ts";

const NOWHERE = "/nowhere";

function problems(environment: Record<string, string>): string[] {
  try {
    readConfig(environment, NOWHERE);
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === "misconfigured");
    return error.message.split("\n");
  }
  return [];
}

test("without settings everything has its default", () => {
  assert.deepEqual(readConfig({}, NOWHERE), {
    host: "127.0.0.1",
    port: 4000,
    dataDir: "/nowhere/data",
    databasePath: "/nowhere/data/rostrum.db",
    publicUrl: null,
    logLevel: "info",
    rateLimit: 50,
    cacheBytes: 64 * 1024 * 1024,
  });
});

test("an empty setting is none", () => {
  assert.deepEqual(readConfig({ PORT: "", HOST: "", ROSTRUM_DATA_DIR: "" }, NOWHERE), readConfig({}, NOWHERE));
});

test("a path of the database stands by itself, absolute or in the folder", () => {
  for (const [value, path] of [
    ["sqlite:x.db", "/nowhere/x.db"],
    ["sqlite:/a/x.db", "/a/x.db"],
    ["sqlite:///a/x.db", "/a/x.db"],
  ] as const) {
    assert.equal(readConfig({ DATABASE_URL: value }, NOWHERE).databasePath, path);
  }
});

test("every wrong setting is named at once, each with what it must be", () => {
  const wrong = {
    PORT: "70000",
    ROSTRUM_CACHE_MB: "0",
    ROSTRUM_PUBLIC_URL: "ftp://x",
    HOST: " ",
    ROSTRUM_RATE_LIMIT: "x",
  };
  const said = problems(wrong);
  assert.equal(said.length, 5);
  for (const [name, value] of Object.entries(wrong)) {
    assert.ok(
      said.some((line) => line.startsWith(`${name} is "${value}"; it must be `)),
      name,
    );
  }
});

for (const [name, values] of Object.entries({
  PORT: ["-1", "65536", "80.5", "0x50", " 80"],
  ROSTRUM_LOG_LEVEL: ["INFO", "verbose"],
  DATABASE_URL: ["postgres://x", "sqlite:", "x.db"],
})) {
  test(`${name} refuses what it cannot be`, () => {
    for (const value of values) assert.equal(problems({ [name]: value }).length, 1, value);
  });
}
