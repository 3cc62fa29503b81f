/**
 * Ghost's Admin API (docs/senders.md), as its own client and those of generators call it: site, config, users, tags, posts and
 * pictures. A post's id is the one that its article's source has. What a client asks to publish or delete, people decide: until
 * then it reads `draft`, and the post is still there.
 */
import { hash } from "node:crypto";
import { slugify } from "../../domain/articles/content/slug.ts";
import { isPostId, NEW_POST_ID, parseGhostAddress } from "../../domain/articles/senders/ghost-address.ts";
import { type Arrival, findProblem, type Sender } from "../../domain/articles/senders/sender.ts";
import { AppError } from "../../domain/system/errors.ts";
import { foreignText } from "../../domain/system/foreign-text.ts";
import { isoTime, parseIsoTime } from "../../domain/system/time.ts";
import { patternUrl, type Website } from "../../domain/system/website.ts";
import { assetUrl } from "../../operations/articles/assets/assets.ts";
import { authenticate, receive } from "../../operations/articles/senders/receive.ts";
import {
  isReceived,
  listTags,
  readAllSent,
  readSent,
  type SentArticle,
} from "../../operations/articles/senders/sent-articles.ts";
import { readWebsite } from "../../operations/website/websites.ts";
import { addPicture } from "./add-picture.ts";
import { parseMultipart } from "./multipart.ts";
import type { Protocol, SenderCall, SenderReply } from "./protocol.ts";

/** What clients compare with the version that they were written for. */
const VERSION = "6.0";
const PAGE = 15;
const MAX_PAGE = 100;

export const ghost: Protocol = {
  isAsked: ({ path }) => parseGhostAddress(path) !== null,
  answer: async (call) => {
    const { deps, senderId, request, body } = call;
    const sender = await authenticate(deps, senderId, request, body);
    const reply = sender === undefined ? INVALID_TOKEN : await answer(call, sender);
    return { ...reply, headers: { "Content-Version": `v${VERSION}`, ...reply.headers } };
  },
};

async function answer(call: SenderCall, sender: Sender): Promise<SenderReply> {
  const [resource = "", ...rest] = parseGhostAddress(call.request.path) ?? [];
  const { method } = call.request;
  const asked = `${method === "HEAD" ? "GET" : method} ${resource}`;
  if (asked === "POST images" && rest.join("/") === "upload") return uploadPicture(call, sender);
  if (resource === "posts" && rest.length > 0) return answerPost(call, sender, rest);
  if (asked === "POST posts") return addPost(call, sender);
  if (asked === "GET posts") return browsePosts(call, sender);
  if (asked === "GET tags" && rest.length === 0) return browseTags(call, sender);
  if (asked === "GET users" && rest.length === 0) return list("users", [toUser(sender)]);
  if (asked === "GET users") return json(200, { users: [toUser(sender)] });
  // Clients ask for it to choose who gets mail: nobody does.
  if (asked === "GET newsletters") return list("newsletters", []);
  if (asked === "GET site") return json(200, { site: toSite(await readWebsite(call.deps, sender.websiteId)) });
  if (asked === "GET config") return json(200, { config: { version: VERSION, environment: "production" } });
  return notFound("Resource not found", "Posts, their pictures and their tags are all that there is here.");
}

/** A repeated request makes no second post: the id follows from what was sent, so that it may be lost on its way back. */
async function addPost(call: SenderCall, sender: Sender): Promise<SenderReply> {
  const { deps, request, body, base } = call;
  const id = hash("sha256", Buffer.concat([Buffer.from(`${sender.id}\n`), body])).slice(0, 24);
  const known = await readSent(deps, sender, id);
  const headers = { Location: `${base}/senders/${sender.id}/ghost/api/admin/posts/${id}/` };
  if (known !== undefined) return json(201, { posts: [toPost(known)] }, headers);
  const named = { ...request, query: { ...request.query, [NEW_POST_ID]: id } };
  const { arrival } = await receive(deps, sender, named, body, call);
  return afterArrival(call, sender, { arrival, id, status: 201, headers });
}

async function answerPost(call: SenderCall, sender: Sender, rest: readonly string[]): Promise<SenderReply> {
  const { deps, request, body } = call;
  const { method } = request;
  const [first, slug] = rest;
  if (first === "slug" && slug !== undefined && method === "GET") {
    const { articles } = await readAllSent(
      deps,
      sender,
      { ...ALL, slug: decodeURIComponent(slug) },
      { limit: 1, offset: 0 },
    );
    return articles[0] === undefined ? NO_POST : json(200, { posts: [toPost(articles[0])] });
  }
  if (rest.length !== 1 || !isPostId(first)) return NO_POST;
  // Before the post is read: meanwhile it may be saved.
  const isNew = await isReceived(deps, sender, NEW_POST_ID, first);
  const known = await readSent(deps, sender, first);
  if (known === undefined && !isNew) return NO_POST;
  if (method === "GET" || method === "HEAD") return json(200, { posts: [toPostOrWaiting(first, known)] });
  if (method !== "PUT" && method !== "DELETE") return notFound("Resource not found", "Change a post by PUT.");
  if (method === "PUT" && known !== undefined) {
    const version = await readVersion(call, sender);
    if (version !== undefined && !isCurrent(version, known)) return COLLISION;
  }
  const { arrival } = await receive(deps, sender, request, body, call);
  if (method === "DELETE" && arrival.state !== "needs_attention") return { status: 204, body: "" };
  return afterArrival(call, sender, { arrival, id: first, status: 200 });
}

/** The `updated_at` that the client has seen. A body that cannot be read is refused later. */
async function readVersion({ deps, request, body }: SenderCall, sender: Sender): Promise<string | undefined> {
  const text = foreignText(body.toString(), body.length);
  const arrival = { request, body: text, mapping: {}, websiteUrl: null };
  const { articles } = await deps.readArrival(sender.websiteId, arrival);
  return articles[0]?.version;
}

/** Clients may write times without the fraction of their second. */
function isCurrent(version: string, { changedAt }: SentArticle): boolean {
  const at = parseIsoTime(version);
  if (at === null) return false;
  return at === changedAt || (at % 1000 === 0 && at === changedAt - (changedAt % 1000));
}

async function afterArrival(
  { deps }: SenderCall,
  sender: Sender,
  { arrival, id, status, headers }: { arrival: Arrival; id: string; status: number; headers?: SenderReply["headers"] },
): Promise<SenderReply> {
  const problem = findProblem(arrival.outcome);
  if (problem !== null) {
    return refuse(422, "ValidationError", "Validation error, cannot save post.", { context: problem });
  }
  const post = toPostOrWaiting(id, await readSent(deps, sender, id));
  return json(status, { posts: [post] }, headers);
}

/** @param saved undefined: it is received, and saved later. */
function toPostOrWaiting(id: string, saved: SentArticle | undefined) {
  return saved === undefined ? { id, status: "draft", url: null, slug: null } : toPost(saved);
}

const ALL = { slug: null, title: null, isPublished: null };

async function browsePosts({ deps, request }: SenderCall, sender: Sender): Promise<SenderReply> {
  const { query } = request;
  const filter = parseFilter(query["filter"] ?? "");
  if (filter === null) {
    return refuse(400, "BadRequestError", "Error parsing filter", {
      context: "Posts are found by id, slug, title and status, with + between several.",
    });
  }
  const { limit, page, offset } = getPage(query);
  if (filter.id !== undefined) {
    const found = isPostId(filter.id) ? await readSent(deps, sender, filter.id) : undefined;
    return list("posts", found === undefined ? [] : [toPost(found)]);
  }
  const { slug = null, title = null, status } = filter;
  const isPublished = status === undefined || status === "all" ? null : status === "published";
  const { total, articles } = await readAllSent(deps, sender, { slug, title, isPublished }, { limit, offset });
  return list("posts", articles.map(toPost), { page, limit, total });
}

type Filter = Partial<Record<"id" | "slug" | "title" | "status", string>>;

/** The part of Ghost's language of filters that finds single posts; null: it asks for more, and all posts would mislead. */
function parseFilter(text: string): Filter | null {
  const filter: Filter = {};
  let rest = text.trim();
  while (rest !== "") {
    const found =
      /^\+?(id|slug|title|status):\[?(?:'((?:[^'\\]|\\.)*)'|([^'"+,()[\]<>~-][^'"+,()[\]<>~]*))\]?(?=\+|$)/.exec(rest);
    if (found === null) return null;
    filter[found[1] as keyof Filter] = (found[2] ?? found[3] ?? "").replaceAll(/\\(.)/g, "$1");
    rest = rest.slice(found[0].length);
  }
  return filter;
}

function getPage(query: Readonly<Record<string, string>>): { limit: number; page: number; offset: number } {
  const wanted = query["limit"] === "all" ? MAX_PAGE : toNumber(query["limit"], PAGE);
  const limit = Math.min(wanted, MAX_PAGE);
  const page = toNumber(query["page"], 1);
  return { limit, page, offset: (page - 1) * limit };
}

function toNumber(text: string | undefined, otherwise: number): number {
  return /^[1-9]\d{0,6}$/.test(text ?? "") ? Number(text) : otherwise;
}

async function browseTags({ deps, request }: SenderCall, sender: Sender): Promise<SenderReply> {
  const [, by, quoted, plain] = /^(name|slug):(?:'([^']*)'|([^'+,]*))$/.exec(request.query["filter"] ?? "") ?? [];
  const all = (await listTags(deps, sender.websiteId)).map(toTag);
  const tags = by === undefined ? all : all.filter((tag) => tag[by as "name" | "slug"] === (quoted ?? plain));
  const { limit, page, offset } = getPage(request.query);
  return list("tags", tags.slice(offset, offset + limit), { page, limit, total: tags.length });
}

async function uploadPicture(call: SenderCall, sender: Sender): Promise<SenderReply> {
  const { deps, request, body, base } = call;
  const parts = parseMultipart(request.headers["content-type"], body);
  const file = parts?.find(({ name, filename }) => name === "file" && filename !== null);
  if (file === undefined) {
    return refuse(422, "ValidationError", "Please select an image.", { context: "The form has no part called file." });
  }
  try {
    const added = await addPicture(call, sender, { bytes: file.bytes, name: file.filename ?? "", alt: "" });
    const website = await readWebsite(deps, sender.websiteId);
    const ref = parts?.find(({ name, filename }) => name === "ref" && filename === null)?.bytes.toString() ?? null;
    return json(201, { images: [{ url: assetUrl(added, website, base), ref }] });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return refuse(415, "UnsupportedMediaTypeError", "Please select a valid image.", { context: error.message });
  }
}

function toPost({ externalId, website, article, input, html, changedAt }: SentArticle) {
  const tags = (input.tags ?? []).map(toTag);
  const authors = (input.authors ?? []).map(toAuthor);
  const slug = input.slug ?? article.slug;
  return {
    id: externalId,
    uuid: article.id,
    comment_id: externalId,
    title: input.title ?? article.title,
    slug,
    html,
    lexical: null,
    mobiledoc: null,
    status: getStatus(article),
    visibility: "public",
    featured: false,
    email_only: false,
    url: article.platformUrl ?? patternUrl(website, { ...article, slug }),
    excerpt: article.excerpt,
    custom_excerpt: input.excerpt ?? null,
    feature_image: input.featuredImageUrl ?? null,
    feature_image_alt: input.featuredImageAlt ?? null,
    feature_image_caption: null,
    meta_title: input.metaTitle ?? null,
    meta_description: input.metaDescription ?? null,
    canonical_url: input.canonicalUrl ?? null,
    codeinjection_head: null,
    codeinjection_foot: null,
    reading_time: article.readingTime,
    created_at: isoTime(article.createdAt),
    updated_at: isoTime(changedAt),
    published_at: toTimeOrNull(article.publishedAt ?? article.publishAt),
    tags,
    primary_tag: tags[0] ?? null,
    authors,
    primary_author: authors[0] ?? null,
  };
}

function getStatus({ status, publishAt }: SentArticle["article"]): "published" | "scheduled" | "draft" {
  if (status === "published") return "published";
  return publishAt === null ? "draft" : "scheduled";
}

function toTimeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}

function toTag(name: string) {
  return { id: toId(name), name, slug: slugify(name), visibility: "public" };
}

function toAuthor({ name, url }: { name: string; url: string | null }) {
  return { id: toId(name), name, slug: slugify(name), website: url };
}

/** Who a client acts as: itself. */
function toUser({ id, name }: Sender) {
  return { ...toAuthor({ name, url: null }), id: toId(id), email: null, status: "active" };
}

/** Ghost's ids have this form. */
function toId(text: string): string {
  return hash("sha256", text).slice(0, 24);
}

function toSite({ name, url, language }: Website) {
  return { title: name, description: null, logo: null, icon: null, url, locale: language, version: VERSION };
}

function list(
  name: string,
  items: readonly unknown[],
  { page, limit, total }: { page: number; limit: number; total: number } = {
    page: 1,
    limit: PAGE,
    total: items.length,
  },
): SenderReply {
  const pages = Math.max(1, Math.ceil(total / limit));
  const pagination = {
    page,
    limit,
    pages,
    total,
    next: page < pages ? page + 1 : null,
    prev: page > 1 ? page - 1 : null,
  };
  return json(200, { [name]: items, meta: { pagination } });
}

function json(status: number, body: unknown, headers: SenderReply["headers"] = {}): SenderReply {
  return { status, headers, body: JSON.stringify(body) };
}

function refuse(
  status: number,
  type: string,
  message: string,
  { context = null, code = null }: { context?: string | null; code?: string | null } = {},
): SenderReply {
  const more = { details: null, property: null, help: null, code, id: null, ghostErrorType: null };
  return json(status, { errors: [{ message, context, type, ...more }] });
}

function notFound(message: string, context: string): SenderReply {
  return refuse(404, "NotFoundError", message, { context });
}

/** The same for an unknown sender, a wrong key and one that is missing. */
const INVALID_TOKEN = refuse(401, "UnauthorizedError", "Invalid token", {
  context: "Copy the address and the Admin API key from Settings › Senders.",
  code: "INVALID_JWT",
});
const NO_POST = notFound("Resource not found error, cannot read post.", "Post not found.");
const COLLISION = refuse(409, "UpdateCollisionError", "Saving failed! Someone else is editing this post.", {
  context: "Read the post again, and send its updated_at with the change.",
  code: "UPDATE_COLLISION",
});
