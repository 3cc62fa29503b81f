/** The body of a request as a value: JSON, or a form. */
import { AppError } from "../../domain/system/errors.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import type { ReadableArrival } from "../../operations/system/deps.ts";
import { requestValue } from "./places.ts";

const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;

/** @throws AppError `invalid` for what is neither, or has too many or too deeply nested values. */
export function readBody({ request, body }: Pick<ReadableArrival, "request" | "body">): unknown {
  const text = body.trim();
  if (text === "") return {};
  const type = requestValue(request, "header:content-type")?.value ?? "";
  // What curl sends with -d has the type of a form, and may be JSON.
  if (/^[[{]/.test(text) || !/^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type)) {
    return parseJson(text);
  }
  return readForm(/^multipart/i.test(type) ? parts(type, body) : [...new URLSearchParams(text)]);
}

/** Parses JSON within the limits. Long whole numbers become texts: as numbers, two ids could become one. */
export function parseJson(text: string): unknown {
  assertBounded(text);
  try {
    return JSON.parse(text, reviveValue) as unknown;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new AppError("invalid", `It is neither valid JSON nor a form: ${why}.`, { cause: error });
  }
}

/** Counts before parsing, as what is counted then is already in memory. */
function assertBounded(text: string): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = endOfString(text, at);
        break;
      case 0x2c:
        values += 1;
        break;
      case 0x5b:
      case 0x7b:
        values += 1;
        depth += 1;
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
        break;
      default:
    }
    if (depth > MAX_DEPTH) throw new AppError("invalid", `Its JSON is nested deeper than ${MAX_DEPTH} levels.`);
    if (values > MAX_VALUES) {
      throw new AppError("invalid", `Its JSON has more than ${MAX_VALUES.toLocaleString("en-US")} values.`);
    }
  }
}

function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === 0x5c) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}

function reviveValue(key: string, value: unknown, context?: { source?: string }): unknown {
  assertName(key);
  const isLong = typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "");
  return isLong ? context?.source : value;
}

function assertName(name: string): void {
  if (name === "__proto__") throw new AppError("invalid", "No name in it may be __proto__.");
}

/** The text fields of `multipart/form-data` (RFC 7578); files are left out. */
function parts(type: string, body: string): [string, string][] {
  const boundary = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(type)?.slice(1).find(Boolean);
  if (boundary === undefined) throw new AppError("invalid", "Its form has no boundary in Content-Type.");
  const found: [string, string][] = [];
  for (const part of body.split(`--${boundary}`, MAX_VALUES + 2).slice(1)) {
    const start = part.indexOf("\r\n\r\n");
    const head = part.slice(0, Math.min(Math.max(start, 0), 2000));
    const name = /;\s*name="([^"]*)"/i.exec(head)?.[1];
    if (name !== undefined && !/;\s*filename\*?=/i.test(head)) {
      found.push([name, part.slice(start + 4).replace(/\r\n$/, "")]);
    }
  }
  return found;
}

const WRAPPERS = new Set(["payload", "data", "json", "body", "article", "post"]);

/** `tags[]=a&tags[]=b` and `tags=a&tags=b` make a list, and `post[title]=x` an object; `payload` may hold JSON. */
function readForm(fields: readonly [string, string][]): unknown {
  if (fields.length > MAX_VALUES) throw new AppError("invalid", "Its form has too many fields.");
  const form: Record<string, unknown> = {};
  for (const [name, text] of fields) {
    const path = name.split(/[[\]]+/, MAX_DEPTH).filter((part, index) => part !== "" || index === 0);
    path.forEach(assertName);
    const last = path.pop() ?? "";
    let holder = form;
    for (const part of path) {
      const inner = isRecord(holder[part]) ? holder[part] : {};
      holder[part] = inner;
      holder = inner;
    }
    const value = WRAPPERS.has(name) && /^\s*[[{]/.test(text) ? jsonOrText(text) : text;
    const before = Object.hasOwn(holder, last) ? holder[last] : undefined;
    if (Array.isArray(before)) before.push(value);
    else if (before !== undefined || name.endsWith("[]"))
      holder[last] = before === undefined ? [value] : [before, value];
    else holder[last] = value;
  }
  return form;
}

function jsonOrText(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof AppError) return text;
    throw error;
  }
}
