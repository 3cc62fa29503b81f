/** `components/responses`: every error response, with the bodies that are sent. */
import type { Type } from "typebox";
import { badRequest, goneError, internalError, refused } from "./responses.ts";
import { ALWAYS, headers, type HeaderName, OF_KEY } from "./headers.ts";

interface ErrorExample<T> {
  summary: string;
  value: T;
}

function error<Schema extends Type.TSchema>(
  description: string,
  names: readonly HeaderName[],
  schema: Schema,
  examples: Record<string, ErrorExample<Type.Static<Schema>>>,
) {
  return {
    description,
    headers: headers(...names, "X-Error-Code"),
    content: { "application/json": { schema, examples } },
  };
}

const said = (error: string, message: string, summary: string) => ({ summary, value: { error, message } });
const wrong = (param: string, message: string, summary: string) => ({
  summary,
  value: { error: "Bad Request", message, param },
});

export const RESPONSES = {
  NotModified: {
    description:
      "Nothing has changed since the ETag in If-None-Match. There is no body. It does not count against the rate limit.",
    headers: headers(...OF_KEY, "ETag"),
  },
  BadRequest: error(
    "A parameter is malformed or given twice, or ignored by a request with `strict=1`; `param` names it.",
    OF_KEY,
    badRequest,
    {
      limit: wrong("limit", "limit must be a whole number of at least 1.", "limit=0"),
      offset: wrong("offset", "offset must be a whole number of at least 0.", "offset=-1"),
      status: wrong("status", "status must be one of published, approved, pending.", "status=draft"),
      debug: wrong("debug", "debug must be true or false.", "debug=yes"),
      twice: wrong("limit", "limit is given twice; give it once.", "limit=1&limit=2"),
      id: wrong(
        "id",
        "The id is not a UUID; use the id that the list gives, such as 0198a3b2-….",
        "/api/public/articles/latest",
      ),
      time: wrong(
        "updated_since",
        "updated_since must be an ISO 8601 time, such as 2026-01-31T12:00:00.000Z.",
        "updated_since=yesterday",
      ),
      version: wrong(
        "Accept-Version",
        "This API has exactly one version: send Accept-Version: v1, or leave the header out.",
        "Accept-Version: v2",
      ),
    },
  ),
  Unauthorized: error("The key is missing, unknown, revoked or expired.", [...ALWAYS, "WWW-Authenticate"], refused, {
    missing: said("Unauthorized", "Send your API key: put a valid API key in the X-API-Key header.", "Without a key"),
    unknown: said(
      "Unauthorized",
      "This API key is not known here: put a valid API key in the X-API-Key header.",
      "A key that does not exist",
    ),
    revoked: said(
      "Unauthorized",
      "This API key is revoked: put a valid API key in the X-API-Key header.",
      "A key that was revoked",
    ),
    expired: said(
      "Unauthorized",
      "This API key is expired: put a valid API key in the X-API-Key header.",
      "A key that has expired",
    ),
  }),
  StatusForbidden: error(
    "The key's scope is `published`, and another status was asked for; or the text of pending articles.",
    OF_KEY,
    refused,
    {
      scope: said(
        "Forbidden",
        "This API key reads published articles only; leave out status=pending.",
        "status=pending with a key of scope published",
      ),
      text: said(
        "Forbidden",
        "Pending articles are listed without their text; leave out content, toc and q.",
        "status=pending&include=content",
      ),
    },
  ),
  ArticleForbidden: error("The article exists, but may not be read now.", OF_KEY, refused, {
    pending: said(
      "Forbidden",
      "This article exists but is not approved or published yet; ask again when it is.",
      "A pending article",
    ),
    approved: said(
      "Forbidden",
      "This article is not published; ask again when it is.",
      "An approved article by its slug, or with a key of scope `published`",
    ),
  }),
  NotFound: error(
    "The website has no such article: it never existed, it was deleted, or it is another website's.",
    OF_KEY,
    refused,
    {
      notFound: said(
        "Not Found",
        "There is no article with this id; take the id from the list.",
        "An id that does not exist",
      ),
    },
  ),
  Gone: error(
    "The article that was published under this slug was deleted. By its id it is a 404, and so it is here once it has left the trash for good.",
    OF_KEY,
    goneError,
    {
      deleted: {
        summary: "The slug of a deleted article",
        value: {
          error: "Gone",
          message: "The article with this slug was deleted; take its page down.",
          deleted_at: "2026-04-01T16:02:45.871Z",
        },
      },
    },
  ),
  MethodNotAllowed: error("Another method than GET or HEAD.", [...ALWAYS, "Allow"], refused, {
    post: said("Method Not Allowed", "This API is read-only: use GET or HEAD.", "POST"),
  }),
  TooManyRequests: error("Too many requests: wait as long as Retry-After says.", [...OF_KEY, "Retry-After"], refused, {
    key: said(
      "Too Many Requests",
      "Too many requests with this API key; wait 1 s, or ask for a higher limit.",
      "A key above its limit",
    ),
    address: said(
      "Too Many Requests",
      "Too many requests with unknown API keys from this address; wait 36 s and use a valid one.",
      "An address that tried 100 unknown keys within an hour (without RateLimit headers)",
    ),
  }),
  InternalServerError: error("The service failed. Report the request's id to the operator.", ALWAYS, internalError, {
    unexpected: {
      summary: "An unexpected error",
      value: {
        error: "Internal Server Error",
        message: "The service failed; try again, and give the operator the request's id if it fails again.",
        details: "unexpected error; request tea-1-9f3c2a-k7",
      },
    },
  }),
  ServiceUnavailable: error(
    "The database cannot be used at the moment. Try again when Retry-After has passed.",
    [...ALWAYS, "Retry-After"],
    refused,
    {
      database: said(
        "Service Unavailable",
        "The database cannot be used at the moment; try again in a second.",
        "The database cannot be reached",
      ),
    },
  ),
};

export type ResponseName = keyof typeof RESPONSES;
