/**
 * Posts as clients of Ghost's Admin API send them (docs/senders.md): whole ones, and changes of some fields. The text may be in
 * `html`, for which Ghost wants `?source=html` and clients forget it, or in `lexical` or `mobiledoc`.
 */
import type { ArticleInput } from "../../domain/articles/article.ts";
import { parseArticleJson, requireComplete } from "../../domain/articles/article-json.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import { isPostId, NEW_POST_ID, parseGhostAddress } from "../../domain/articles/senders/ghost-address.ts";
import type { ArrivedArticle, Understood } from "../../domain/articles/senders/sender.ts";
import type { ReadableArrival } from "../../operations/system/deps.ts";
import { readPostFields } from "../ghost/ghost.ts";
import { shortLabels, toText } from "../import-item.ts";
import { describeProblem } from "./article.ts";
import { readBody } from "./body.ts";
import { withoutRepeats } from "./text.ts";

type Post = Record<string, unknown>;

/** Null: the request is none of Ghost's. Never throws for what a sender sends: that is the `problem`. */
export function readGhostArrival(arrival: ReadableArrival): Understood | null {
  const { method, path, query } = arrival.request;
  const address = parseGhostAddress(path);
  if (address === null) return null;
  const [resource, named] = address;
  const externalId = named ?? query[NEW_POST_ID];
  const changes = method === "POST" || method === "PUT";
  const kind = method === "DELETE" ? "removal" : changes ? "article" : "other";
  const event = kind === "other" ? `${method} ${path}` : null;
  if (resource !== "posts" || !isPostId(externalId) || kind === "other") {
    return { kind: "other", event: `${method} ${path}`, problem: null, articles: [] };
  }
  if (kind === "removal") {
    return { kind, event, problem: null, articles: [{ externalId, input: {}, places: {}, problem: null }] };
  }
  try {
    const body = readBody(arrival);
    // Ghost takes only the first, too.
    const post: unknown = isRecord(body) && Array.isArray(body["posts"]) ? body["posts"][0] : undefined;
    if (!isRecord(post)) throw new NoPost();
    return { kind, event, problem: null, articles: [readPost(post, externalId, arrival)] };
  } catch (error) {
    const problem = error instanceof NoPost ? "It has no post: posts[0] is missing." : describeProblem(error);
    return { kind, event, problem, articles: [] };
  }
}

class NoPost extends Error {}

function readPost(post: Post, externalId: string, arrival: ReadableArrival): ArrivedArticle {
  const version = toText(post["updated_at"]);
  const arrived = { externalId, places: describePlaces(post), ...(version === undefined ? {} : { version }) };
  try {
    return { ...arrived, input: readInput(post, arrival), problem: null };
  } catch (error) {
    return { ...arrived, input: {}, problem: describeProblem(error) };
  }
}

function readInput(post: Post, { request, websiteUrl }: ReadableArrival): ArticleInput {
  const isSource = request.query["source"] === "html";
  const lexical = toText(post["lexical"]);
  // Ghost converts `html` only if it is asked to; beside Lexical it is then what was rendered earlier.
  const html = isSource || lexical === undefined ? post["html"] : undefined;
  const fields = readPostFields({ ...post, html }, { websiteUrl, now: 0 });
  const title = toText(fields["title"]);
  const content = toText(fields["content"])?.replaceAll(CARD_MARKS, "");
  const image = toText(fields["featured_image_url"]);
  const written =
    content === undefined
      ? {}
      : { content: withoutRepeats({ form: "html", text: content }, { title, image, websiteUrl }).text };
  const article = { ...fields, title, ...written, ...findCleared(post), ...readPublicationRequest(post) };
  const input = parseArticleJson({ ...article, ...shortLabels(article) });
  return request.method === "POST" ? requireComplete(input) : input;
}

/** Around what an editor keeps as a card. */
const CARD_MARKS = /<!--kg-card-(?:begin|end): [\w-]+-->/g;

const CLEARED = [
  ["custom_excerpt", "excerpt"],
  ["meta_title", "meta_title"],
  ["meta_description", "meta_description"],
  ["feature_image", "featured_image_url"],
  ["feature_image_alt", "featured_image_alt"],
  ["canonical_url", "canonical_url"],
] as const;

function findCleared(post: Post): Record<string, unknown> {
  const cleared = CLEARED.filter(([name]) => post[name] === null || post[name] === "").map(([, ours]) => [ours, null]);
  const hasNoTags = Array.isArray(post["tags"]) && post["tags"].length === 0;
  return { ...Object.fromEntries(cleared), ...(hasNoTags ? { tags: [], categories: [] } : {}) };
}

/** Other statuses change nothing: a machine takes nothing down. The time is not kept: people publish. */
function readPublicationRequest({ status }: Post): Record<string, unknown> {
  return status === "published" || status === "scheduled" ? { status: "published" } : {};
}

/** Ghost's name of each field that is there. */
function describePlaces(post: Post): ArrivedArticle["places"] {
  const text = ["html", "lexical", "mobiledoc"].find((name) => toText(post[name]) !== undefined);
  const places = [
    ["title", "title"],
    ["slug", "slug"],
    ["html", text],
    ["excerpt", "custom_excerpt"],
    ["meta_title", "meta_title"],
    ["meta_description", "meta_description"],
    ["image", "feature_image"],
    ["image_alt", "feature_image_alt"],
    ["tags", "tags"],
    ["author", "authors"],
    ["published_at", "published_at"],
    ["status", "status"],
    ["canonical_url", "canonical_url"],
  ] as const;
  const found = places.filter(([, name]) => name !== undefined && post[name] != null && post[name] !== "");
  return Object.fromEntries(found.map(([field, name]) => [field, `posts[0].${name}`]));
}
