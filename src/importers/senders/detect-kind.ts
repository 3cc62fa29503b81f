/** Which kinds of senders a request looks like. It only proposes: people choose the kind. */
import { isRecord } from "../../domain/articles/json-values.ts";
import type { Dialect, Place } from "../../domain/articles/senders/dialect.ts";
import { DIALECTS } from "../../domain/articles/senders/dialects.ts";
import type { ArrivalRequest } from "../../domain/articles/senders/sender.ts";
import { plainName } from "../markdown/front-matter.ts";
import { requestValue, valuesAt } from "./places.ts";

const MAX_NAMES = 500;
const MAX_DEPTH = 4;
/** The share of names that must be the same, and how near the next kinds may be to be proposed beside it. */
const MIN_LIKENESS = 0.6;
const AS_LIKE = 0.03;

/** The most alike kinds, of which some products share one form; none if nothing is alike enough. */
export function detectKinds(body: unknown, request: ArrivalRequest): string[] {
  const names = listNames(body);
  const headers = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
  const likenesses = KNOWN.map(({ dialect, names: known, ownHeaders }) => {
    if (ownHeaders.some((name) => headers.has(name))) return { kind: dialect.kind, likeness: 2 };
    return {
      kind: dialect.kind,
      likeness: known.size === 0 ? 0 : likeness(names, known) + eventBonus(body, request, dialect),
    };
  });
  const best = Math.max(...likenesses.map((one) => one.likeness));
  if (best < MIN_LIKENESS) return [];
  return likenesses.filter((one) => one.likeness >= best - AS_LIKE).map(({ kind }) => kind);
}

function likeness(names: ReadonlySet<string>, known: ReadonlySet<string>): number {
  const shared = names.intersection(known).size;
  return shared / (names.size + known.size - shared);
}

function eventBonus(body: unknown, request: ArrivalRequest, { event }: Dialect): number {
  if (event === undefined) return 0;
  const values = event.at.map((place) => (requestValue(request, place) ?? { value: valuesAt(body, place)[0] }).value);
  const value = values.find((one) => typeof one === "string");
  if (value === undefined) return 0;
  return Object.hasOwn(event.means, value) ? 0.1 : -0.2;
}

/** The names of all values, each with those of the objects around it. */
function listNames(body: unknown): Set<Place> {
  const names = new Set<Place>();
  const add = (value: unknown, place: Place, depth: number): void => {
    if (names.size >= MAX_NAMES || depth > MAX_DEPTH) return;
    if (Array.isArray(value)) add(value[0], `${place}[]`, depth + 1);
    if (!isRecord(value)) return;
    for (const name of Object.keys(value).slice(0, MAX_NAMES)) {
      const inner = place === "" ? name : `${place}.${name}`;
      names.add(inner);
      add(value[name], inner, depth + 1);
    }
  };
  add(body, "", 0);
  return names;
}

function headersOf({ credentials, event, sample }: Dialect): string[] {
  const ofCredentials = credentials.flatMap((one) =>
    one.by === "header" ? [one.name] : one.by === "hmac" ? [one.header] : [],
  );
  const ofEvent = (event?.at ?? []).flatMap((place) =>
    place.startsWith("header:") ? [place.slice("header:".length)] : [],
  );
  return [...ofCredentials, ...ofEvent, ...Object.keys(sample?.headers ?? {})].map((name) => name.toLowerCase());
}

const KNOWN = DIALECTS.flatMap((dialect) => {
  if (dialect.kind === "generic" || dialect.protocol !== undefined) return [];
  // Headers with the product's name in them: others are sent by anybody.
  const [product = ""] = dialect.kind.split("-", 1);
  const ownHeaders = headersOf(dialect).filter((name) => plainName(name).includes(product));
  return [{ dialect, names: listNames(dialect.sample?.body), ownHeaders }];
});
