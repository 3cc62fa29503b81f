/** The codes of refused requests. They never change; docs/reference/errors.md is generated from these tables. */

interface RefusalCode {
  status: number;
  means: string;
  /** What to do about it. */
  remedy: string;
}

/** Of the read API, in the header `X-Error-Code`. */
export const READ_ERRORS = {
  invalid_parameter: {
    status: 400,
    means: "A parameter is malformed; `param` names it.",
    remedy: "Correct the parameter.",
  },
  duplicate_parameter: { status: 400, means: "A parameter is given twice.", remedy: "Give it once." },
  unknown_parameter: {
    status: 400,
    means: "With `strict=1`: there is no such parameter.",
    remedy: "Correct its name, or leave it out.",
  },
  unsupported_version: {
    status: 400,
    means: "`Accept-Version` names a version other than `v1`.",
    remedy: "Send `v1`, or leave the header out.",
  },
  key_missing: { status: 401, means: "The request has no API key.", remedy: "Send the key in `X-API-Key`." },
  key_unknown: { status: 401, means: "There is no such API key.", remedy: "Check the key, and the service's address." },
  key_revoked: { status: 401, means: "The API key was revoked.", remedy: "Use a new key." },
  key_expired: { status: 401, means: "The API key has expired.", remedy: "Use a new key." },
  status_forbidden: {
    status: 403,
    means: "A key of scope `published` asked for another status.",
    remedy: "Leave `status` out, or use a key of scope `preview`.",
  },
  article_not_approved: {
    status: 403,
    means: "The article is pending, or the text of pending articles was asked for.",
    remedy: "Ask again when the article is approved.",
  },
  article_not_published: {
    status: 403,
    means: "The article is approved, and not yet published.",
    remedy: "Ask again when it is published.",
  },
  preview_ended: {
    status: 403,
    means: "The preview has expired or was revoked.",
    remedy: "Open the preview from the dashboard again.",
  },
  article_not_found: {
    status: 404,
    means: "The website has no such article, or it was deleted.",
    remedy: "Take the id or slug from the list.",
  },
  no_such_endpoint: { status: 404, means: "The API has no such address.", remedy: "Correct the address." },
  method_not_allowed: { status: 405, means: "The method is not GET or HEAD.", remedy: "Use GET or HEAD." },
  article_gone: {
    status: 410,
    means: "By slug: the article was published, and was deleted at `deleted_at`.",
    remedy: "Take its page down.",
  },
  rate_limited: {
    status: 429,
    means: "The key sends more requests than its rate limit allows.",
    remedy: "Wait as long as `Retry-After` says.",
  },
  too_many_unknown_keys: {
    status: 429,
    means: "Your IP address has sent more than 100 unknown keys within an hour.",
    remedy: "Use a valid key after the time in `Retry-After`.",
  },
  busy: {
    status: 429,
    means: "Too many articles with drafts are being read, by keys of scope `preview`.",
    remedy: "Wait as long as `Retry-After` says.",
  },
  internal_error: {
    status: 500,
    means: "The service failed.",
    remedy: "Try again. If it fails again, give the operator the request's id.",
  },
  database_unavailable: {
    status: 503,
    means: "The database cannot be used at the moment.",
    remedy: "Wait as long as `Retry-After` says.",
  },
  service_unavailable: {
    status: 503,
    means: "Something else that the service needs cannot be used, such as a full disk.",
    remedy: "Wait as long as `Retry-After` says.",
  },
  stopping: { status: 503, means: "This process is stopping.", remedy: "Try again in a second." },
} as const satisfies Record<string, RefusalCode>;

export type ReadErrorCode = keyof typeof READ_ERRORS;

/** Of the management API, in `code`. */
export const MANAGEMENT_ERRORS = {
  invalid: {
    status: 400,
    means: "Something is malformed, or a field does not exist; `param` names it.",
    remedy: "Correct the request.",
  },
  unauthenticated: {
    status: 401,
    means: "There is no access token, or it is unknown, revoked or expired.",
    remedy: "Send a valid token.",
  },
  forbidden: {
    status: 403,
    means: "The token's scope does not allow this, or the request names another website.",
    remedy: "Use a token of the scope that the message names.",
  },
  not_found: { status: 404, means: "The website has no such article.", remedy: "Check the id." },
  method_not_allowed: { status: 405, means: "The address has other methods.", remedy: "Use one that `Allow` names." },
  conflict: {
    status: 409,
    means: "The article's state does not allow this; or it exists already.",
    remedy: "Choose one of the actions in `allowed`.",
  },
  integrity: {
    status: 409,
    means: "[Findings](../quality-metrics.md#the-gate) block the article; `findings` names them.",
    remedy: "Correct the text, or let a person accept the findings.",
  },
  under_way: {
    status: 409,
    means: "The first request with this idempotency key is not yet answered.",
    remedy: "Repeat it after the time in `Retry-After`.",
  },
  stale: {
    status: 412,
    means: "Somebody has changed the article since the version in `If-Match`.",
    remedy: "Read the article again, then repeat the change.",
  },
  too_large: { status: 413, means: "The body is too large.", remedy: "Send less." },
  unsupported_media_type: {
    status: 415,
    means: "The body has a type that this request does not take.",
    remedy: "Send the type that the message names.",
  },
  loss: {
    status: 422,
    means: "More than a tenth of the text's words would be lost.",
    remedy: "Correct the text, or send `accept_loss=true`.",
  },
  idempotency_key_reused: {
    status: 422,
    means: "Another request had this idempotency key.",
    remedy: "Send a new key.",
  },
  too_expensive: {
    status: 422,
    means: "The text takes too much time or memory to process.",
    remedy: "Simplify or divide the text.",
  },
  precondition_required: {
    status: 428,
    means: "`If-Match` is missing.",
    remedy: "Send the article's etag, or `*` for any version.",
  },
  too_many_requests: {
    status: 429,
    means: "The token sends too many requests, or the service has too much to do.",
    remedy: "Wait as long as `Retry-After` says.",
  },
  internal_error: {
    status: 500,
    means: "The service failed.",
    remedy: "Try again. If it fails again, give the operator the request's id.",
  },
  unavailable: {
    status: 503,
    means: "The service cannot answer at the moment.",
    remedy: "Wait as long as `Retry-After` says.",
  },
} as const satisfies Record<string, RefusalCode>;

export type ManagementErrorCode = keyof typeof MANAGEMENT_ERRORS;
