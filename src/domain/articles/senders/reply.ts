/** What a sender is answered, in the form that it expects. */
import { createHmac } from "node:crypto";
import type { Dialect, Reply } from "./dialect.ts";
import type { ArrivalOutcome, ArrivedOutcome } from "./sender.ts";

export interface HttpReply {
  status: number;
  /** JSON. */
  body: string;
}

/** An article's slug and its address on the website; null: it has none. */
export interface ArticleAddress {
  slug: string | null;
  url: string | null;
}

/**
 * `outcome` is null while the arrival is not understood yet. `addresses` are by article id. `getSecret` returns the
 * sender's, for answers that are signed.
 */
export function writeReply(
  dialect: Dialect,
  outcome: ArrivalOutcome | null,
  addresses: ReadonlyMap<string, ArticleAddress>,
  getSecret: () => string,
): HttpReply {
  const { reply, testReply = reply } = dialect;
  const message = describe(outcome);
  if (outcome !== null && isFailure(outcome)) {
    return { status: 422, body: write({ success: false, error: message, message }, reply, getSecret) };
  }
  const form = outcome !== null && outcome.kind !== "article" && outcome.kind !== "removal" ? testReply : reply;
  const shared = { $count: outcome?.articles.length ?? 0, $message: message };
  const each = (outcome?.articles ?? []).map((article) => toValues(article, addresses, shared));
  const body = fill(form.body, each[0] ?? { ...NO_ARTICLE, ...shared }, each);
  return { status: form.status ?? 200, body: write(body, form, getSecret) };
}

/** `value` as PHP's `json_encode` writes it: ASCII only, with `/` escaped. */
export function toPhpJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("/", String.raw`\/`)
    .replaceAll(/[^\0-\x7f]/g, (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

type Values = Readonly<Record<string, unknown>>;

const NO_ARTICLE: Values = { $id: null, $external_id: null, $url: null, $slug: null, $title: null, $duplicate: false };

/** Whether nothing of the arrival was saved. A part is answered as a success: what failed waits in the dashboard. */
function isFailure({ problem, articles }: ArrivalOutcome): boolean {
  return articles.length === 0 ? problem !== null : articles.every(({ outcome }) => outcome === "failed");
}

function describe(outcome: ArrivalOutcome | null): string {
  if (outcome === null) return "Received.";
  const { kind, problem, articles } = outcome;
  if (kind === "test") return "The test was received.";
  if (isFailure(outcome)) return problem ?? articles[0]?.message ?? "Nothing could be saved.";
  if (articles.length === 0) return "Received; there was nothing to save.";
  const failed = articles.filter((article) => article.outcome === "failed").length;
  return failed === 0
    ? "Received for review."
    : `${articles.length - failed} of ${articles.length} articles were received for review.`;
}

function toValues(
  { externalId, title, outcome, articleId }: ArrivedOutcome,
  addresses: ReadonlyMap<string, ArticleAddress>,
  shared: Values,
): Values {
  const address = articleId === null ? undefined : addresses.get(articleId);
  return {
    ...shared,
    $id: articleId,
    $external_id: externalId,
    $url: outcome === "removal_requested" ? null : (address?.url ?? null),
    $slug: address?.slug ?? null,
    $title: title,
    $duplicate: outcome === "unchanged",
  };
}

function fill(form: unknown, values: Values, all: readonly Values[]): unknown {
  if (typeof form === "string") return Object.hasOwn(values, form) ? values[form] : form;
  if (Array.isArray(form)) return form.length === 1 ? all.map((each) => fill(form[0], each, all)) : form;
  if (typeof form !== "object" || form === null) return form;
  return Object.fromEntries(Object.entries(form).map(([name, member]) => [name, fill(member, values, all)]));
}

function write(body: unknown, { signedIn }: Reply, getSecret: () => string): string {
  if (signedIn === undefined) return JSON.stringify(body);
  const mac = createHmac("sha256", getSecret()).update(toPhpJson(body)).digest("hex");
  return toPhpJson({ ...(body as object), [signedIn]: mac });
}
