/** What requests of WordPress' REST API have in common: the route, parameters, pages, and errors. */
import type { ArrivalRequest, Sender } from "../../domain/articles/senders/sender.ts";
import { AppError } from "../../domain/system/errors.ts";
import { errorReply as explain } from "../errors.ts";
import { type FormPart, parseMultipart } from "./multipart.ts";
import type { SenderCall, SenderReply } from "./protocol.ts";

/** One request of a sender that showed its application password. */
export interface WordPressCall extends SenderCall {
  sender: Sender;
  /** Of the route, in order. */
  numbers: readonly number[];
}

export interface WordPressReply {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  body: unknown;
}

/** In the form that clients show to their users. */
export class WordPressError extends Error {
  readonly status: number;
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(status: number, code: string, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

export function toReply({ status = 200, headers = {}, body }: WordPressReply, { query }: ArrivalRequest): SenderReply {
  return { status, headers, body: JSON.stringify(withFields(body, query["_fields"])) };
}

export function toErrorReply(error: unknown): SenderReply {
  if (error instanceof WordPressError) return errorReply(error);
  if (!(error instanceof AppError)) throw error;
  const { status, headers, body } = explain(error, "");
  // It is logged there, with its cause.
  if (status >= 500) throw error;
  return errorReply(new WordPressError(status, "rest_invalid_param", body["message"] ?? ""), headers);
}

function errorReply(
  { status, code, message, data }: WordPressError,
  headers: Record<string, string> = {},
): SenderReply {
  return { status, headers, body: JSON.stringify({ code, message, data: { status, ...data } }) };
}

/** `_fields=id,title.rendered`: only these members. */
function withFields(body: unknown, fields: string | undefined): unknown {
  if (fields === undefined || fields === "") return body;
  const names = new Set(fields.split(",").map((field) => field.trim().split(".", 1)[0]));
  const pick = (one: unknown) =>
    typeof one === "object" && one !== null
      ? Object.fromEntries(Object.entries(one).filter(([name]) => names.has(name)))
      : one;
  return Array.isArray(body) ? body.map(pick) : pick(body);
}

/** A page of all, with the headers that say how many there are. */
export function toPage<T>(
  all: readonly T[],
  query: ArrivalRequest["query"],
): { page: T[]; headers: Record<string, string> } {
  const size = readNumber(query, "per_page", 10, 1, 100);
  const number = readNumber(query, "page", 1, 1, 1_000_000);
  const start = query["offset"] === undefined ? (number - 1) * size : readNumber(query, "offset", 0, 0, 1_000_000);
  const pages = Math.ceil(all.length / size);
  if (number > 1 && number > pages) {
    const message = "The page number requested is larger than the number of pages available.";
    throw new WordPressError(400, "rest_post_invalid_page_number", message);
  }
  const headers = { "X-WP-Total": String(all.length), "X-WP-TotalPages": String(pages) };
  return { page: all.slice(start, start + size), headers };
}

function readNumber(
  query: ArrivalRequest["query"],
  name: string,
  otherwise: number,
  least: number,
  most: number,
): number {
  const given = query[name];
  if (given === undefined || given === "") return otherwise;
  const number = Number(given);
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
  throw new WordPressError(400, "rest_invalid_param", `Invalid parameter(s): ${name}`, {
    params: { [name]: `${name} must be between ${least} (inclusive) and ${most} (inclusive)` },
  });
}

/** `include=1,2`, or `include[]=1&include[]=2`, which have a line break between them. Null: it is not asked for. */
export function readInclude(query: ArrivalRequest["query"]): Set<number> | null {
  const given = query["include"] ?? query["include[]"] ?? query["include[0]"];
  return given === undefined ? null : new Set(given.split(/[,\n]/).map(Number));
}

const MAX_FIELDS_BYTES = 65_536;

/**
 * The parameters of a short request, in its body or its query. Posts are long, and are read by content processes alone.
 *
 * @throws WordPressError when it is too long, or no JSON.
 */
export function readFields({ request: { headers, query }, body }: SenderCall): Record<string, unknown> {
  const type = headers["content-type"] ?? "";
  if (body.length > MAX_FIELDS_BYTES)
    throw new WordPressError(413, "rest_upload_size_limit", "This request is too long.");
  if (body.length === 0) return query;
  const parts = parseMultipart(type, body);
  if (parts !== null) return { ...query, ...toFields(parts) };
  if (type.startsWith("application/x-www-form-urlencoded")) {
    return { ...query, ...Object.fromEntries(new URLSearchParams(body.toString())) };
  }
  try {
    const value: unknown = JSON.parse(body.toString());
    if (typeof value === "object" && value !== null) return { ...query, ...value };
  } catch {
    // Refused below.
  }
  throw new WordPressError(400, "rest_invalid_json", "Invalid JSON body passed.");
}

/** The fields of a form without its files. */
export function toFields(parts: readonly FormPart[]): Record<string, string> {
  return Object.fromEntries(
    parts.flatMap(({ name, filename, bytes }) => (filename === null ? [[name, bytes.toString()]] : [])),
  );
}

/** A text, also as `{raw}`; undefined: it is not given. */
export function readField(fields: Record<string, unknown>, name: string): string | undefined {
  const value = fields[name];
  const given = typeof value === "object" && value !== null && "raw" in value ? value.raw : value;
  return typeof given === "string" || typeof given === "number" ? String(given) : undefined;
}
