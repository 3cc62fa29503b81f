/** The description of the management API; test/helpers/machine.ts compares it with what is answered. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Compile } from "typebox/schema";
import { buildManagementOpenApi } from "../../tools/openapi/management.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { at, closed, MANAGEMENT, ROOT } from "./described.ts";

const FILE = join(ROOT, "openapi-management.json");

test("openapi-management.json matches the contract, and is served to everybody", async () => {
  const text = readFileSync(FILE, "utf8");
  const made = `${JSON.stringify(await buildManagementOpenApi(), null, 2)}\n`;
  assert.ok(text === made, 'it is not up to date: run "npm run generate"');
  await using service = await startTestService();
  const reply = await service.get("/api/management/openapi.json", { "X-API-Key": undefined });
  assert.equal(reply.status, 200);
  assert.equal(reply.headers["content-type"], "application/json; charset=utf-8");
  assert.equal(reply.text, text);
});

test("every operation has a name of its own, a declared tag, a summary, and a description of each part", () => {
  const tags = new Set(records(MANAGEMENT["tags"]).map((tag) => tag["name"]));
  const names = new Set<unknown>();
  for (const operation of operations()) {
    assert.ok(!names.has(operation["operationId"]), `${String(operation["operationId"])} twice`);
    names.add(operation["operationId"]);
    for (const tag of operation["tags"] as string[]) assert.ok(tags.has(tag), tag);
    assert.match(String(operation["summary"]), /^[A-Z].*[^.]$/);
    assert.match(String(operation["description"]), /Scope: `(read|draft|publish)`\.$/);
    for (const { name, $ref, description } of records(operation["parameters"])) {
      assert.ok($ref !== undefined || description !== "", `${String(operation["operationId"])}: ${String(name)}`);
    }
  }
});

test("every schema compiles, and none names a website or a version, which the token and If-Match say", () => {
  for (const [name, schema] of Object.entries(record(at("#/components/schemas", MANAGEMENT)))) {
    assert.doesNotThrow(() => Compile(closed(schema, MANAGEMENT)), name);
    assert.ok(!("website_id" in record(record(schema)["properties"] ?? {})), name);
  }
  const texts = operations().map((operation) => JSON.stringify(operation["requestBody"] ?? ""));
  assert.ok(texts.every((text) => !text.includes('"version"')));
});

function operations(): Json[] {
  return Object.values(record(MANAGEMENT["paths"])).flatMap((item) =>
    Object.values(record(item)).map((operation) => record(operation)),
  );
}
