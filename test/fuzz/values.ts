/** What is thrown at the service: texts, JSON values, and bodies that a schema describes, now and then spoiled. */
import fc from "fast-check";
import type { Json } from "../helpers/http.ts";
import { anyCharacter } from "../helpers/any-character.ts";

const NASTY = [
  "",
  " ",
  "0",
  "-1",
  "1e308",
  "NaN",
  "null",
  "true",
  "\0",
  "a\0b",
  "\u001b[31m",
  "\r\nX-Injected: 1",
  "\u2028",
  "\uFEFF",
  "\uD800",
  "e\u0301\u0327",
  "👩‍👩‍👧",
  "ﷺ",
  "'; DROP TABLE articles; --",
  '" OR 1=1',
  "$1 ? %s {0}",
  "%00",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "<script>alert(1)</script>",
  "javascript:alert(1)",
  "1970-01-01T00:00:00.000Z",
  "9999-12-31T23:59:59.999Z",
  "00000000-0000-4000-8000-000000000000",
  "[",
  "(a+)+$",
  "*",
  "~1",
] as const;

export const nastyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom("a", ".", " ", "\n", "é", "<", "%"), fc.nat(3_000)).map(repeated) },
);

function repeated([text, times]: [string, number]): string {
  return text.repeat(times);
}

const nastyJson: fc.Arbitrary<unknown> = fc.oneof(
  nastyText,
  fc.constantFrom(null, true, 0, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], [null]),
  fc.jsonValue({ maxDepth: 3 }),
);

/**
 * What the schema describes, one time in six something else.
 *
 * @param known gives values that exist for fields of that name.
 */
export function fromSchema(schema: Json, known: (name: string) => readonly string[], name = ""): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: described(schema, known, name) }, { weight: 1, arbitrary: nastyJson });
}

function described(schema: Json, known: (name: string) => readonly string[], name: string): fc.Arbitrary<unknown> {
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices)) return fc.oneof(...choices.map((one) => fromSchema(one as Json, known, name)));
  if (schema["const"] !== undefined) return fc.constant(schema["const"]);
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
  switch (schema["type"]) {
    case "object":
      return describedObject(schema, known);
    case "array":
      return fc.array(fromSchema(schema["items"] as Json, known, name), { maxLength: 4 });
    case "string":
      return fc.oneof(...[...known(name)].map((value) => ({ weight: 4, arbitrary: fc.constant(value) })), nastyText);
    case "integer":
    case "number":
      return fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer());
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return nastyJson;
  }
}

function describedObject(schema: Json, known: (name: string) => readonly string[]): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Json>);
  const model = Object.fromEntries(properties.map(([name, one]) => [name, fromSchema(one, known, name)]));
  const required = (schema["required"] ?? []) as string[];
  const whole = fc.record(model, { requiredKeys: required.filter((name) => name in model), noNullPrototype: true });
  const more = fc.dictionary(nastyText, nastyJson, { minKeys: 1, maxKeys: 1, noNullPrototype: true });
  return fc.oneof(
    { weight: 9, arbitrary: whole },
    { weight: 1, arbitrary: fc.tuple(whole, more).map(([one, other]) => Object.assign({}, one, other)) },
  );
}

/** For a part of an address; a lone surrogate becomes U+FFFD. */
export function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
