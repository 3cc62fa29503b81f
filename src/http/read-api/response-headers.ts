/** The headers and ETag of a response, and when it is valid. */
import { createHash } from "node:crypto";
import type { View } from "../../operations/articles/views.ts";
import type { Route } from "../metrics.ts";
import { ResponseHead } from "./head-writer.ts";
import type { Answer, PreparedAnswer } from "./response-cache.ts";

export const API_VERSION = "v1";

export const VARY = "X-API-Key, Accept-Encoding";
export const READ_HEADERS = ["Content-Version", API_VERSION, "Cache-Control", "private, no-cache", "Vary", VARY];
export const JSON_TYPE = ["Content-Type", "application/json; charset=utf-8", "X-Content-Type-Options", "nosniff"];
export const JSON_HEADERS = ["Content-Version", API_VERSION, ...JSON_TYPE];

export function newAnswer(
  route: Route,
  etag: string,
  view: { generation: number; version: number },
  ofOneArticle: boolean,
  body: Buffer,
  headers: readonly string[] = [],
): PreparedAnswer {
  return {
    route,
    etag,
    notModified: notModifiedHead(etag),
    generation: view.generation,
    version: view.version,
    ofOneArticle,
    uses: 0,
    variants: { identity: { body, head: headOf(etag, body, headers) } },
  };
}

export function notModifiedHead(etag: string): ResponseHead {
  return new ResponseHead(304, [...READ_HEADERS, "ETag", etag]);
}

function headOf(etag: string, body: Buffer, headers: readonly string[]): ResponseHead {
  const length = ["Content-Length", String(body.length)];
  return new ResponseHead(200, [...READ_HEADERS, ...JSON_TYPE, ...headers, "ETag", etag, ...length]);
}

/** `X-Rostrum-Warnings`: a list of strings (RFC 9651), the same sentences as `debug.warnings`. */
export function warningHeaders(warnings: readonly string[]): string[] {
  if (warnings.length === 0) return [];
  return ["X-Rostrum-Warnings", warnings.map((text) => `"${toAscii(text)}"`).join(", ")];
}

/** `Link` to the pages before and after this one; `address` gives the address of a page by its offset. */
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

/** Printable ASCII without what a quoted string would have to escape; everything else is percent-encoded. */
function toAscii(text: string): string {
  return text.toWellFormed().replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/gu, encodeURIComponent);
}

/** The description depends on nothing but the program, and so on no view. */
export function describedBy(body: Buffer): PreparedAnswer {
  const etag = `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 16)}"`;
  return newAnswer("openapi", etag, { generation: 0, version: 0 }, false, body);
}

export function isValid(answer: Answer, view: View): boolean {
  return answer.generation === view.generation && (answer.ofOneArticle || answer.version === view.contentVersion);
}

/** Copies the view's version and counts, because the view object is updated in place. */
export function stamp(view: View) {
  return {
    generation: view.generation,
    version: view.contentVersion,
    contentVersion: view.contentVersion,
    epoch: view.epoch,
  };
}

export function listEtag(view: { epoch: string; contentVersion: number }): string {
  return `W/"${view.epoch}.${view.contentVersion}"`;
}

export function eventsEtag(view: { epoch: string; eventSequence: number }): string {
  return `W/"${view.epoch}.e${view.eventSequence}"`;
}

/** The condition that every ETag matches. */
export const ANY_ETAG = "*";

/** RFC 9110, section 13.1.2: weak comparison. Does not handle `*`. */
export function matchesEtag(condition: string, etag: string): boolean {
  if (condition === etag) return true;
  const opaque = etag.slice(2);
  return condition.split(",").some((one) => one.trim().replace(/^W\//, "") === opaque);
}
