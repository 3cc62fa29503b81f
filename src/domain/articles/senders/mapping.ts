import { AppError } from "../../system/errors.ts";
import { ARRIVAL_KINDS, type Mapping, type Place, SENDER_FIELDS } from "./dialect.ts";

const MEMBERS = ["event", "test", "articles", "fields", "text", "id"] as const satisfies (keyof Mapping)[];
const TEXT_FORMS = ["html", "markdown"] as const;
const MAX_PLACES = 10;
const MAX_EVENTS = 100;
const MAX_CHARACTERS = 200;

/** Names of members with a dot between, each with `[]` or `[0]` behind it if it is a list; `[]` alone for a body that is one. */
const PATH = /^(?:(?:(?:\[\d{0,4}\])+|[^.[\]]+(?:\[\d{0,4}\])*)(?:\.[^.[\]]+(?:\[\d{0,4}\])*)*)?$/;
const OUTSIDE_BODY = /^(?:header:[\w!#$%&'*+.^`|~-]+|query:.+)$/s;
const CONDITION = /^(?<place>.+?)(?:\^?=.*|!)$/s;

/** The kind's mapping with the customer's own, which takes precedence part by part, and of the fields one by one. */
export function combineMapping(dialect: Mapping, own: Mapping | null): Mapping {
  const parts = MEMBERS.flatMap((name) => {
    const part = own?.[name] ?? dialect[name];
    return part === undefined ? [] : [[name, part] as const];
  });
  const combined: Mapping = Object.fromEntries(parts);
  if (own?.fields === undefined || dialect.fields === undefined) return combined;
  return { ...combined, fields: { ...dialect.fields, ...own.fields } };
}

/** A mapping that a customer wrote. @throws AppError `invalid` with the place of the mistake as `field`. */
export function parseMapping(value: unknown): Mapping {
  const { event, test, articles, fields, text, id } = parseMembers(value, "mapping", MEMBERS);
  return {
    ...(event === undefined ? {} : { event: parseEvent(event) }),
    ...(test === undefined ? {} : { test: parseTexts(test, "mapping.test", checkCondition) }),
    ...(articles === undefined ? {} : { articles: parsePlaces(articles, "mapping.articles") }),
    ...(fields === undefined ? {} : { fields: parseFields(fields) }),
    ...(text === undefined ? {} : { text: parseOneOf(text, "mapping.text", TEXT_FORMS) }),
    ...(id === undefined ? {} : { id: parsePlaces(id, "mapping.id") }),
  };
}

function parseEvent(value: unknown): NonNullable<Mapping["event"]> {
  const { at, means } = parseMembers(value, "mapping.event", ["at", "means"]);
  const entries = Object.entries(parseObject(means, "mapping.event.means"));
  if (entries.length > MAX_EVENTS) refuse("mapping.event.means", `has more than ${MAX_EVENTS} events`);
  const kinds = entries.map(([name, kind]) => {
    checkText(name, "mapping.event.means");
    return [name, parseOneOf(kind, `mapping.event.means.${name}`, ARRIVAL_KINDS)] as const;
  });
  return { at: parsePlaces(at, "mapping.event.at"), means: Object.fromEntries(kinds) };
}

function parseFields(value: unknown): NonNullable<Mapping["fields"]> {
  const places = Object.entries(parseMembers(value, "mapping.fields", SENDER_FIELDS));
  return Object.fromEntries(places.map(([field, at]) => [field, parsePlaces(at, `mapping.fields.${field}`)]));
}

function parsePlaces(value: unknown, at: string): Place[] {
  return parseTexts(value, at, (place, where) => {
    if (!isPlace(place)) refuse(where, `${PLACE_RULE}, not "${place}"`);
  });
}

const PLACE_RULE =
  "must be a place such as data.article.title, data.articles[], images[0], header:X-Event or query:type";

function isPlace(text: string): boolean {
  return /^(?:header|query):/.test(text) ? OUTSIDE_BODY.test(text) : PATH.test(text);
}

function checkCondition(text: string, at: string): void {
  const place = CONDITION.exec(text)?.groups?.["place"];
  if (place === undefined || !isPlace(place)) {
    refuse(at, `must be a condition such as test=true, id^=test- (begins with) or slug! (is missing), not "${text}"`);
  }
}

function parseTexts(value: unknown, at: string, check: (text: string, at: string) => void): string[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : refuse(at, "must be a list");
  if (texts.length === 0) refuse(at, "is empty; leave it out instead");
  if (texts.length > MAX_PLACES) refuse(at, `has more than ${MAX_PLACES} entries`);
  return texts.map((text, index) => {
    const where = `${at}[${index}]`;
    if (typeof text !== "string") return refuse(where, "must be a text");
    checkText(text, where);
    check(text, where);
    return text;
  });
}

function checkText(text: string, at: string): void {
  if (text.length > MAX_CHARACTERS) refuse(at, `has more than ${MAX_CHARACTERS} characters`);
  // PostgreSQL stores neither.
  if (text.includes("\u0000") || !text.isWellFormed()) refuse(at, "has characters that cannot be stored");
}

function parseOneOf<T extends string>(value: unknown, at: string, values: readonly T[]): T {
  return values.find((one) => one === value) ?? refuse(at, `must be one of ${values.join(", ")}`);
}

/** The object's members that are not undefined. */
function parseMembers<T extends string>(value: unknown, at: string, known: readonly T[]): Partial<Record<T, unknown>> {
  const object = parseObject(value, at);
  const unknown = Object.keys(object).find((name) => !known.some((one) => one === name));
  if (unknown !== undefined) refuse(`${at}.${unknown}`, `is not known; known are ${known.join(", ")}`);
  return object;
}

function parseObject(value: unknown, at: string): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse(at, "must be an object");
  return value;
}

function refuse(field: string, rule: string): never {
  throw new AppError("invalid", `${field} ${rule}.`, { field });
}
