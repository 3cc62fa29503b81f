/** The headers and ETag of a response, and when it is valid. */
import { createHash } from "node:crypto";
import type { View } from "../../operations/articles/read-model/views.ts";
import type { Route } from "../operators/metrics.ts";
import { ResponseHead } from "./head-writer.ts";
import type { Dependence, PreparedResponse } from "./response-cache.ts";

export const API_VERSION = "v1";

export const VARY = "X-API-Key, Accept-Encoding";
/** May be stored by the client, but is revalidated before each use. */
export const CHECKED = "private, no-cache";
export const READ_HEADERS = readHeaders(CHECKED);
export const JSON_TYPE = ["Content-Type", "application/json; charset=utf-8", "X-Content-Type-Options", "nosniff"];
export const JSON_HEADERS = ["Content-Version", API_VERSION, ...JSON_TYPE];

/** What a response depends on, and how it may be cached. */
export interface AnswerOptions {
  /** The view that it was read from (`stamp`). */
  view: { generation: number; version: number; publishedVersion: number };
  dependsOn: Dependence;
  cacheControl?: string;
  /** Alternating names and values. */
  headers?: readonly string[];
}

export function newAnswer(route: Route, etag: string, body: Buffer, options: AnswerOptions): PreparedResponse {
  const { view, dependsOn, cacheControl = CHECKED, headers = [] } = options;
  const length = ["Content-Length", String(body.length)];
  const all = [...readHeaders(cacheControl), ...JSON_TYPE, ...headers, "ETag", etag, ...length];
  return {
    route,
    etag,
    notModified: notModifiedHead(etag, cacheControl),
    generation: view.generation,
    version: dependsOn === "published" ? view.publishedVersion : view.version,
    dependsOn,
    uses: 0,
    variants: { identity: { body, head: new ResponseHead(200, all) } },
  };
}

/** An ETag that also changes with facts that have no version. */
export function withFacts(etag: string, ...facts: readonly (string | null)[]): string {
  if (facts.every((fact) => fact === null)) return etag;
  const hash = createHash("sha256");
  for (const fact of facts) hash.update(`${JSON.stringify(fact)}\n`);
  return `${etag.slice(0, -1)}.${hash.digest("base64url").slice(0, 10)}"`;
}

export function notModifiedHead(etag: string, cacheControl = CHECKED): ResponseHead {
  return new ResponseHead(304, [...readHeaders(cacheControl), "ETag", etag]);
}

function readHeaders(cacheControl: string): string[] {
  return ["Content-Version", API_VERSION, "Cache-Control", cacheControl, "Vary", VARY];
}

/** `X-Rostrum-Warnings`: a list of strings (RFC 9651), the same sentences as `debug.warnings`. */
export function warningHeaders(warnings: readonly string[]): string[] {
  if (warnings.length === 0) return [];
  return ["X-Rostrum-Warnings", warnings.map((text) => `"${toAscii(text)}"`).join(", ")];
}

/** `Link` to the previous and next page; `address` builds the URL of a page from its offset. */
export function pageLinks(
  page: { offset: number; limit: number; count: number; total: number },
  address: (offset: number) => string,
): string[] {
  const { offset, limit, count, total } = page;
  const links: string[] = [];
  if (count > 0 && offset + count < total) links.push(`<${address(offset + count)}>; rel="next"`);
  if (offset > 0) links.push(`<${address(Math.max(0, Math.min(offset, total) - limit))}>; rel="prev"`);
  return links.length === 0 ? [] : ["Link", links.join(", ")];
}

export function nextLink(address: string): string[] {
  return ["Link", `<${address}>; rel="next"`];
}

/** Percent-encodes everything but printable ASCII, and the characters that a quoted string would have to escape. */
function toAscii(text: string): string {
  return text.toWellFormed().replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/gu, encodeURIComponent);
}

/** The description depends on nothing but the program, and so on no view. */
export function describedBy(body: Buffer): PreparedResponse {
  const etag = `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 16)}"`;
  const view = { generation: 0, version: 0, publishedVersion: 0 };
  return newAnswer("openapi", etag, body, { view, dependsOn: "website" });
}

/** Copies the view's versions, because the view object is updated in place. */
export function stamp(view: View) {
  return {
    generation: view.generation,
    version: view.contentVersion,
    contentVersion: view.contentVersion,
    publishedVersion: view.publishedVersion,
    epoch: view.epoch,
  };
}

export type Versions = Pick<View, "epoch" | "contentVersion" | "publishedVersion">;

/** The version of what readers of these articles see. Versions are never reused. */
export function getVersion(view: Versions, dependsOn: Exclude<Dependence, "article">): string {
  return dependsOn === "published" ? `${view.epoch}.p${view.publishedVersion}` : `${view.epoch}.${view.contentVersion}`;
}

export function listEtag(view: Versions, dependsOn: Exclude<Dependence, "article">): string {
  return `W/"${getVersion(view, dependsOn)}"`;
}

export function eventsEtag(view: { epoch: string; eventSequence: number }): string {
  return `W/"${view.epoch}.e${view.eventSequence}"`;
}

export const ANY_ETAG = "*";

/** RFC 9110, section 13.1.2: weak comparison. Does not handle `*`. */
export function matchesEtag(condition: string, etag: string): boolean {
  if (condition === etag) return true;
  const opaque = etag.slice(2);
  return condition.split(",").some((one) => one.trim().replace(/^W\//, "") === opaque);
}
