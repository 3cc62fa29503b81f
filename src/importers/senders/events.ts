/** What the event of a request means: by the mapping, else by its words. */
import type { ArrivalKind, Place } from "../../domain/articles/senders/dialect.ts";
import type { ReadableArrival } from "../../operations/system/deps.ts";
import { isFilled, requestValue, valuesAt } from "./places.ts";

/** Names of the event; what `type` and the others hold is one only if its words tell what happened. */
const EVENTS: readonly Place[] = [
  "event",
  "event_type",
  "eventType",
  "event_name",
  "metadata.event_type",
  "meta.event",
  "event.type",
  "event.name",
];
const PERHAPS_EVENTS: readonly Place[] = ["type", "action", "operation", "mode", "command", "status", "data.status"];

export interface KnownEvent {
  event: string | null;
  /** Null: its words do not tell. */
  kind: ArrivalKind | null;
}

export function findEvent(body: unknown, { request, mapping }: ReadableArrival): KnownEvent {
  if (mapping.event !== undefined) {
    const { at, means } = mapping.event;
    const event = firstText(
      at.map((place) => (requestValue(request, place) ?? { value: valuesAt(body, place)[0] }).value),
    );
    if (event === undefined) return { event: null, kind: null };
    return { event, kind: Object.hasOwn(means, event) ? (means[event] ?? "other") : "other" };
  }
  const named = firstText([
    ...EVENTS.map((place) => valuesAt(body, place)[0]),
    ...Object.entries(request.headers).flatMap(([name, value]) =>
      /^x-.{0,100}-(?:event|topic)$/i.test(name) ? [value] : [],
    ),
  ]);
  if (named !== undefined) return { event: named, kind: meaningOf(named) };
  for (const place of PERHAPS_EVENTS) {
    const event = firstText([valuesAt(body, place)[0]]);
    const kind = event === undefined ? null : meaningOf(event);
    // A status says how an article is, rather than what happened.
    const tells = place.endsWith("status") ? kind === "removal" : kind !== null && kind !== "other";
    if (event !== undefined && tells) return { event, kind };
  }
  return { event: null, kind: null };
}

function firstText(values: readonly unknown[]): string | undefined {
  const text = values.find((value): value is string => typeof value === "string" && isFilled(value.trim()));
  return text
    ?.slice(0, 200)
    .replaceAll(/\p{Cc}+/gu, " ")
    .toWellFormed()
    .trim();
}

const TESTS = "test tests testing ping verify verification handshake connect connection";
const REMOVALS = "delete deleted remove removed unpublish unpublished trash trashed";
const ARTICLES = "article articles post posts blog blogs content contents story page entry";
const OTHERS =
  "credit credits campaign campaigns rank ranks ranking rankings subscriber subscribers subscription tool tools comment " +
  "comments user users account project keyword keywords media disconnect get check failed failure error";
const CHANGES =
  "publish published republish republished create created new add added update updated upsert save saved complete " +
  "completed approve approved schedule scheduled ready generate generated send submit import sync";
const PUBLICATIONS = "publish published republish republished schedule scheduled";

/** Null: its words do not tell. */
function meaningOf(event: string): ArrivalKind | null {
  const words = toWords(event);
  const has = (list: string): boolean => list.split(" ").some((word) => words.has(word));
  if (has(TESTS)) return "test";
  if (has(OTHERS) && !has(ARTICLES)) return "other";
  if (has("failed failure error")) return "other";
  if (has(REMOVALS)) return "removal";
  return has(CHANGES) ? "article" : null;
}

export function meansPublication(event: string): boolean {
  const words = toWords(event);
  return PUBLICATIONS.split(" ").some((word) => words.has(word)) && !words.has("not");
}

function toWords(event: string): ReadonlySet<string> {
  return new Set(
    event
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .split(/[^a-z]+/),
  );
}
