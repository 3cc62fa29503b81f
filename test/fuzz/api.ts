/** Requests to the read API: whatever they are, the answer is one that openapi.json describes. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { assertDescribed, at, OPENAPI } from "../contract/described.ts";
import { record, records, type Reply } from "../helpers/http.ts";
import { assertSilent, assertSound } from "./oracles.ts";
import { encodeText, nastyText } from "./values.ts";
import type { World } from "./world.ts";

export interface ApiCall {
  method: string;
  /** Of openapi.json, or anything. */
  path: string;
  /** For the path's parameter: a known article, or a text. */
  id: number | string;
  query: [name: string, value: string][];
  headers: Record<string, string>;
}

/** Address and headers may have 16 KiB in all. */
const READABLE_LENGTH = 14_000;

const PATHS = Object.keys(record(OPENAPI["paths"]));

function parameterNames(): string[] {
  const operations = Object.values(record(OPENAPI["paths"])).map((path) => record(record(path)["get"]));
  const given = operations.flatMap((operation) => records(operation["parameters"] ?? []));
  const all = given.map((one) => (typeof one["$ref"] === "string" ? record(at(one["$ref"])) : one));
  return [...new Set(all.filter((one) => one["in"] === "query").map((one) => String(one["name"])))];
}

const value = fc.oneof(
  nastyText,
  fc.constantFrom(
    "published",
    "approved",
    "pending",
    "true",
    "1",
    "100",
    "-published_at",
    "title",
    "title,slug",
    "tea",
  ),
  fc.nat(1_000).map(String),
);
/** What a header may hold at all. */
const headerValue = fc.oneof(
  fc.constantFrom(
    "*",
    '"x"',
    'W/"x"',
    "v1",
    "v2",
    "gzip, br",
    "br;q=0",
    "application/json",
    "100-continue",
    "bytes=0-1",
  ),
  fc.string({ maxLength: 60 }),
);

export const apiCall: fc.Arbitrary<ApiCall> = fc.record({
  method: fc.oneof(
    { weight: 6, arbitrary: fc.constant("GET") },
    { weight: 2, arbitrary: fc.constantFrom("HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE") },
  ),
  path: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...PATHS) },
    { weight: 1, arbitrary: fc.webPath({ size: "small" }).map((path) => `/${path}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("/", "/docs", "/healthz", "/readyz", "/dashboard", "/dashboard/articles", "//", "/%"),
    },
  ),
  id: fc.oneof(fc.nat(5), nastyText),
  query: fc.array(fc.tuple(fc.oneof(fc.constantFrom(...parameterNames()), nastyText), value), { maxLength: 4 }),
  headers: fc.dictionary(
    fc.constantFrom(
      "If-None-Match",
      "Accept-Version",
      "Accept-Encoding",
      "Accept",
      "X-API-Key",
      "Range",
      "Cookie",
      "X-Forwarded-For",
    ),
    headerValue,
    { maxKeys: 3, noNullPrototype: true },
  ),
});

function targetOf(call: ApiCall, articleIds: readonly string[]): string {
  const id = typeof call.id === "number" ? (articleIds[call.id % articleIds.length] ?? "") : call.id;
  const path = call.path.replaceAll(/\{\w+\}/g, encodeText(id));
  const query = call.query.map(([name, one]) => `${encodeText(name)}=${encodeText(one)}`).join("&");
  return query === "" ? path : `${path}?${query}`;
}

export async function tryApi(world: World, call: ApiCall): Promise<void> {
  const target = targetOf(call, world.articleIds);
  // What is refused before its method is known has a body, which a client that sent HEAD cannot read.
  const method = call.method === "HEAD" && target.length > READABLE_LENGTH ? "GET" : call.method;
  const what = `${method} ${target.slice(0, 200)}`;
  const reply = await world.send(target, { method, headers: call.headers });
  assertSound(reply, what);
  assertSilent(reply.text, world.secrets, what);
  if (call.method === "GET" && PATHS.includes(call.path) && !asksForLess(call)) assertContract(call.path, reply, what);
}

/** The description is of articles with all their fields. */
function asksForLess({ query }: ApiCall): boolean {
  return query.some(([name]) => name === "fields");
}

/** Checks only responses of our code: Node itself answers some requests, with another body. */
function assertContract(path: string, reply: Reply, what: string): void {
  const responses = record(record(record(record(OPENAPI["paths"])[path])["get"])["responses"]);
  if (reply.status === 304 || reply.status === 431 || reply.headers["content-encoding"] !== undefined) return;
  const given = responses[String(reply.status)];
  // With a generated id, the path may be that of another route, or of none.
  if (given === undefined && path.includes("{") && [404, 405].includes(reply.status)) return;
  assert.ok(given !== undefined, `${what} is ${reply.status}, which openapi.json does not name`);
  const response =
    typeof record(given)["$ref"] === "string" ? record(at(String(record(given)["$ref"]))) : record(given);
  const content = response["content"] === undefined ? undefined : record(response["content"])["application/json"];
  if (content === undefined) return;
  assertDescribed(record(content)["schema"], reply.json(), what);
}
