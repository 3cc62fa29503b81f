import type { ArticleInput } from "../../../domain/articles/article.ts";
import { type Dialect, SENDER_FIELDS, type SenderField } from "../../../domain/articles/senders/dialect.ts";
import { DIALECTS, findDialect } from "../../../domain/articles/senders/dialects.ts";
import type { Arrival, ArrivedArticle, Sender } from "../../../domain/articles/senders/sender.ts";
import { isoTime, isoTimeOrNull } from "../../../domain/system/time.ts";
import { getArrival, listArrivals, runAgain, runAllAgain } from "../../../operations/articles/senders/arrivals.ts";
import { type ArrivalDeps, dialectOf } from "../../../operations/articles/senders/receive.ts";
import { trySample } from "../../../operations/articles/senders/sample.ts";
import {
  changeSender,
  createSender,
  deleteSender,
  getSender,
  listSenders,
  rotateSender,
  type SenderWithCounts,
} from "../../../operations/articles/senders/senders.ts";
import { getBaseUrl } from "../../connection/proxies.ts";
import { SENDERS_PREFIX } from "../admin-options.ts";
import {
  arrivalDetail,
  arrivalPage,
  arrivalParameters,
  rotation,
  runAgainResult,
  sampleInput,
  sampleResult,
  sender,
  senderChange,
  senderInput,
  senderKindList,
  senderList,
  senderMade,
} from "../contract/senders.ts";
import { idParams } from "../contract/session.ts";
import { ofWebsite } from "../contract/websites.ts";
import { readCursor, writeCursor } from "../parameters.ts";
import { quoted } from "../people/api-keys.ts";
import { type Admin, type AdminServer, getOrigin } from "../routes.ts";
import type { FastifyRequest } from "fastify";

const ARRIVALS = 25;
/** A longer body is shown in its beginning. */
const MAX_SHOWN_BODY = 1_000_000;
/** What a sample shows of a text. */
const MAX_SHOWN_VALUE = 600;

const onNamed = { access: { may: "keys.manage", on: "named" } } as const;
const onSender = { access: { may: "keys.manage", on: "sender" } } as const;
const onArrival = { access: { may: "keys.manage", on: "arrival" } } as const;

export function senderManagementRoutes(app: AdminServer, admin: Admin): void {
  const { deps, publicUrl, onError } = admin;
  const arrivalDeps: ArrivalDeps = { ...deps, publicUrl, onError };
  const getAddress = ({ raw }: FastifyRequest, { id }: Sender) =>
    `${getBaseUrl(raw, publicUrl).replace(/\/$/, "")}${SENDERS_PREFIX}${id}`;
  const show = async (request: FastifyRequest, id: string) => {
    const found = await getSender(deps, id);
    return present(found, getAddress(request, found.sender));
  };

  app.get(
    "/senders",
    { config: onNamed, schema: { querystring: ofWebsite, response: { 200: senderList } } },
    async (request) => {
      const senders = await listSenders(deps, request.query.website_id);
      return { senders: senders.map((one) => present(one, getAddress(request, one.sender))) };
    },
  );

  app.get(
    "/senders/kinds",
    { config: onNamed, schema: { querystring: ofWebsite, response: { 200: senderKindList } } },
    async () => ({ kinds: DIALECTS.map(presentKind) }),
  );

  app.post(
    "/senders",
    { config: onNamed, schema: { body: senderInput, response: { 201: senderMade } } },
    async (request, reply) => {
      const { website_id: websiteId, kind, name, secret = null } = request.body;
      const made = await createSender(deps, websiteId, { kind, name, secret }, getOrigin(admin, request));
      return reply.code(201).send(await presentMade(request, made));
    },
  );

  app.get(
    "/senders/:id",
    { config: onSender, schema: { params: idParams, response: { 200: sender } } },
    async (request) => show(request, request.params.id),
  );

  app.patch(
    "/senders/:id",
    { config: onSender, schema: { params: idParams, body: senderChange, response: { 200: sender } } },
    async (request) => {
      await changeSender(deps, request.params.id, request.body, getOrigin(admin, request));
      return show(request, request.params.id);
    },
  );

  app.delete("/senders/:id", { config: onSender, schema: { params: idParams } }, async (request, reply) => {
    await deleteSender(deps, request.params.id, getOrigin(admin, request));
    return reply.code(204).send();
  });

  app.post(
    "/senders/:id/rotate",
    { config: onSender, schema: { params: idParams, body: rotation, response: { 200: senderMade } } },
    async (request) => {
      const { secret = null } = request.body;
      return presentMade(request, await rotateSender(deps, request.params.id, secret, getOrigin(admin, request)));
    },
  );

  app.post(
    "/senders/:id/sample",
    { config: onSender, schema: { params: idParams, body: sampleInput, response: { 200: sampleResult } } },
    async (request) => {
      const { arrival_id: arrivalId = null, ...mapping } = request.body;
      const { understood, reply } = await trySample(deps, request.params.id, { arrivalId, ...mapping });
      const { kind, event, problem, articles } = understood;
      return { kind, event, problem, articles: articles.map(presentRead), reply };
    },
  );

  app.get(
    "/senders/:id/arrivals",
    {
      config: onSender,
      schema: { params: idParams, querystring: arrivalParameters, response: { 200: arrivalPage } },
    },
    async (request) => {
      const { state = null, before, limit } = request.query;
      const { arrivals, next } = await listArrivals(deps, request.params.id, {
        state,
        before: readCursor(before, "before"),
        limit: limit === undefined ? ARRIVALS : Number(limit),
      });
      return { arrivals: arrivals.map(presentArrival), next_before: writeCursor(next) };
    },
  );

  app.post(
    "/senders/:id/run-again",
    { config: onSender, schema: { params: idParams, response: { 200: runAgainResult } } },
    async (request) => {
      const { runs, done, needsAttention, waiting } = await runAllAgain(
        arrivalDeps,
        request.params.id,
        getOrigin(admin, request),
      );
      return { runs, done, needs_attention: needsAttention, waiting };
    },
  );

  app.get(
    "/arrivals/:id",
    { config: onArrival, schema: { params: idParams, response: { 200: arrivalDetail } } },
    async (request) => {
      const { arrival, body } = await getArrival(deps, request.params.id);
      return presentDetail(arrival, body);
    },
  );

  app.post(
    "/arrivals/:id/run-again",
    { config: onArrival, schema: { params: idParams, response: { 200: arrivalDetail } } },
    async (request) => {
      await runAgain(arrivalDeps, request.params.id, getOrigin(admin, request));
      const { arrival, body } = await getArrival(deps, request.params.id);
      return presentDetail(arrival, body);
    },
  );

  async function presentMade(
    request: FastifyRequest,
    { sender: made, secret }: { sender: Sender; secret: string | null },
  ) {
    const shown = await show(request, made.id);
    const isPlain = made.kind === "generic" && secret !== null;
    return { sender: shown, secret, curl: isPlain ? writeCurl(shown.address, secret) : null };
  }
}

function writeCurl(address: string, secret: string): string {
  const body = JSON.stringify({ id: "1", title: "A first arrival", content: "<p>Sent from a terminal.</p>" });
  const headers = [`Authorization: Bearer ${secret}`, "Content-Type: application/json"];
  return ["curl", ...headers.map((one) => `-H ${quoted(one)}`), `-d ${quoted(body)}`, quoted(address)].join(" ");
}

function present({ sender: one, arrivals }: SenderWithCounts, address: string) {
  return {
    id: one.id,
    website_id: one.websiteId,
    kind: presentKind(dialectOf(one.kind)),
    name: one.name,
    address,
    mapping: one.mapping,
    created_at: isoTime(one.createdAt),
    last_arrival_at: isoTimeOrNull(one.lastArrivalAt),
    previous_until: isoTimeOrNull(one.previousSecret === null ? null : one.previousUntil),
    needs_attention: arrivals.needsAttention,
    waiting: arrivals.waiting,
  };
}

function presentKind({ kind, name, isTried, secretFrom, setup, sample, protocol }: Dialect) {
  return {
    kind,
    name,
    is_tried: isTried,
    secret_from: secretFrom,
    setup,
    has_sample: sample !== undefined,
    is_for_any: protocol !== undefined || kind === "generic",
    can_map: protocol === undefined,
  };
}

function presentArrival({ id, senderId, at, state, request, bytes, outcome }: Arrival) {
  return {
    id,
    sender_id: senderId,
    at: isoTime(at),
    state,
    method: request.method,
    path: request.path,
    bytes,
    kind: outcome?.kind ?? null,
    event: outcome?.event ?? null,
    problem: outcome?.problem ?? null,
    resembles: (outcome?.resembles ?? []).flatMap((kind) => {
      const found = findDialect(kind);
      return found === undefined ? [] : [{ kind, name: found.name }];
    }),
    articles: (outcome?.articles ?? []).map((article) => ({
      external_id: article.externalId,
      title: article.title,
      outcome: article.outcome,
      article_id: article.articleId,
      message: article.message,
    })),
  };
}

function presentDetail(arrival: Arrival, body: string | null) {
  const { request, outcome } = arrival;
  return {
    arrival: presentArrival(arrival),
    query: toPairs(request.query),
    headers: toPairs(request.headers),
    body: body?.slice(0, MAX_SHOWN_BODY) ?? null,
    is_cut: body !== null && body.length > MAX_SHOWN_BODY,
    places: (outcome?.articles ?? []).map(({ externalId, title, places }) => ({
      external_id: externalId,
      title,
      fields: TAKEN.flatMap((field) => {
        const place = places[field];
        return place === undefined ? [] : [{ field, place }];
      }),
    })),
  };
}

const TAKEN = ["id", ...SENDER_FIELDS] as const;

function toPairs(values: Readonly<Record<string, string>>) {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** What would be stored of an article. */
function presentRead({ externalId, input, places, problem }: ArrivedArticle) {
  const value: Partial<Record<SenderField, string | null | undefined>> = {
    title: input.title,
    slug: input.slug,
    html: input.markdown === undefined ? input.content : undefined,
    markdown: input.markdown,
    excerpt: input.excerpt,
    meta_description: input.metaDescription,
    meta_title: input.metaTitle,
    image: input.featuredImageUrl,
    image_alt: input.featuredImageAlt,
    language: input.language,
    keyword: input.targetKeyword,
    keywords: list(input.seoKeywords),
    tags: list(input.tags),
    categories: list(input.categories),
    author: list(input.authors?.map(({ name }) => name)),
    published_at: describeTime(input),
    status: input.status === "published" ? "asks to be published; a person decides" : undefined,
    canonical_url: input.canonicalUrl,
  };
  const fields = SENDER_FIELDS.flatMap((field) => {
    const text = value[field];
    if (text === undefined || text === null || text === "") return [];
    return [{ field, value: shorten(text), place: findPlace(places, field) }];
  });
  return {
    external_id: externalId,
    problem,
    fields: [{ field: "id" as const, value: externalId, place: places.id ?? null }, ...fields],
  };
}

/** A text is stored as HTML or Markdown, whatever it was called. */
function findPlace(places: ArrivedArticle["places"], field: SenderField): string | null {
  return places[field] ?? (field === "html" || field === "markdown" ? places.content : undefined) ?? null;
}

function describeTime({ publishedAt, publishAt }: ArticleInput): string | null {
  return isoTimeOrNull(publishedAt ?? publishAt ?? null);
}

function list(values: readonly string[] | undefined): string | undefined {
  return values?.join(", ");
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN_VALUE ? `${text.slice(0, MAX_SHOWN_VALUE)}…` : text;
}
