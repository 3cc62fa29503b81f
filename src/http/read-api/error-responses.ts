/** The refusals of the read API. Their codes, sent as `X-Error-Code`, never change; the sentences may. */
import type { ArticleStatus } from "../../domain/articles/article.ts";
import { isoTime, type Millis } from "../../domain/system/time.ts";
import type { ReadErrorCode } from "../error-codes.ts";
import { type ErrorReply, refusal } from "../errors.ts";
import type { AuthenticatedKey } from "./key-auth.ts";
import { ARTICLES } from "./routes.ts";

export const NO_ENDPOINT = refusal(404, `There is nothing here; the articles are at ${ARTICLES}.`, {
  code: "no_such_endpoint",
});

export const ONLY_READS = refusal(405, "This API is read-only: use GET or HEAD.", {
  headers: { Allow: "GET, HEAD" },
  code: "method_not_allowed",
});

export const STOPPING = refusal(503, "This process is stopping; try again in a second.", {
  headers: { "Retry-After": "1" },
  code: "stopping",
});

export const NO_KEY = unauthorized("Send your API key: put a valid API key in the X-API-Key header.", "key_missing");

/** Why a key is refused: the error code, and the words. */
const KEY_STATES = {
  unknown: { code: "key_unknown", words: "not known here" },
  revoked: { code: "key_revoked", words: "revoked" },
  expired: { code: "key_expired", words: "expired" },
} as const;

export function keyRefused(state: keyof typeof KEY_STATES): ErrorReply {
  const { code, words } = KEY_STATES[state];
  return unauthorized(`This API key is ${words}: put a valid API key in the X-API-Key header.`, code);
}

function unauthorized(message: string, code: ReadErrorCode): ErrorReply {
  return refusal(401, message, { headers: { "WWW-Authenticate": 'ApiKey realm="Rostrum", header="X-API-Key"' }, code });
}

export function tooManyRequests({ bucket }: AuthenticatedKey): ErrorReply {
  const wait = bucket?.retryAfterSeconds ?? 1;
  return refusal(429, `Too many requests with this API key; wait ${wait} s, or ask for a higher limit.`, {
    headers: { "Retry-After": String(wait) },
    code: "rate_limited",
  });
}

export function tooManyUnknownKeys(waitSeconds: number): ErrorReply {
  return refusal(
    429,
    `Too many requests with unknown API keys from this address; wait ${waitSeconds} s and use a valid one.`,
    { headers: { "Retry-After": String(waitSeconds) }, code: "too_many_unknown_keys" },
  );
}

export function statusForbidden(status: ArticleStatus): ErrorReply {
  return refusal(403, `This API key reads published articles only; leave out status=${status}.`, {
    code: "status_forbidden",
  });
}

export const NO_ARTICLE = refusal(404, "There is no article with this id; take the id from the list.", {
  code: "article_not_found",
});

export const NO_SLUG = refusal(404, "There is no article with this slug; take the slug from the list.", {
  code: "article_not_found",
});

/** By slug only: by its id such an article is a 404. */
export function gone(deletedAt: Millis): ErrorReply {
  const message = "The article with this slug was deleted; take its page down.";
  const reply = refusal(410, message, { code: "article_gone" });
  return { ...reply, body: { ...reply.body, deleted_at: isoTime(deletedAt) } };
}

export const NOT_APPROVED = refusal(
  403,
  "This article exists but is not approved or published yet; ask again when it is.",
  { code: "article_not_approved" },
);

export const NOT_PUBLISHED = refusal(403, "This article is not published; ask again when it is.", {
  code: "article_not_published",
});

export const PENDING_TEXT = refusal(
  403,
  "Pending articles are listed without their text; leave out content, toc and q.",
  {
    code: "article_not_approved",
  },
);

export const PREVIEW_ENDED = refusal(
  403,
  "This preview has expired or was revoked; open the preview again from the dashboard.",
  { code: "preview_ended" },
);
