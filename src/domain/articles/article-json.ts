import { AppError } from "../system/errors.ts";
import { parseLanguageTag } from "../system/language-tag.ts";
import { OWN_STEPS } from "./workflow.ts";
import { ARTICLE_STATUSES, REVIEW_STATES, STEP_STATUSES } from "./article.ts";
import type { ArticleInput, Author, InternalLink, PipelineStep } from "./article.ts";
import {
  ARTICLE_LIMITS,
  describeKind,
  invalid,
  isRecord,
  readJsonObject,
  readLabels,
  readPhrase,
  readText,
  readTime,
  readUrl,
  readUuid,
} from "./json-values.ts";

/** The JSON article of `import`, `export`, `--file`. Unknown and derived keys are ignored: responses are accepted. */

export const MAX_TRANSLATION_GROUP_CHARACTERS = 200;
/** Texts that can be cleared, with their maximum lengths. */
const TEXTS = [
  ["slug", "slug", 500],
  ["excerpt", "excerpt", 10_000],
  ["meta_title", "metaTitle", 1000],
  ["meta_description", "metaDescription", 10_000],
  ["target_keyword", "targetKeyword", 500],
  ["featured_image_alt", "featuredImageAlt", 5000],
  ["platform_post_id", "platformPostId", 500],
  ["translation_group", "translationGroup", MAX_TRANSLATION_GROUP_CHARACTERS],
  ["user_id", "userId", 500],
  ["author_email", "author", 500],
  ["assignee_email", "assignee", 500],
] as const;
const URLS = [
  ["featured_image_url", "featuredImageUrl", 8000],
  ["canonical_url", "canonicalUrl", 8000],
  ["platform_url", "platformUrl", 8000],
] as const;
const LABELS = [
  ["seo_keywords", "seoKeywords"],
  ["categories", "categories"],
  ["tags", "tags"],
] as const;
const TIMES = [
  ["created_at", "createdAt"],
  ["updated_at", "updatedAt"],
] as const;
const CLEARABLE_TIMES = [
  ["approved_at", "approvedAt"],
  ["published_at", "publishedAt"],
  ["publish_at", "publishAt"],
] as const;

/**
 * Parses one JSON article. Sets only the keys that are present; `null` clears what can be cleared, is invalid as
 * `title`, and is ignored elsewhere. @throws AppError `invalid`, with `field`, for a wrong type or value.
 */
export function parseArticleJson(value: unknown): ArticleInput {
  if (!isRecord(value)) {
    throw new AppError("invalid", `An article must be a JSON object, not ${describeKind(value)}.`);
  }
  const input: ArticleInput = {};
  if (value["id"] != null) input.id = readUuid(value["id"]);
  if (value["title"] !== undefined) input.title = readTitle(value["title"]);
  if (value["content"] != null) input.content = readBody("content", value["content"]);
  if (value["markdown"] != null) input.markdown = readBody("markdown", value["markdown"]);
  if (value["status"] != null) {
    const status = ARTICLE_STATUSES.find((known) => known === value["status"]);
    if (status === undefined) throw invalid("status", `must be one of ${ARTICLE_STATUSES.join(", ")}`);
    input.status = status;
  }
  if (value["review_state"] != null) {
    const state = REVIEW_STATES.find((known) => known === value["review_state"]);
    if (state === undefined) throw invalid("review_state", `must be one of ${REVIEW_STATES.join(", ")}`);
    input.reviewState = state;
  }
  for (const [key, name, most] of TEXTS) {
    const given = value[key];
    if (given !== undefined) input[name] = given === null ? null : nullIfBlank(readPhrase(key, given, most));
  }
  for (const [key, name, most] of URLS) {
    const given = value[key];
    if (given !== undefined) input[name] = given === null ? null : readUrl(key, given, most);
  }
  for (const [key, name] of LABELS) {
    if (value[key] !== undefined) input[name] = readLabels(key, value[key]);
  }
  if (value["authors"] !== undefined) input.authors = readAuthors(value["authors"]);
  if (value["aliases"] !== undefined) input.aliases = readAliases(value["aliases"]);
  if (value["language"] !== undefined) input.language = readLanguage(value["language"]);
  for (const [key, name] of TIMES) {
    if (value[key] != null) input[name] = readTime(key, value[key]);
  }
  for (const [key, name] of CLEARABLE_TIMES) {
    const given = value[key];
    if (given !== undefined) input[name] = given === null ? null : readTime(key, given);
  }
  if (value["internal_links"] !== undefined) input.internalLinks = readLinks(value["internal_links"]);
  if (value["quality_metrics"] !== undefined) setMetrics(input, value["quality_metrics"]);
  if (value["pipeline_steps"] !== undefined) {
    const all = readSteps(value["pipeline_steps"]);
    // An article in our own form also holds our own steps, which are generated anew.
    const isOurs = isOwnMetrics(value["quality_metrics"]);
    input.pipelineSteps = isOurs ? all.filter(({ name }) => !OWN_STEPS.some((own) => own === name)) : all;
  }
  return input;
}

const FIELDS: ReadonlySet<string> = new Set([
  ..."id title content markdown status review_state authors aliases language".split(" "),
  ..."internal_links quality_metrics pipeline_steps".split(" "),
  ...[...TEXTS, ...URLS, ...LABELS, ...TIMES, ...CLEARABLE_TIMES].map(([key]) => key),
]);

/** Whether a JSON article can have the field; there are others in answers, which are derived. */
export function isArticleField(name: string): boolean {
  return FIELDS.has(name);
}

/** Requires title and content, `mayBeEmpty` only that they are present. @throws AppError `invalid`, with `field`. */
export function requireComplete(input: ArticleInput, mayBeEmpty = false): ArticleInput & { title: string } {
  const isThere = (value: string | undefined): value is string => (mayBeEmpty ? value !== undefined : isFilled(value));
  const hasContent = isThere(input.content) || isThere(input.markdown);
  if (!isThere(input.title)) {
    throw new AppError(
      "invalid",
      hasContent ? "The article has no title." : "The article has no title and no content.",
      {
        field: "title",
      },
    );
  }
  if (!hasContent) {
    throw new AppError("invalid", "The article has no content: give it content (HTML) or markdown.", {
      field: "content",
    });
  }
  return { ...input, title: input.title };
}

function readTitle(given: unknown): string {
  const title = readPhrase("title", given, ARTICLE_LIMITS.title).trim();
  if (title === "") throw invalid("title", "must not be empty");
  return title;
}

function readBody(field: string, given: unknown): string {
  const isLong = typeof given === "string" && Buffer.byteLength(given) > ARTICLE_LIMITS.content;
  if (isLong) throw invalid(field, "must not be longer than 10 MB");
  return readText(field, given, ARTICLE_LIMITS.content);
}

/** Each a name, a name with an address (`Ada <https://ada.example>`), or `{name, url}`; a name counts once. */
function readAuthors(given: unknown): Author[] {
  const field = "authors";
  if (given === null) return [];
  if (!Array.isArray(given)) throw invalid(field, `must be a list of names or {name, url}, not ${describeKind(given)}`);
  const found = new Map<string, Author>();
  for (const item of given as unknown[]) {
    const written = typeof item === "string" ? splitAuthor(item) : item;
    if (!isRecord(written)) throw invalid(field, "must be a list of names or {name, url}");
    const name = readPhrase(field, written["name"], ARTICLE_LIMITS.label).trim();
    if (name === "") continue;
    const address = written["url"] == null ? null : readUrl(field, written["url"], 2000);
    found.set(name, { name, url: address ?? found.get(name)?.url ?? null });
  }
  if (found.size > ARTICLE_LIMITS.authors) {
    throw invalid(field, `must not have more than ${ARTICLE_LIMITS.authors} items`);
  }
  return [...found.values()];
}

function splitAuthor(written: string): { name: string; url?: string } {
  const [, name = "", address = ""] = /^([^<>]*)<(https?:[^<>\s]+)>\s*$/.exec(written) ?? [];
  return name.trim() === "" ? { name: written } : { name, url: address };
}

function readLanguage(given: unknown): string | null {
  const text = given === null ? null : nullIfBlank(readText("language", given, 100));
  if (text === null) return null;
  const tag = parseLanguageTag(text);
  if (tag === undefined) throw invalid("language", 'must be a language tag (BCP 47), such as "de" or "pt-BR"');
  return tag;
}

/** Former addresses, each as a slug, or as a path with a slash in front. */
function readAliases(given: unknown): string[] {
  const field = "aliases";
  const found = new Set<string>();
  for (const item of readLabels(field, given, ARTICLE_LIMITS.aliases, (aliases) => [...new Set(aliases)])) {
    const alias = toAlias(item);
    if (alias !== null && !isAddress(alias))
      throw invalid(field, 'must hold addresses of pages only, without patterns or ".."');
    if (alias !== null) found.add(alias);
  }
  return [...found];
}

/** An alias as stored: no host, query or trailing slash, percent-decoded; with a slash it is a path. Null: empty. */
function toAlias(given: string): string | null {
  const [path = ""] = given
    .trim()
    .replace(/^https?:\/\/[^/?#]*/i, "")
    .split(/[?#]/, 1);
  const parts = decoded(path)
    .split("/")
    .filter((part) => part !== "");
  if (/^index\.html?$/i.test(parts.at(-1) ?? "")) parts.pop();
  if (parts.length === 0) return null;
  return path.includes("/") ? `/${parts.join("/")}` : parts.join("");
}

function isAddress(alias: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}*()[\]{}<>|\\^"`]|(?:^|\/)(?::|\.{1,2}(?:\/|$))|^\/?[a-z][a-z0-9+.-]*:/iu.test(alias);
}

export function isAlias(given: string): boolean {
  return isAddress(toAlias(given) ?? "");
}

function decoded(path: string): string {
  try {
    const text = decodeURIComponent(path);
    return text.includes("\0") ? path : text.toWellFormed();
  } catch {
    return path;
  }
}

function readLinks(given: unknown): InternalLink[] | null {
  const field = "internal_links";
  if (given === null) return null;
  if (!Array.isArray(given)) throw invalid(field, `must be a list of {text, url}, not ${describeKind(given)}`);
  if (given.length > ARTICLE_LIMITS.links)
    throw invalid(field, `must not have more than ${ARTICLE_LIMITS.links} items`);
  return given.map((item: unknown) => {
    const link = typeof item === "string" ? { url: item } : item;
    if (!isRecord(link)) throw invalid(field, "must be a list of {text, url}");
    const address = readText(field, link["url"], 8000).trim();
    const isSafe = address !== "" && (/^https?:\/\//i.test(address) || !/^[a-z][a-z0-9+.-]*:/i.test(address));
    if (!isSafe) throw invalid(field, "must hold http, https or site-relative addresses only");
    return { text: readText(field, link["text"] ?? "", 5000), url: address };
  });
}

function setMetrics(input: ArticleInput, given: unknown): void {
  const field = "quality_metrics";
  if (given !== null && !isRecord(given)) throw invalid(field, `must be a JSON object, not ${describeKind(given)}`);
  // Our own metrics, as the API returns them, are computed anew; those of a generator are inside, under `reported`.
  const reported = given !== null && isOwnMetrics(given) ? given["reported"] : given;
  if (reported === undefined) return;
  if (reported !== null && !isRecord(reported)) throw invalid(field, "must hold a JSON object under reported");
  input.reportedMetrics = reported === null ? null : readJsonObject(field, reported);
}

/** Whether the JSON article was written by our export or API, which include every field, even if it is null. */
export function isOwnForm(value: Record<string, unknown>): boolean {
  return "user_id" in value && "pipeline_steps" in value && "quality_metrics" in value;
}

function isOwnMetrics(given: unknown): boolean {
  return isRecord(given) && "engine_version" in given && "evaluated_at" in given;
}

function readSteps(given: unknown): PipelineStep[] {
  const field = "pipeline_steps";
  if (given === null) return [];
  if (!Array.isArray(given)) throw invalid(field, `must be a list of steps, not ${describeKind(given)}`);
  if (given.length > ARTICLE_LIMITS.steps)
    throw invalid(field, `must not have more than ${ARTICLE_LIMITS.steps} items`);
  return given.map((item: unknown) => readStep(field, typeof item === "string" ? { name: item } : item));
}

function readStep(field: string, given: unknown): PipelineStep {
  if (!isRecord(given)) throw invalid(field, "must be a list of steps, each with a name");
  const { name, status, started_at, completed_at, duration_ms, actor, error, metadata, ...others } = given;
  const named = readText(field, name ?? "", 500).trim();
  if (named === "") throw invalid(field, "must give every step a name");
  const known = STEP_STATUSES.find((one) => one === (status ?? "completed"));
  if (known === undefined) throw invalid(field, `must give step ${named} a status of ${STEP_STATUSES.join(", ")}`);
  if (duration_ms != null && !(typeof duration_ms === "number" && duration_ms >= 0)) {
    throw invalid(field, `must give step ${named} a duration_ms of 0 or more`);
  }
  if (metadata != null && !isRecord(metadata)) throw invalid(field, `must give step ${named} an object as metadata`);
  return {
    name: named,
    status: known,
    started_at: started_at == null ? null : new Date(readTime(field, started_at)).toISOString(),
    completed_at: completed_at == null ? null : new Date(readTime(field, completed_at)).toISOString(),
    duration_ms: duration_ms == null ? null : Math.round(duration_ms),
    actor: actor == null ? null : readText(field, actor, 500),
    error: readStepError(field, error),
    // A generator's fields beyond our schema are kept in `metadata`.
    metadata: readJsonObject(field, { ...others, ...metadata }),
  };
}

function readStepError(field: string, given: unknown): PipelineStep["error"] {
  if (given == null) return null;
  if (typeof given === "string") return { code: "failed", message: readText(field, given, 10_000) };
  if (!isRecord(given)) throw invalid(field, "must give an error as {code, message}");
  return {
    code: readText(field, given["code"] ?? "failed", 500),
    message: readText(field, given["message"] ?? "", 10_000),
  };
}

function isFilled(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}

function nullIfBlank(value: string): string | null {
  return value.trim() === "" ? null : value;
}
