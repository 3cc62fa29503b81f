/** Posts: each is an article of the sender, whose external id is the post's number. */
import type { Millis } from "../../domain/system/time.ts";
import { patternUrl } from "../../domain/system/website.ts";
import { receive } from "../../operations/articles/senders/receive.ts";
import { isReceived } from "../../operations/articles/senders/sent-articles.ts";
import * as posts from "../../operations/articles/senders/wordpress.ts";
import { type ArrivalRequest, findProblem } from "../../domain/articles/senders/sender.ts";
import { readInclude, toPage, type WordPressCall, WordPressError, type WordPressReply } from "./wordpress-request.ts";
import { apiAddress, siteAddress } from "./wordpress-site.ts";

export async function listPosts(call: WordPressCall): Promise<WordPressReply> {
  const { deps, sender, request } = call;
  const { search, slug } = request.query;
  const include = readInclude(request.query);
  const slugs = slug === undefined ? null : new Set(slug.split(",").map((one) => one.trim().toLowerCase()));
  const wanted = search?.trim().toLowerCase() ?? "";
  const all = (await posts.listPosts(deps, sender)).filter(
    (post) =>
      (include === null || include.has(post.number)) &&
      (slugs === null || slugs.has(post.slug.toLowerCase())) &&
      post.title.toLowerCase().includes(wanted),
  );
  const { page, headers } = toPage(all, request.query);
  const shown = await Promise.all(page.map(({ number }) => posts.showPost(deps, sender, number)));
  return { headers, body: shown.flatMap((post) => (post === undefined ? [] : [present(call, post)])) };
}

export async function getPost(call: WordPressCall): Promise<WordPressReply> {
  return { body: await show(call) };
}

/** The number is in the stored request, so that whoever reads it finds it there. */
export async function createPost(call: WordPressCall): Promise<WordPressReply> {
  const { deps, sender, request, body } = call;
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(request.query)}\n`), body]);
  const number = await posts.numberPost(deps, sender, content);
  const shown = await save({ ...call, numbers: [number], request: { ...request, path: `${request.path}/${number}` } });
  return { status: 201, headers: { Location: `${apiAddress(call)}/wp/v2/posts/${number}` }, body: shown };
}

export async function changePost(call: WordPressCall): Promise<WordPressReply> {
  await requirePost(call);
  return { body: await save(call) };
}

/** Asks for the removal, which people decide: the post is answered as it is. */
export async function removePost(call: WordPressCall): Promise<WordPressReply> {
  const previous = await show(call);
  await store(call);
  return { body: isYes(call.request, "force") ? { deleted: false, previous } : previous };
}

async function save(call: WordPressCall) {
  const isUnderstood = await store(call);
  const number = call.numbers[0] ?? 0;
  const shown = isUnderstood ? await posts.showPost(call.deps, call.sender, number) : undefined;
  return shown === undefined ? presentWaiting(call, number) : present(call, shown);
}

/** @returns whether it is known what became of it; it is stored in any case. @throws WordPressError for what cannot be a post. */
async function store(call: WordPressCall): Promise<boolean> {
  const { deps, sender, request, body } = call;
  const { outcome } = (await receive(deps, sender, request, body, call)).arrival;
  if (outcome === null) return false;
  const problem = findProblem(outcome);
  if (problem === null) return true;
  throw new WordPressError(400, "rest_invalid_param", problem);
}

/** @throws WordPressError if there is no such post. */
async function show(call: WordPressCall) {
  const { deps, sender, request, numbers } = call;
  const [number = 0] = numbers;
  // Before the post is read: meanwhile it may be saved.
  const isNew = await isReceived(deps, sender, "path", request.path);
  const post = await posts.showPost(deps, sender, number);
  if (post !== undefined) return present(call, post);
  if (!isNew) throw unknownPost();
  return presentWaiting(call, number);
}

/** Also one that is in the trash, or is not understood yet: what is sent is held, or done in its turn. */
async function requirePost({ deps, sender, numbers: [number = 0] }: WordPressCall): Promise<void> {
  if (!(await posts.isPost(deps, sender, number))) throw unknownPost();
}

function unknownPost(): WordPressError {
  return new WordPressError(404, "rest_post_invalid_id", "Invalid post ID.");
}

function isYes({ query }: ArrivalRequest, name: string): boolean {
  return ["1", "true"].includes(query[name] ?? "");
}

function present(call: WordPressCall, post: posts.ShownPost) {
  const { article, input, html, website, changedAt } = post.sent;
  const { title = article.title, slug, excerpt, metaTitle, metaDescription, targetKeyword } = input;
  const date = toWordPressTime(article.publishedAt ?? article.publishAt ?? article.createdAt);
  const modified = toWordPressTime(changedAt);
  const summary = excerpt ?? "";
  return {
    ...toFrame(call, post.number),
    date,
    date_gmt: date,
    modified,
    modified_gmt: modified,
    slug: slug ?? article.slug,
    status: toStatus(post),
    link: article.platformUrl ?? patternUrl(website, article) ?? previewLink(call, post.number),
    title: { raw: title, rendered: escape(title) },
    content: { raw: html, rendered: html, protected: false, block_version: 0 },
    excerpt: { raw: summary, rendered: summary === "" ? "" : `<p>${escape(summary)}</p>\n`, protected: false },
    featured_media: post.featuredMedia,
    meta: {
      ...(metaTitle == null ? {} : { _yoast_wpseo_title: metaTitle }),
      ...(metaDescription == null ? {} : { _yoast_wpseo_metadesc: metaDescription }),
      ...(targetKeyword == null ? {} : { _yoast_wpseo_focuskw: targetKeyword }),
    },
    categories: post.categories.length === 0 ? [posts.UNCATEGORIZED.number] : post.categories,
    tags: post.tags,
  };
}

/** What is received and not read yet. */
function presentWaiting(call: WordPressCall, number: number) {
  const now = toWordPressTime(call.deps.clock());
  return {
    ...toFrame(call, number),
    date: now,
    date_gmt: now,
    modified: now,
    modified_gmt: now,
    slug: "",
    status: "pending",
    link: previewLink(call, number),
    title: { raw: "", rendered: "" },
    content: { raw: "", rendered: "", protected: false, block_version: 0 },
    excerpt: { raw: "", rendered: "", protected: false },
    featured_media: 0,
    meta: {},
    categories: [],
    tags: [],
  };
}

function toFrame(call: WordPressCall, number: number) {
  const link = previewLink(call, number);
  const api = `${apiAddress(call)}/wp/v2`;
  return {
    id: number,
    guid: { rendered: link, raw: link },
    password: "",
    type: "post",
    author: 1,
    comment_status: "closed",
    ping_status: "closed",
    sticky: false,
    template: "",
    format: "standard",
    _links: {
      self: [{ href: `${api}/posts/${number}` }],
      collection: [{ href: `${api}/posts` }],
      about: [{ href: `${api}/types/post` }],
      author: [{ embeddable: true, href: `${api}/users/1` }],
    },
  };
}

function previewLink(call: WordPressCall, number: number): string {
  return `${siteAddress(call)}/?p=${number}`;
}

/** `pending` is what WordPress calls a post whose publication somebody has to allow. */
function toStatus({ sent: { article }, isAskedFor }: posts.ShownPost): string {
  if (article.status === "published") return "publish";
  if (article.publishAt !== null) return "future";
  return isAskedFor || article.status === "approved" ? "pending" : "draft";
}

/** Without a zone: the site's is UTC. */
export function toWordPressTime(at: Millis): string {
  return new Date(at).toISOString().slice(0, 19);
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
