/** What openapi.json and openapi-management.json say, in the strictest reading: a field that they do not name is an error. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Compile } from "typebox/schema";
import { type Json, record, records } from "../helpers/http.ts";

export const ROOT = join(import.meta.dirname, "..", "..");
export const OPENAPI = record(JSON.parse(readFileSync(join(ROOT, "openapi.json"), "utf8")));
/** Of the management API. */
export const MANAGEMENT = record(JSON.parse(readFileSync(join(ROOT, "openapi-management.json"), "utf8")));

/** What the JSON pointer points at: `#/components/schemas/Article`. */
export function at(pointer: string, document = OPENAPI): unknown {
  const [start, ...steps] = pointer.split("/");
  assert.equal(start, "#", pointer);
  return steps.reduce<unknown>((value, step) => {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    return record(value, pointer)[key];
  }, document);
}

/** Asserts that the value is what the schema says and nothing more. */
export function assertDescribed(schema: unknown, value: unknown, what: string, document = OPENAPI): void {
  const [isValid, errors] = compiled(schema, document).Errors(value);
  const details = errors.slice(0, 5).map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
  assert.ok(isValid, `${what}: ${details.join("; ")}`);
}

export function schemaNamed(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

const validators = new Map<string, ReturnType<typeof Compile>>();

function compiled(schema: unknown, document: Json): ReturnType<typeof Compile> {
  const key = JSON.stringify([schema, document["info"]]);
  const known = validators.get(key);
  if (known !== undefined) return known;
  const made = Compile(closed(schema, document));
  validators.set(key, made);
  return made;
}

/** The schema without references and without room for anything that it does not name. */
export function closed(given: unknown, document = OPENAPI): Json {
  const schema = record(given);
  const close = (one: unknown) => closed(one, document);
  if (typeof schema["$ref"] === "string") return close(at(schema["$ref"], document));
  if (schema["allOf"] !== undefined) return records(schema["allOf"]).map(close).reduce(both);
  const copy = { ...schema };
  for (const choice of ["oneOf", "anyOf"]) {
    if (schema[choice] !== undefined) copy[choice] = records(schema[choice]).map(close);
  }
  if (schema["items"] !== undefined) copy["items"] = close(schema["items"]);
  if (schema["properties"] !== undefined) {
    const properties = Object.entries(record(schema["properties"]));
    copy["properties"] = Object.fromEntries(properties.map(([name, property]) => [name, close(property)]));
    copy["additionalProperties"] = false;
  }
  return copy;
}

/** Closed objects exclude each other's fields, so `allOf` of them is one object with the fields of both. */
function both(a: Json, b: Json): Json {
  if (b["oneOf"] !== undefined) return { oneOf: records(b["oneOf"]).map((one) => both(a, one)) };
  return {
    type: "object",
    required: [...(a["required"] as string[]), ...(b["required"] as string[])],
    properties: { ...record(a["properties"]), ...record(b["properties"]) },
    additionalProperties: false,
  };
}
