import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Compile } from "typebox/schema";
import { buildOpenApi } from "../../tools/openapi/read-api.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { assertDescribed, at, closed, OPENAPI, ROOT } from "./described.ts";

test("openapi.json matches the contract", () => {
  const text = readFileSync(join(ROOT, "openapi.json"), "utf8");
  assert.ok(text === `${JSON.stringify(buildOpenApi(), null, 2)}\n`, 'it is not up to date: run "npm run generate"');
});

test("it is an OpenAPI 3.1 document with paths, webhooks and one security scheme", () => {
  assert.match(String(OPENAPI["openapi"]), /^3\.1\.\d+$/);
  assert.deepEqual(Object.keys(record(OPENAPI["paths"])), [
    "/api/public/articles",
    "/api/public/articles/{id}",
    "/api/public/articles/by-slug/{slug}",
    "/api/public/events",
    "/api/public/articles/{id}/related",
    "/api/public/redirects",
    "/api/public/tags",
    "/api/public/categories",
    "/api/public/state",
    "/api/public/openapi.json",
  ]);
  assert.deepEqual(Object.keys(record(OPENAPI["webhooks"])), [
    "article.published",
    "article.updated",
    "article.deleted",
  ]);
  assert.deepEqual(at("#/components/securitySchemes/ApiKey/name"), "X-API-Key");
});

test("every reference leads somewhere, and every component is referred to", () => {
  const references = new Set(referencesIn(OPENAPI));
  for (const reference of references) assert.ok(at(reference) !== undefined, `${reference} leads nowhere`);
  for (const [kind, components] of Object.entries(record(OPENAPI["components"]))) {
    if (kind === "securitySchemes") continue;
    for (const name of Object.keys(record(components))) {
      assert.ok(references.has(`#/components/${kind}/${name}`), `components/${kind}/${name} is used by nothing`);
    }
  }
});

test("every operation has a name of its own, a declared tag, a summary and its path's parameters", () => {
  const tags = new Set(records(OPENAPI["tags"]).map((tag) => tag["name"]));
  const names = new Set<unknown>();
  for (const { path, operation } of operations()) {
    assert.ok(!names.has(operation["operationId"]), `${String(operation["operationId"])} twice`);
    names.add(operation["operationId"]);
    for (const tag of operation["tags"] as string[]) assert.ok(tags.has(tag), tag);
    assert.match(String(operation["summary"]), /^[A-Z].*[^.]$/);
    const inPath = parametersOf(operation).filter((parameter) => parameter["in"] === "path");
    assert.deepEqual(
      inPath.map((parameter) => parameter["name"]),
      Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name),
    );
    assert.ok(inPath.every((parameter) => parameter["required"] === true));
  }
});

test("every parameter, header and body says what it is", () => {
  const described = operations().flatMap(({ operation }) =>
    [operation, parametersOf(operation), responsesOf(operation)].flat(),
  );
  described.push(...Object.values(record(at("#/components/headers"))).map((header) => record(header)));
  for (const { description } of described) assert.ok(typeof description === "string" && description !== "");
});

test("every schema compiles", () => {
  for (const [name, schema] of Object.entries(record(at("#/components/schemas")))) {
    assert.doesNotThrow(() => Compile(closed(schema)), name);
  }
});

test("every example matches its schema", () => {
  const bodies = operations().flatMap(({ operation }) =>
    responsesOf(operation).concat(operation["requestBody"] === undefined ? [] : record(operation["requestBody"])),
  );
  let examined = 0;
  for (const body of bodies) {
    const media = record(record(body["content"] ?? {})["application/json"] ?? {});
    for (const [name, example] of Object.entries(record(media["examples"] ?? {}))) {
      assertDescribed(media["schema"], record(resolved(example))["value"], name);
      examined++;
    }
    if (media["example"] !== undefined) assertDescribed(media["schema"], media["example"], "an example");
  }
  assert.ok(examined > 20, `${examined} examples`);
  for (const { operation } of operations()) {
    for (const { name, schema, example, examples } of parametersOf(operation)) {
      const value = example ?? record(record(examples)["default"])["value"];
      assertDescribed(schema, value, String(name));
    }
  }
});

interface Described {
  path: string;
  operation: Json;
}

function operations(): Described[] {
  return [...Object.entries(record(OPENAPI["paths"])), ...Object.entries(record(OPENAPI["webhooks"]))].flatMap(
    ([path, item]) => Object.values(record(item)).map((operation) => ({ path, operation: record(operation) })),
  );
}

function parametersOf(operation: Json): Json[] {
  return records(operation["parameters"] ?? []).map(resolved);
}

function responsesOf(operation: Json): Json[] {
  return Object.values(record(operation["responses"])).map(resolved);
}

function resolved(value: unknown): Json {
  const { $ref: reference } = record(value);
  return typeof reference === "string" ? record(at(reference)) : record(value);
}

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === "$ref" ? [String(item)] : key === "mapping" ? Object.values(record(item)).map(String) : referencesIn(item),
  );
}
