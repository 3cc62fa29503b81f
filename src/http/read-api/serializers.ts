/** The bodies of the read API's responses, as bytes. Parts that are already JSON are joined, not serialised again. */
import type { ArticleEvent } from "../../domain/webhooks/event.ts";
import type { ListField } from "../../domain/articles/api-format.ts";
import { isoTimeOrNull } from "../../domain/system/time.ts";
import type { Detail, Page } from "../../operations/articles/read-model.ts";

const LIST_START = Buffer.from('{"success":true,"data":{"articles":[');
const COMMA = 0x2c;
const END = Buffer.from("}");

/** docs/specification.md, 4.1. `allocate(bytes)` returns a buffer of at least that size, which is filled from its start. */
export function presentList(
  page: Page,
  applied: { limit: number; offset: number },
  fields: readonly ListField[] | null,
  allocate: (bytes: number) => Buffer = (bytes) => Buffer.allocUnsafeSlow(bytes),
): Buffer {
  const rows = fields === null ? page.rows : page.rows.map((row) => onlyFields(row, fields));
  const { limit, offset } = applied;
  const end = `],"pagination":{"total":${page.total},"limit":${limit},"offset":${offset}}}}`;
  let bytes = LIST_START.length + end.length + Math.max(0, rows.length - 1);
  for (const row of rows) bytes += row.length;
  const body = allocate(bytes);
  let at = LIST_START.copy(body);
  for (let index = 0; index < rows.length; index++) {
    if (index > 0) body[at++] = COMMA;
    at += rows[index]?.copy(body, at) ?? 0;
  }
  body.write(end, at, "latin1");
  return body.length === bytes ? body : body.subarray(0, bytes);
}

/**
 * docs/specification.md, 4.2: the stored list form, and what `detailAdditions` adds, joined from the stored JSON texts.
 * `allocate` as for a list.
 */
export function presentDetail(
  detail: Detail,
  allocate: (bytes: number) => Buffer = (bytes) => Buffer.allocUnsafeSlow(bytes),
): Buffer {
  const { list_form, html, internal_links, approved_at, metrics, reported_metrics, supplied_steps, steps } = detail;
  const text =
    `{"success":true,"data":{"article":${list_form.slice(0, -1)},"content":${JSON.stringify(html)},` +
    `"internal_links":${internal_links},"approved_at":${JSON.stringify(isoTimeOrNull(approved_at))},` +
    `"quality_metrics":${metrics.slice(0, -1)},"reported":${reported_metrics ?? "null"}},` +
    `"pipeline_steps":${joinArrays(supplied_steps, steps.trimEnd())}}}}`;
  const bytes = Buffer.byteLength(text);
  const body = allocate(bytes);
  body.write(text);
  return body.length === bytes ? body : body.subarray(0, bytes);
}

/** docs/specification.md, 4.3: each event is its webhook's body, with id and sequence in front. */
export function presentEvents(
  events: readonly ArticleEvent[],
  applied: { after: number; limit: number; latest: number },
): Buffer {
  const items = events.map((event) => `{"id":"msg_${event.id}","sequence":${event.sequence},${event.payload.slice(1)}`);
  const next = events.at(-1)?.sequence ?? applied.after;
  const pagination = JSON.stringify({
    after: applied.after,
    limit: applied.limit,
    next_after: next,
    latest_sequence: applied.latest,
    // Restoring a backup leaves a gap in the sequence: being behind the latest alone does not mean that there is more.
    has_more: next < applied.latest && events.length === applied.limit,
  });
  return Buffer.from(`{"success":true,"data":{"events":[${items.join(",")}],"pagination":${pagination}}}`);
}

/** Adds a `debug` object beside `data`. */
export function withDebug(body: Buffer, debug: object): Buffer {
  return Buffer.concat([body.subarray(0, -1), Buffer.from(`,"debug":${JSON.stringify(debug)}`), END]);
}

/** Two JSON arrays as one. */
function joinArrays(first: string, second: string): string {
  if (first === "[]") return second;
  return second === "[]" ? first : `${first.slice(0, -1)},${second.slice(1)}`;
}

function onlyFields(row: Buffer, fields: readonly ListField[]): Buffer {
  // The row was made by `listForm`.
  const form = JSON.parse(row.toString()) as Record<ListField, unknown>;
  return Buffer.from(JSON.stringify(Object.fromEntries(fields.map((field) => [field, form[field]]))));
}
