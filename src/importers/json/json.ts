import { STEP_STATUSES } from "../../domain/articles/article.ts";
import { readCms } from "../cms/cms.ts";
import { readGhost } from "../ghost/ghost.ts";
import type { ImportFile } from "../import-file.ts";
import { readWhole } from "../import-file.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import { beginItem, NoArticles } from "../import-item.ts";
import type { ImportFormat, ImportContext, ReadItem } from "../import-item.ts";
import { articleItem, parseJson } from "./ndjson.ts";
import { readWordPressRest } from "../wordpress/wordpress-rest.ts";

/** Just below the longest string that V8 can hold. */
const MAX_JSON_BYTES = 512_000_000;

/** Reads JSON by its shape: our own articles, our API's response, or what another system exports or answers. */
export async function* readJsonFile(
  file: ImportFile,
  format: "auto" | ImportFormat,
  context: ImportContext,
): AsyncGenerator<ReadItem> {
  const most = context.maxJsonBytes ?? MAX_JSON_BYTES;
  const value = parseJson(await readWhole(file, most, tooLarge(most)));
  const found = readItems(value, file.name, context);
  if (found === null) {
    throw new NoArticles("It is JSON without articles: an article needs a title and content (HTML) or markdown.");
  }
  if (format === "wordpress" || format === "ghost") {
    if (found.format !== format)
      throw new NoArticles(`It is JSON, but not of ${format === "ghost" ? "Ghost" : "WordPress"}.`);
  }
  yield* found.items;
}

function tooLarge(most: number): string {
  const why = `It is larger than ${Math.round(most / 1_000_000)} MB, which is too much for one JSON document`;
  const other = most < MAX_JSON_BYTES ? ", or import it on the command line" : "";
  return `${why}. Split it, or make it NDJSON (one article per line)${other}.`;
}

interface Found {
  format: ImportFormat;
  items: Iterable<ReadItem>;
}

function readItems(value: unknown, name: string, context: ImportContext): Found | null {
  const ghost = readGhost(value, name, context);
  if (ghost !== null) return { format: "ghost", items: ghost };
  const wordpress = readWordPressRest(value, name, context);
  if (wordpress !== null) return { format: "wordpress", items: wordpress };
  const cms = readCms(value, name, context);
  if (cms !== null) return { format: "json", items: cms };
  const articles = ownArticles(value);
  return articles === null ? null : { format: "json", items: ownItems(articles, name, context) };
}

/** `null`: nothing here looks like an article of ours. */
function ownArticles(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value.length === 0 || value.some(looksLikeArticle) ? value : null;
  if (!isRecord(value)) return null;
  if (Array.isArray(value["articles"])) return value["articles"];
  if (value["success"] === true && isRecord(value["data"])) return apiArticles(value["data"]);
  return looksLikeArticle(value) ? [value] : null;
}

/** A response of `/api/public/articles`, without the service's own pipeline steps, which are no generator's. */
function apiArticles(data: Record<string, unknown>): unknown[] | null {
  const articles = Array.isArray(data["articles"])
    ? data["articles"]
    : isRecord(data["article"])
      ? [data["article"]]
      : null;
  return articles?.map((article: unknown) => (isRecord(article) ? withoutOwnSteps(article) : article)) ?? null;
}

const OWN_STEPS = new Set(["import", "sanitize", "analyze", "approve", "publish"]);

function withoutOwnSteps(article: Record<string, unknown>): Record<string, unknown> {
  const steps = article["pipeline_steps"];
  if (!Array.isArray(steps)) return article;
  return { ...article, pipeline_steps: steps.filter((step) => !isOwnStep(step)) };
}

function isOwnStep(step: unknown): boolean {
  return isRecord(step) && OWN_STEPS.has(String(step["name"])) && STEP_STATUSES.some((one) => one === step["status"]);
}

function looksLikeArticle(value: unknown): boolean {
  return isRecord(value) && (typeof value["content"] === "string" || typeof value["markdown"] === "string");
}

function* ownItems(articles: unknown[], name: string, context: ImportContext): Generator<ReadItem> {
  for (const [index, article] of articles.entries()) {
    const source = articles.length === 1 ? name : `${name}, article ${index + 1}`;
    yield beginItem(context, source, undefined, () => articleItem(source, article, { file: name, now: context.now }));
  }
}
