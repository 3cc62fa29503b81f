/** Arrivals and fields in words. */
import type { Arrival, SampleResult } from "../../../../src/http/admin/contract/senders.ts";

export type Field = SampleResult["articles"][number]["fields"][number]["field"];
type Outcome = Arrival["articles"][number]["outcome"];

export const FIELD_LABELS: Readonly<Record<Field, string>> = {
  id: "ID",
  title: "Title",
  slug: "Slug",
  html: "Text in HTML",
  markdown: "Text in Markdown",
  content: "Text",
  excerpt: "Excerpt",
  meta_description: "Meta description",
  meta_title: "Meta title",
  image: "Featured picture",
  image_alt: "Its alternative text",
  language: "Language",
  keyword: "Focus keyword",
  keywords: "Keywords",
  tags: "Tags",
  categories: "Categories",
  author: "Author",
  published_at: "Publication date",
  status: "Status",
  canonical_url: "Canonical URL",
};

export const OUTCOME_LABELS: Readonly<Record<Outcome, string>> = {
  created: "New article",
  updated: "Article changed",
  unchanged: "Nothing new",
  held: "Changes held",
  removal_requested: "Asks to delete",
  failed: "Not stored",
};

/** What arrived, in one line: a title, or what the sender said. */
export function titleOf({ articles, event, kind, state }: Arrival): string {
  const [first] = articles;
  if (first !== undefined) {
    const title = first.title === "" ? first.external_id : first.title;
    return articles.length === 1 ? title : `${title} and ${articles.length - 1} more`;
  }
  if (kind === "test") return "A test";
  if (state === "waiting") return "Not read yet";
  return event ?? "A request without an article";
}

/** What became of it, in one line. */
export function describeOutcome({ articles, event, kind, problem, state }: Arrival): string {
  if (state === "waiting") return "Received, but not read yet.";
  if (problem !== null) return problem;
  if (articles.length === 0) {
    if (kind === "test") return "Answered. A test saves nothing.";
    return event === null ? "Answered. There was nothing to save." : `Answered. The event ${event} saves nothing.`;
  }
  const counts = new Map<Outcome, number>();
  for (const { outcome } of articles) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const [only] = articles;
  if (articles.length === 1 && only !== undefined) {
    return only.message === null ? OUTCOME_LABELS[only.outcome] : `${OUTCOME_LABELS[only.outcome]}: ${only.message}`;
  }
  return [...counts].map(([outcome, count]) => `${OUTCOME_LABELS[outcome]} (${count})`).join(", ");
}

/** The service counts only up to this number. */
const MAX_COUNTED = 1_000;

export function counted(number: number): string {
  return number >= MAX_COUNTED ? "1,000 or more" : number.toLocaleString("en");
}
