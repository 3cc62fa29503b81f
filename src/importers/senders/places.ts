/** What stands at a place of a request (domain/articles/senders/dialect.ts). */
import { isRecord } from "../../domain/articles/json-values.ts";
import type { Place } from "../../domain/articles/senders/dialect.ts";
import type { ArrivalRequest } from "../../domain/articles/senders/sender.ts";

/** All values at a place of the body: `[]` stands for each item of a list, and so does an empty place. */
export function valuesAt(body: unknown, place: Place): unknown[] {
  if (place === "") return Array.isArray(body) ? body : [body];
  let found: unknown[] = [body];
  for (const part of place.split(".")) {
    const bracket = part.indexOf("[");
    const name = bracket === -1 ? part : part.slice(0, bracket);
    if (name !== "") {
      found = found.flatMap((one) => (isRecord(one) && Object.hasOwn(one, name) ? [one[name]] : []));
    }
    const indexes = bracket === -1 ? [] : part.slice(bracket + 1, -1).split("][");
    for (const index of indexes) {
      found = found.flatMap((one): unknown[] => {
        if (!Array.isArray(one)) return [];
        return index === "" ? one : one.slice(Number(index), Number(index) + 1);
      });
    }
  }
  return found;
}

/** The header or query parameter that a place such as `header:X-Event` names; undefined for a place of the body. */
export function requestValue(
  { headers, query }: ArrivalRequest,
  place: Place,
): { value: string | undefined } | undefined {
  const [, source, name = ""] = /^(header|query):(.+)$/.exec(place) ?? [];
  if (source === undefined) return undefined;
  if (source === "query") return { value: Object.hasOwn(query, name) ? query[name] : undefined };
  const wanted = name.toLowerCase();
  return { value: Object.entries(headers).find(([header]) => header.toLowerCase() === wanted)?.[1] };
}

export function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
