import { type TProperties, type TSchema, Type } from "typebox";

/** The only format of times in the API. */
const TIME = { format: "date-time", pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$" };

export function time(description: string) {
  return Type.String({ ...TIME, description });
}

export function timeOrNull(description: string) {
  return Type.Unsafe<string | null>({ type: ["string", "null"], ...TIME, description });
}

export function textOrNull(description: string) {
  return Type.Unsafe<string | null>({ type: ["string", "null"], description });
}

export function uuid(description: string) {
  return Type.String({ format: "uuid", description });
}

export function texts(description: string) {
  return Type.Array(Type.String(), { description });
}

export function count(description: string) {
  return Type.Integer({ minimum: 0, description });
}

export function countOrNull(description: string) {
  return Type.Unsafe<number | null>({ type: ["integer", "null"], minimum: 0, description });
}

export function seenVersion(description: string) {
  return Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
}

/** One of a list of values that the domain defines. */
export function oneOf<T extends string>(values: readonly T[], options: object) {
  return Type.Unsafe<T>({ type: "string", enum: [...values], ...options });
}

export function orNull<T extends TSchema>(schema: T, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** An object that may have no other keys. */
export function strictObject<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}

/** An object with arbitrary keys. */
export function anyObject(description: string) {
  return Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, description });
}

/** The schema with titles in place of `$id`s, which only openapi.json has and no two compiled schemas share. */
export function withoutNames<T extends TSchema>(schema: T): T {
  const text = JSON.stringify(schema).replaceAll('"$id":', '"title":');
  // The copy differs only in the names.
  return JSON.parse(text) as T;
}
