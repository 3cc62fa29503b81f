/** The form of a sender's own mapping. */
import type { ArrivalKind, Mapping, SenderField } from "../../../../src/domain/articles/senders/dialect.ts";
import { formatPlaces, parsePlaces } from "./places.ts";

export interface MappingForm {
  eventAt: string;
  means: { value: string; kind: ArrivalKind }[];
  articles: string;
  fields: Record<SenderField, string>;
  id: string;
  text: NonNullable<Mapping["text"]> | "";
  /** Rules for tests, one a line. */
  test: string;
}

export const MAPPED_FIELDS = [
  "title",
  "content",
  "html",
  "markdown",
  "slug",
  "excerpt",
  "meta_title",
  "meta_description",
  "image",
  "image_alt",
  "language",
  "keyword",
  "keywords",
  "tags",
  "categories",
  "author",
  "published_at",
  "status",
  "canonical_url",
] as const satisfies readonly SenderField[];

export function toForm(mapping: Mapping | null): MappingForm {
  const { event, articles, fields = {}, id, text = "", test = [] } = mapping ?? {};
  return {
    eventAt: formatPlaces(event?.at),
    means: Object.entries(event?.means ?? {}).map(([value, kind]) => ({ value, kind })),
    articles: formatPlaces(articles),
    fields: eachField((field) => formatPlaces(fields[field])),
    id: formatPlaces(id),
    text,
    test: test.join("\n"),
  };
}

/** @returns null if the form is empty: everything is then found as the kind does. */
export function toMapping({ eventAt, means, articles, fields, id, text, test }: MappingForm): Mapping | null {
  const at = parsePlaces(eventAt);
  const named = means.filter(({ value }) => value.trim() !== "");
  const mapped = MAPPED_FIELDS.flatMap((field) => {
    const places = parsePlaces(fields[field]);
    return places.length === 0 ? [] : [[field, places] as const];
  });
  const rules = test.split("\n").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));
  const mapping: Mapping = {
    ...(at.length > 0 && {
      event: { at, means: Object.fromEntries(named.map(({ value, kind }) => [value.trim(), kind])) },
    }),
    ...(rules.length > 0 && { test: rules }),
    ...(articles.trim() !== "" && { articles: parsePlaces(articles) }),
    ...(mapped.length > 0 && { fields: Object.fromEntries(mapped) }),
    ...(text !== "" && { text }),
    ...(id.trim() !== "" && { id: parsePlaces(id) }),
  };
  return Object.keys(mapping).length === 0 ? null : mapping;
}

function eachField(toText: (field: SenderField) => string): Record<SenderField, string> {
  // `MAPPED_FIELDS` has every field.
  return Object.fromEntries(MAPPED_FIELDS.map((field) => [field, toText(field)])) as Record<SenderField, string>;
}
