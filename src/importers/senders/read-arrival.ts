/** Understands a request of a sender: what it means, and which articles it brings. */
import { isRecord } from "../../domain/articles/json-values.ts";
import type { ArrivalKind, Place } from "../../domain/articles/senders/dialect.ts";
import type { ArrivalRequest, ArrivedArticle, Understood } from "../../domain/articles/senders/sender.ts";
import { toText } from "../import-item.ts";
import type { ReadableArrival } from "../../operations/system/deps.ts";
import { describeProblem, type Holder, readArticle, SenderArticle } from "./article.ts";
import { readBody } from "./body.ts";
import { HOLDERS } from "./common-names.ts";
import { detectKinds } from "./detect-kind.ts";
import { findEvent, meansPublication } from "./events.ts";
import { readGhostArrival } from "./ghost-post.ts";
import { isFilled, requestValue, valuesAt } from "./places.ts";
import { readWordPressArrival } from "./wordpress-post.ts";

const MAX_ARTICLES = 200;

/** Never throws for what a sender sends: that is the `problem`. */
export function readArrival(arrival: ReadableArrival): Understood {
  return readGhostArrival(arrival) ?? readWordPressArrival(arrival) ?? readAny(arrival);
}

function readAny(arrival: ReadableArrival): Understood {
  let event: string | null = null;
  try {
    const body = readBody(arrival);
    const known = findEvent(body, arrival);
    event = known.event;
    const resembles = detectKinds(body, arrival.request);
    return { event, ...understand(body, arrival, known), ...(resembles.length > 0 && { resembles }) };
  } catch (error) {
    return { kind: "article", event, problem: describeProblem(error), articles: [] };
  }
}

type Meaning = Omit<Understood, "event" | "resembles">;

function understand(
  body: unknown,
  arrival: ReadableArrival,
  { event, kind: named }: { event: string | null; kind: ArrivalKind | null },
): Meaning {
  const nothing = { problem: null, articles: [] };
  const isDeletion = arrival.request.method.toUpperCase() === "DELETE";
  const { holders, hasText } = findHolders(body, arrival);
  if (named === "test" || isTest(body, holders, arrival)) return { kind: "test", ...nothing };
  if (named === "removal" || (isDeletion && named === null)) return readRemoval(body, holders, arrival);
  if (named === "other") return { kind: "other", ...nothing };
  if (holders.length > MAX_ARTICLES) {
    return { kind: "article", ...nothing, problem: `It brings more than ${MAX_ARTICLES} articles in one request.` };
  }
  // An event that nobody knows, about something else.
  if (!hasText && event !== null && named === null) return { kind: "other", ...nothing };
  if (holders.length === 0) {
    const places = arrival.mapping.articles?.map((place) => (place === "" ? "at the top" : `at ${place}`)).join(", ");
    const where = places === undefined ? "" : ` It should be ${places}.`;
    const problem = `No article was found: nothing has a title together with a text.${where}`;
    return { kind: "article", ...nothing, problem };
  }
  const isWanted = event !== null && meansPublication(event);
  const articles = holders.map((holder) => readArticle(holder, arrival, isWanted));
  return { kind: "article", problem: null, articles: refuseDoubles(articles) };
}

/** Two articles with one id in a request would replace one another. */
function refuseDoubles(articles: readonly ArrivedArticle[]): ArrivedArticle[] {
  const seen = new Set<string>();
  return articles.map((article) => {
    const isDouble = article.externalId !== "" && seen.has(article.externalId);
    seen.add(article.externalId);
    const problem = article.problem ?? "An earlier article of this request has the same id.";
    return isDouble ? { ...article, input: {}, problem } : article;
  });
}

/** The articles: where the mapping says, else at the first usual place that has one, else anywhere. */
function findHolders(body: unknown, arrival: ReadableArrival): { holders: Holder[]; hasText: boolean } {
  for (const place of arrival.mapping.articles ?? []) {
    const holders = holdersAt(body, place);
    if (holders.length > 0) return { holders, hasText: holders.some((holder) => look(holder, arrival).text) };
  }
  let parts: { holders: Holder[]; hasText: boolean } = { holders: [], hasText: false };
  for (const place of HOLDERS) {
    const holders = holdersAt(body, place).slice(0, MAX_ARTICLES + 1);
    const has = holders.map((holder) => look(holder, arrival));
    if (has.some(({ title, text }) => title && text)) return { holders, hasText: true };
    const hasText = has.some(({ text }) => text);
    if (parts.holders.length === 0 && (hasText || has.some(({ title }) => title))) parts = { holders, hasText };
  }
  const hidden = searchHolder(body, arrival);
  return hidden === undefined ? parts : { holders: [hidden], hasText: true };
}

function holdersAt(body: unknown, place: Place): Holder[] {
  const records = valuesAt(body, place).filter(isRecord);
  const around = isRecord(body) && records.length === 1 && records[0] !== body ? body : undefined;
  return records.map((record) => ({ record, place: Array.isArray(body) && place === "" ? "[]" : place, around }));
}

function look(holder: Holder, arrival: ReadableArrival): { title: boolean; text: boolean } {
  const article = new SenderArticle(holder, arrival);
  return {
    title: article.read("title") !== undefined,
    text: (["html", "markdown", "content"] as const).some((name) => article.read(name) !== undefined),
  };
}

/** How deep, and how many objects, an article is searched for that stands at no usual place. */
const SEARCHED_DEPTH = 4;
const SEARCHED_OBJECTS = 200;

function searchHolder(body: unknown, arrival: ReadableArrival): Holder | undefined {
  let level: { value: unknown; place: Place }[] = [{ value: body, place: "" }];
  let searched = 0;
  for (let depth = 0; depth < SEARCHED_DEPTH; depth++) {
    const inner: typeof level = [];
    for (const { value, place } of level) {
      const isList = Array.isArray(value);
      for (const [key, child] of Object.entries(isList ? value.slice(0, 1) : isRecord(value) ? value : {})) {
        const at = isList ? `${place}[]` : `${place}${place === "" ? "" : "."}${key}`;
        if (typeof child !== "object" || child === null || /json_?ld|schema|faq/i.test(key)) continue;
        inner.push({ value: child, place: at });
        if (!isRecord(child)) continue;
        searched += 1;
        if (searched > SEARCHED_OBJECTS) return undefined;
        const holder = { record: child, place: at, around: isRecord(body) ? body : undefined };
        const { title, text } = look(holder, arrival);
        if (title && text) return holder;
      }
    }
    level = inner;
  }
  return undefined;
}

/** A removal names its article by an id, wherever that stands. */
function readRemoval(body: unknown, found: readonly Holder[], arrival: ReadableArrival): Meaning {
  const places = [...(arrival.mapping.articles ?? []), ...HOLDERS];
  const holders = found.length > 0 ? found : (places.map((place) => holdersAt(body, place)).find(hasId(arrival)) ?? []);
  const articles = holders.slice(0, MAX_ARTICLES).flatMap((holder): ArrivedArticle[] => {
    const article = new SenderArticle(holder, arrival);
    const externalId = article.readId(article.read("title") as string | undefined);
    return externalId === undefined ? [] : [{ externalId, input: {}, places: article.places, problem: null }];
  });
  if (articles.length > 0) return { kind: "removal", problem: null, articles };
  const named = idOfAddress(arrival.request);
  if (named !== undefined) {
    return { kind: "removal", problem: null, articles: [{ ...named, input: {}, problem: null }] };
  }
  return { kind: "removal", problem: "It asks to remove an article, but does not say which.", articles: [] };
}

function hasId(arrival: ReadableArrival): (holders: readonly Holder[]) => boolean {
  return (holders) => holders.some((holder) => new SenderArticle(holder, arrival).readId(undefined) !== undefined);
}

/** `DELETE …/ID`, or an id in the query. */
function idOfAddress({ path, query }: ArrivalRequest): Pick<ArrivedArticle, "externalId" | "places"> | undefined {
  const name = ["id", "external_id", "slug"].find((one) => Object.hasOwn(query, one) && isFilled(query[one]));
  const last = name === undefined ? path.split("/").findLast((part) => part !== "") : query[name];
  if (last === undefined || last.includes("•") || last.length > 200) return undefined;
  return { externalId: last, places: { id: name === undefined ? "" : `query:${name}` } };
}

function isTest(body: unknown, holders: readonly Holder[], arrival: ReadableArrival): boolean {
  const rules = arrival.mapping.test ?? [];
  if (rules.some((rule) => holds(rule, body, holders, arrival.request))) return true;
  if (COMMON_TESTS.some((rule) => holds(rule, body, holders, arrival.request))) return true;
  // A clock's reading, so that no article with a telling id is taken for a test.
  const ids = holders.map((holder) => new SenderArticle(holder, arrival).read("id"));
  return ids.length > 0 && ids.every((id) => typeof id === "string" && /^test-\d+$/.test(id));
}

const COMMON_TESTS = ["test=true", "is_test=true", "isTest=true", "data.test=true", "meta.test=true"];

/** `test=true`, `id^=test-`, `slug!`: of the body, or of each article. */
function holds(rule: string, body: unknown, holders: readonly Holder[], request: ArrivalRequest): boolean {
  const [, place = "", sign, wanted = ""] = /^([^=!^]+)(\^=|=|!)(.*)$/s.exec(rule) ?? [];
  if (sign === undefined) return false;
  const of = (value: unknown): unknown => (requestValue(request, place) ?? { value: valuesAt(value, place)[0] }).value;
  const fits = (value: unknown): boolean => {
    const text = typeof value === "boolean" ? String(value) : toText(value);
    if (sign === "=") return text === wanted;
    return sign === "^=" && text !== undefined && text.startsWith(wanted);
  };
  const values = holders.map(({ record }) => of(record));
  if (sign === "!") return !isFilled(of(body)) && !values.some(isFilled);
  return fits(of(body)) || (values.length > 0 && values.every(fits));
}
