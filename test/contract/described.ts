/** What openapi.json says, in the strictest reading: a field that it does not name is an error. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Compile } from "typebox/schema";
import { type Json, record, records } from "../helpers/http.ts";

export const ROOT = join(import.meta.dirname, "..", "..");
export const OPENAPI = record(JSON.parse(readFileSync(join(ROOT, "openapi.json"), "utf8")));

/** What the JSON pointer points at: `#/components/schemas/Article`. */
export function at(pointer: string): unknown {
  const [start, ...steps] = pointer.split("/");
  assert.equal(start, "#", pointer);
  return steps.reduce<unknown>((value, step) => {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    return record(value, pointer)[key];
  }, OPENAPI);
}

/** Asserts that the value is what the schema says and nothing more. */
export function assertDescribed(schema: unknown, value: unknown, what: string): void {
  const [isValid, errors] = compiled(schema).Errors(value);
  const details = errors.slice(0, 5).map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
  assert.ok(isValid, `${what}: ${details.join("; ")}`);
}

export function schemaNamed(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

const validators = new Map<string, ReturnType<typeof Compile>>();

function compiled(schema: unknown): ReturnType<typeof Compile> {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known !== undefined) return known;
  const made = Compile(closed(schema));
  validators.set(key, made);
  return made;
}

/** The schema without references and without room for anything that it does not name. */
export function closed(given: unknown): Json {
  const schema = record(given);
  if (typeof schema["$ref"] === "string") return closed(at(schema["$ref"]));
  if (schema["allOf"] !== undefined) return records(schema["allOf"]).map(closed).reduce(both);
  const copy = { ...schema };
  for (const choice of ["oneOf", "anyOf"]) {
    if (schema[choice] !== undefined) copy[choice] = records(schema[choice]).map(closed);
  }
  if (schema["items"] !== undefined) copy["items"] = closed(schema["items"]);
  if (schema["properties"] !== undefined) {
    const properties = Object.entries(record(schema["properties"]));
    copy["properties"] = Object.fromEntries(properties.map(([name, property]) => [name, closed(property)]));
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
