/**
 * Every route of the dashboard's API and of the management API, with who may use it. A route that is added must be added here.
 */
import { BULK_VERBS, VERBS } from "../../src/domain/articles/verbs.ts";
import type { Role } from "../../src/domain/people/permissions.ts";
import type { Json } from "../helpers/http.ts";

/** A website with one thing of every kind; all are ids. */
export interface Site {
  website: string;
  article: string;
  picture: string;
  revision: string;
  key: string;
  /** An access token. */
  token: string;
  webhook: string;
  delivery: string;
  sender: string;
  arrival: string;
  /** A membership of that website. */
  member: string;
  /** Where a webhook may send. */
  receiver: string;
}

/** What the address, the query or the body names. `everywhere`: no website, so every one is meant. */
type ResourceKind =
  | "website"
  | "everywhere"
  | "article"
  | "picture"
  | "key"
  | "token"
  | "webhook"
  | "delivery"
  | "sender"
  | "arrival"
  | "member";

export interface Row {
  route: string;
  /** `anyone`: no session is needed; `self`: any signed-in person, on their own account; else the lowest role. */
  least: "anyone" | "self" | Role;
  on?: ResourceKind;
  body?: (site: Site) => Json;
  /** For `If-Match`. */
  etag?: string;
  /** More of the query, beside the website. */
  query?: string;
  /** The body is a file; of this type if it is not an octet stream. */
  isFile?: true | "application/x-ndjson";
  /** The answer has no end. */
  isStream?: true;
  /**
   * What it does with second factors of the person's own account: who has one must have shown it where a website asks for it.
   */
  factors?: "added" | "removed";
  /**
   * It opens or closes somebody's whole account: a factor counts that any website asks for whose members the person manages.
   */
  opensAccount?: true;
  /** Mail services call it by a token; it looks at no cookie. */
  fromAnywhere?: true;
  /**
   * The request can be made only once, because it uses up or changes its target: each person who may make it gets a target of
   * their own.
   */
  usesUp?: true;
  /**
   * The status for those who may make the request; default 200. 409: the request names a version that does not exist, so
   * nothing changes.
   */
  status?: number;
}

const NOBODYS = "01a1fdf4-0000-7000-8000-000000000000";
const STALE = { version: 999_999 };
const NEVER = "1970-01-01T00:00:00.000Z";
const CHANGES = { title: "Changed" };
const WRONG = { current_password: "not the password" };
const named =
  (more: Json = {}) =>
  (site: Site) => ({ website_id: site.website, ...more });
const webhookInput = (site: Site) => named({ url: site.receiver })(site);
let count = 0;
const somebody = () => ({ email: `invited${++count}@example.com`, role: "viewer" });

export const ROWS: readonly Row[] = [
  { route: "POST /session", least: "anyone", body: () => ({ email: "" }), status: 400 },
  { route: "POST /session/passkey", least: "anyone", body: () => ({}), status: 400 },
  { route: "POST /session/passkey/options", least: "anyone", body: () => ({}), status: 409 },
  { route: "POST /guest-review", least: "anyone", body: () => ({}), status: 400 },
  { route: "POST /guest-review/decision", least: "anyone", body: () => ({}), status: 400 },
  { route: "POST /guest-review/comments", least: "anyone", body: () => ({}), status: 400 },
  { route: "POST /guest-review/replies", least: "anyone", body: () => ({}), status: 400 },
  { route: "POST /welcome", least: "anyone", body: () => ({}), status: 400 },
  { route: "POST /welcome/link", least: "anyone", body: () => ({}), status: 400 },

  { route: "GET /session", least: "self" },
  { route: "POST /session/confirm", least: "self", body: () => WRONG, status: 400 },
  { route: "GET /sessions", least: "self" },
  { route: `DELETE /sessions/${NOBODYS}`, least: "self", status: 404 },
  { route: "PUT /password", least: "self", body: () => ({ ...WRONG, password: "" }), status: 400 },
  { route: "PATCH /account", least: "self", body: () => ({ name: "n".repeat(201) }), status: 400 },
  { route: "GET /forgotten-password", least: "anyone" },
  { route: "POST /forgotten-password", least: "anyone", body: () => ({}), status: 400 },
  { route: "POST /confirm-email", least: "anyone", body: () => ({}), status: 400 },
  { route: "GET /unsubscribe", least: "anyone", status: 400 },
  { route: "POST /unsubscribe", least: "anyone", fromAnywhere: true, body: () => ({}), status: 400 },
  { route: "POST /unsubscribe/link", least: "anyone", body: () => ({}), status: 400 },
  { route: "POST /undo-email", least: "anyone", body: () => ({}), status: 400 },
  { route: "GET /account/email", least: "self" },
  { route: "PUT /account/email", least: "self", body: () => ({}), status: 400 },
  { route: "DELETE /account/email", least: "self", status: 204 },
  { route: "GET /inbox", least: "self" },
  { route: "GET /inbox/unread", least: "self" },
  { route: "POST /inbox/read", least: "self", body: () => ({ ids: [NOBODYS], read: true }), status: 204 },
  { route: "POST /inbox/read-all", least: "self", body: () => ({ until: NEVER }), status: 204 },
  { route: "GET /notification-settings", least: "self" },
  {
    route: "PUT /notification-settings",
    least: "self",
    body: () => ({ mail: "daily", muted: ["comment"], time_zone: "Europe/Berlin" }),
    status: 204,
  },
  { route: "GET /totp", least: "self" },
  { route: "POST /totp", least: "self", factors: "added", body: () => ({}), status: 400 },
  { route: "PUT /totp", least: "self", factors: "added", body: () => ({ code: "000000" }), status: 409 },
  { route: "DELETE /totp", least: "self", factors: "removed", body: () => ({}), status: 400 },
  { route: "POST /totp/recovery-codes", least: "self", factors: "added", body: () => ({}), status: 400 },
  { route: "GET /passkeys", least: "self" },
  { route: "POST /passkeys", least: "self", factors: "added", body: () => ({}), status: 400 },
  { route: "POST /passkeys/options", least: "self", factors: "added", body: () => ({}), status: 400 },
  { route: `DELETE /passkeys/${NOBODYS}`, least: "self", factors: "removed", status: 404 },

  { route: "GET /members", least: "owner", on: "website" },
  { route: "GET /members", least: "owner", on: "everywhere" },
  {
    route: "POST /members",
    least: "owner",
    on: "website",
    opensAccount: true,
    body: (site) => named(somebody())(site),
    status: 201,
  },
  { route: "POST /members", least: "owner", on: "everywhere", opensAccount: true, body: somebody, status: 201 },
  { route: "POST /members/:id/invitation", least: "owner", on: "member", opensAccount: true, body: () => ({}) },
  { route: "PATCH /members/:id", least: "owner", on: "member", body: () => ({ role: "viewer" }) },
  { route: "DELETE /members/:id", least: "owner", on: "member", usesUp: true, status: 204 },
  { route: "GET /audit", least: "owner", on: "website" },
  { route: "GET /audit", least: "owner", on: "everywhere" },

  { route: "POST /websites", least: "owner", on: "everywhere", body: () => ({ name: "New" }), status: 201 },
  { route: "GET /websites/:id", least: "viewer", on: "website" },
  { route: "GET /websites/:id/contents", least: "owner", on: "website" },
  { route: "GET /websites/:id/index-now", least: "owner", on: "website" },
  {
    route: `DELETE /websites/${NOBODYS}`,
    least: "owner",
    on: "everywhere",
    body: () => ({ name: "Its name" }),
    status: 404,
  },
  { route: "PATCH /websites/:id", least: "owner", on: "website", body: () => ({ name: "Renamed" }) },

  { route: "GET /overview", least: "viewer", on: "website" },
  { route: "GET /getting-started", least: "viewer", on: "website" },
  { route: "GET /live", least: "viewer", on: "website", isStream: true },

  { route: "GET /articles", least: "viewer", on: "website", query: "view=pending" },
  { route: "GET /articles/counts", least: "viewer", on: "website" },
  { route: "GET /articles/place", least: "viewer", on: "website", query: `view=pending&id=${NOBODYS}` },
  { route: "GET /articles/assignees", least: "viewer", on: "website" },
  { route: "GET /articles/receivers", least: "approver", on: "website", query: "event=article.deleted" },
  { route: "GET /articles/labels", least: "viewer", on: "website" },
  { route: "GET /exports", least: "viewer", on: "website" },
  { route: "GET /assets", least: "viewer", on: "website" },
  { route: "PATCH /assets/:id", least: "editor", on: "picture", body: () => ({ alt: "Changed" }) },
  { route: "DELETE /assets/:id", least: "approver", on: "picture", usesUp: true, status: 204 },
  { route: "POST /assets/:id/replace", least: "editor", on: "picture", body: () => ({ by: NOBODYS }), status: 404 },
  { route: "POST /assets/delete-unused", least: "approver", on: "website", body: named({ ids: [NOBODYS] }) },
  {
    route: "POST /assets/from-address",
    least: "editor",
    on: "website",
    body: named({ url: "nowhere" }),
    status: 400,
  },
  // The body is no picture.
  { route: "POST /assets", least: "editor", on: "website", query: "name=x.png", isFile: true, status: 400 },
  { route: "POST /imports/stop", least: "editor", on: "website", body: named({ import_id: "none" }) },
  { route: "POST /imports", least: "editor", on: "website", query: "name=x.md&dry_run=true", isFile: true },
  {
    route: "POST /articles",
    least: "editor",
    on: "website",
    body: named({ title: "New", markdown: "x" }),
    status: 201,
  },
  { route: "POST /articles/preview", least: "editor", on: "website", body: named({ changes: CHANGES }) },
  { route: "POST /articles/bulk/stop", least: "viewer", on: "website", body: named({ bulk_id: "none" }) },
  ...BULK_VERBS.flatMap((action): Row[] => {
    const what = { least: VERBS[action].may === "articles.edit" ? "editor" : "approver", on: "website" } as const;
    const input = { reason: "x", publish_at: "2100-01-01T00:00:00.000Z", add_tags: ["x"] };
    return [
      {
        ...what,
        route: `POST /articles/bulk/${action}`,
        // It is answered for each article by itself.
        body: named({ ...input, articles: [{ id: NOBODYS, ...STALE }] }),
      },
      { ...what, route: `POST /articles/bulk/${action}/matching`, body: named({ ...input, view: "all", tag: "None" }) },
    ];
  }),
  { route: "GET /articles/:id", least: "viewer", on: "article" },
  { route: "POST /articles/:id/site-previews", least: "viewer", on: "article", body: () => ({}), status: 409 },
  { route: "DELETE /articles/:id/site-previews", least: "editor", on: "article" },
  { route: "GET /articles/:id/translations", least: "viewer", on: "article" },
  { route: "GET /articles/:id/comments", least: "viewer", on: "article" },
  { route: "GET /articles/:id/mentionable", least: "editor", on: "article" },
  {
    route: "POST /articles/:id/comments",
    least: "editor",
    on: "article",
    body: () => ({ text: "A comment", passage: null }),
    status: 201,
  },
  ...(
    [
      ["POST", "/replies", { text: "A reply" }],
      ["PATCH", "", { text: "Changed", edited_at: null }],
      ["DELETE", "", {}],
      ["POST", "/resolve", {}],
      ["POST", "/reopen", {}],
      ["POST", "/apply", STALE],
    ] as const
  ).map(([method, action, body]): Row => ({
    route: `${method} /articles/:id/comments/${NOBODYS}${action}`,
    least: "editor",
    on: "article",
    body: () => body,
    status: 404,
  })),
  { route: "GET /articles/:id/review-links", least: "approver", on: "article" },
  { route: "POST /articles/:id/review-links", least: "approver", on: "article", body: () => ({}), status: 201 },
  { route: `DELETE /articles/:id/review-links/${NOBODYS}`, least: "approver", on: "article", status: 404 },
  { route: "GET /articles/:id/working-copies", least: "editor", on: "article" },
  {
    route: `PUT /articles/:id/working-copies/${NOBODYS}`,
    least: "editor",
    on: "article",
    body: () => ({ content: "{}" }),
    status: 204,
  },
  { route: `DELETE /articles/:id/working-copies/${NOBODYS}`, least: "editor", on: "article", status: 204 },
  { route: "GET /working-copies", least: "editor", on: "website" },
  {
    route: `PUT /working-copies/${NOBODYS}`,
    least: "editor",
    on: "website",
    body: named({ content: "{}" }),
    status: 204,
  },
  { route: `DELETE /working-copies/${NOBODYS}`, least: "editor", on: "website", status: 204 },
  { route: "GET /articles/:id/presence", least: "viewer", on: "article" },
  { route: "PUT /articles/:id/presence", least: "viewer", on: "article", body: () => ({ activity: "reading" }) },
  { route: "DELETE /articles/:id/presence", least: "viewer", on: "article", query: "activity=reading", status: 204 },
  { route: "GET /articles/:id/history", least: "viewer", on: "article" },
  { route: "GET /articles/:id/comparison", least: "viewer", on: "article" },
  { route: "GET /articles/:id/deliveries", least: "viewer", on: "article" },
  { route: "GET /articles/:id/picture", least: "viewer", on: "article", query: "url=file%3A///x", status: 404 },
  { route: "POST /articles/:id/links", least: "viewer", on: "article", body: () => ({ urls: [] }) },
  { route: "GET /articles/:id/redline-bases", least: "viewer", on: "article" },
  { route: "GET /articles/:id/redline", least: "viewer", on: "article", query: "from=current&to=current" },
  { route: "GET /articles/:id/revisions/:revision", least: "viewer", on: "article" },
  {
    route: "POST /articles/:id/revisions/:revision/restore",
    least: "editor",
    on: "article",
    body: () => STALE,
    status: 409,
  },
  {
    route: "PATCH /articles/:id",
    least: "editor",
    on: "article",
    body: () => ({ ...STALE, changes: CHANGES }),
    status: 409,
  },
  { route: "GET /articles/:id/held", least: "viewer", on: "article" },
  {
    route: "POST /articles/:id/held/apply",
    least: "editor",
    on: "article",
    body: () => ({ ...STALE, source: "x", held_at: NEVER, draft_saved_at: null }),
    status: 409,
  },
  {
    route: "POST /articles/:id/held/drop",
    least: "editor",
    on: "article",
    body: () => ({ source: "x", held_at: NEVER }),
    status: 409,
  },
  {
    route: "POST /articles/:id/override",
    least: "approver",
    on: "article",
    body: () => ({ ...STALE, kinds: [{ kind: "todo", reason: "It is a quotation." }] }),
    status: 409,
  },
  {
    route: "POST /articles/:id/request/tick",
    least: "editor",
    on: "article",
    body: () => ({ at: NEVER, item: 0, is_done: true }),
    status: 409,
  },
  {
    route: "POST /articles/:id/removal-request/decline",
    least: "approver",
    on: "article",
    body: () => ({ at: NEVER }),
    status: 409,
  },
  {
    route: "POST /articles/:id/publication-request/decline",
    least: "approver",
    on: "article",
    body: () => ({ at: NEVER }),
    status: 409,
  },
  {
    route: "DELETE /articles/:id/draft",
    least: "editor",
    on: "article",
    query: `draft_saved_at=${NEVER}`,
    status: 409,
  },
  {
    route: "POST /articles/:id/draft/publish",
    least: "approver",
    on: "article",
    body: () => ({ ...STALE, draft_saved_at: NEVER }),
    status: 409,
  },
  ...["approve", "unapprove", "publish", "approve-and-publish", "unpublish", "delete", "restore"].map(
    (action): Row => ({
      route: `POST /articles/:id/${action}`,
      least: "approver",
      on: "article",
      body: () => STALE,
      status: 409,
    }),
  ),
  ...["submit", "withdraw"].map((action): Row => ({
    route: `POST /articles/:id/${action}`,
    least: "editor",
    on: "article",
    body: () => STALE,
    status: 409,
  })),
  {
    route: "POST /articles/:id/assign",
    least: "editor",
    on: "article",
    body: () => ({ ...STALE, assignee_id: null }),
    status: 409,
  },
  {
    route: "POST /articles/:id/set-author",
    least: "approver",
    on: "article",
    body: () => ({ ...STALE, author_id: null }),
    status: 409,
  },
  {
    route: "POST /articles/:id/approve-and-schedule",
    least: "approver",
    on: "article",
    body: () => ({ ...STALE, publish_at: NEVER }),
    status: 409,
  },
  {
    route: "POST /articles/:id/request-changes",
    least: "approver",
    on: "article",
    body: () => ({ ...STALE, reason: "x" }),
    status: 409,
  },
  {
    route: "POST /articles/:id/schedule",
    least: "approver",
    on: "article",
    body: () => ({ ...STALE, publish_at: null }),
    status: 409,
  },

  { route: "GET /api-keys", least: "owner", on: "website" },
  { route: "POST /api-keys", least: "owner", on: "website", body: named({ name: "New" }), status: 201 },
  { route: "POST /api-keys/:id/revoke", least: "owner", on: "key", body: () => ({}), usesUp: true },
  { route: "GET /access-tokens", least: "owner", on: "website" },
  {
    route: "POST /access-tokens",
    least: "owner",
    on: "website",
    body: named({ name: "New", scope: "draft", expires_at: null }),
    status: 201,
  },
  { route: "POST /access-tokens/:id/revoke", least: "owner", on: "token", body: () => ({}), usesUp: true },
  { route: "GET /senders", least: "owner", on: "website" },
  { route: "GET /senders/kinds", least: "owner", on: "website" },
  {
    route: "POST /senders",
    least: "owner",
    on: "website",
    body: named({ kind: "generic", name: "New" }),
    status: 201,
  },
  { route: "GET /senders/:id", least: "owner", on: "sender" },
  { route: "PATCH /senders/:id", least: "owner", on: "sender", body: () => ({ name: "Renamed" }) },
  { route: "DELETE /senders/:id", least: "owner", on: "sender", usesUp: true, status: 204 },
  { route: "POST /senders/:id/rotate", least: "owner", on: "sender", body: () => ({}) },
  { route: "POST /senders/:id/sample", least: "owner", on: "sender", body: () => ({}) },
  { route: "GET /senders/:id/arrivals", least: "owner", on: "sender" },
  { route: "POST /senders/:id/run-again", least: "owner", on: "sender", body: () => ({}) },
  { route: "GET /arrivals/:id", least: "owner", on: "arrival" },
  { route: "POST /arrivals/:id/run-again", least: "owner", on: "arrival", body: () => ({}) },
  { route: "GET /webhooks", least: "owner", on: "website" },
  { route: "POST /webhooks", least: "owner", on: "website", body: webhookInput, status: 201 },
  { route: "POST /webhooks/check", least: "owner", on: "website", body: webhookInput },
  { route: "GET /webhooks/:id", least: "owner", on: "webhook" },
  { route: "PATCH /webhooks/:id", least: "owner", on: "webhook", body: () => ({ thin: true }) },
  { route: "DELETE /webhooks/:id", least: "owner", on: "webhook", usesUp: true, status: 204 },
  { route: "POST /webhooks/:id/test", least: "owner", on: "webhook", body: () => ({}) },
  { route: "POST /webhooks/:id/pause", least: "owner", on: "webhook", body: () => ({}), usesUp: true },
  { route: "POST /webhooks/:id/enable", least: "owner", on: "webhook", body: () => ({ replay: "none" }), status: 409 },
  { route: "POST /webhooks/:id/rotate", least: "owner", on: "webhook", body: () => ({}) },
  { route: "POST /webhooks/:id/replay", least: "owner", on: "webhook", body: () => ({ since: NEVER }) },
  { route: "GET /webhooks/:id/replay", least: "owner", on: "webhook", query: `since=${NEVER}` },
  { route: "POST /webhooks/:id/retry", least: "owner", on: "webhook", body: () => ({}) },
  { route: "GET /webhooks/:id/activity", least: "owner", on: "webhook" },
  { route: "GET /webhooks/:id/missed", least: "owner", on: "webhook" },
  { route: "GET /webhooks/:id/deliveries", least: "owner", on: "webhook" },
  { route: "GET /deliveries/:id", least: "owner", on: "delivery" },
  { route: "POST /deliveries/:id/redeliver", least: "owner", on: "delivery", body: () => ({}), status: 201 },
  { route: "GET /dead-letters", least: "owner", on: "everywhere" },
  ...["retry", "discard"].map((action): Row => ({
    route: `POST /dead-letters/${action}`,
    least: "owner",
    on: "everywhere",
    body: () => ({ kind: "delivery", subject_id: NOBODYS }),
    status: 404,
  })),

  // The last one: afterwards nobody is signed in.
  { route: "DELETE /session", least: "self", status: 204 },
];

/** The same route as another row with another body; the operation takes an owner of every website. */
export const DISABLE: Row = {
  route: "PATCH /members/:id",
  least: "owner",
  on: "member",
  body: () => ({ disabled: true }),
  opensAccount: true,
  usesUp: true,
};

/** The routes of the management API that are the dashboard's; some have another address there. */
const SHARED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "GET /articles/:id",
      "GET /exports",
      "GET /assets",
      "PATCH /assets/:id",
      "POST /assets",
      "GET /articles/:id/translations",
      "GET /articles/:id/comments",
      "POST /articles/:id/comments",
      `POST /articles/:id/comments/${NOBODYS}/replies`,
      `POST /articles/:id/comments/${NOBODYS}/resolve`,
      `POST /articles/:id/comments/${NOBODYS}/reopen`,
      "GET /articles/:id/history",
      "GET /articles/:id/deliveries",
      "GET /articles/:id/redline-bases",
      "GET /articles/:id/redline",
      "GET /articles/:id/revisions/:revision",
      "POST /articles/:id/revisions/:revision/restore",
      "DELETE /articles/:id/draft",
      "POST /articles/:id/draft/publish",
      ...[
        "approve",
        "unapprove",
        "publish",
        "approve-and-publish",
        "approve-and-schedule",
        "unpublish",
        "delete",
        "restore",
        "submit",
        "withdraw",
        "assign",
        "request-changes",
        "schedule",
      ].map((verb) => `POST /articles/:id/${verb}`),
    ].map((route) => [route, route]),
  ),
  "GET /articles/labels": "GET /labels",
  "POST /articles/preview": "POST /articles/check",
};

/** For bodies that name no site. */
const NOWHERE: Site = {
  website: "",
  article: "",
  picture: "",
  revision: "",
  key: "",
  token: "",
  webhook: "",
  delivery: "",
  sender: "",
  arrival: "",
  member: "",
  receiver: "",
};

/** An ETag that no article has. */
const STALE_ETAG = "999999-0";

/**
 * The management API: `least` is the role of the scope that is needed, and `website` the token's own. What the dashboard says in
 * a body of the version that it saw is in `If-Match` here.
 */
/** For agents' protocol; an access token of any scope may ask, and the management API decides. */
export const AGENTS = [
  { route: "POST /mcp", status: 400 },
  { route: "GET /mcp", status: 405 },
  { route: "DELETE /mcp", status: 405 },
] as const;

/** For services with the secret of their sender, which test/senders/ tries. */
export const SENDERS = ["GET", "POST", "PUT", "PATCH", "DELETE"].flatMap((method) => [
  `${method} /senders/:sender`,
  `${method} /senders/:sender/*`,
]);

/** For anyone: it holds no data. */
export const DESCRIPTION = "GET /openapi.json";

export const MANAGED: readonly Row[] = [
  { route: "GET /articles", least: "viewer", on: "website" },
  { route: "GET /articles/by-external-id/:external_id", least: "viewer", on: "website", status: 404 },
  {
    route: "POST /articles/batch",
    least: "editor",
    on: "website",
    isFile: "application/x-ndjson",
    body: () => ({}),
  },
  { route: "POST /articles/batch/files", least: "editor", on: "website", body: named({ files: [] }) },
  { route: "GET /feedback", least: "viewer", on: "website" },
  { route: "GET /me", least: "viewer", on: "website" },
  { route: "POST /articles", least: "editor", on: "website", body: named({ title: "New" }), status: 201 },
  {
    route: "PUT /articles/by-external-id/:external_id",
    least: "editor",
    on: "website",
    body: named({ tags: ["x"] }),
    status: 400,
  },
  { route: "PATCH /articles/:id", least: "editor", on: "article", body: () => CHANGES, etag: STALE_ETAG, status: 412 },
  { route: "DELETE /articles/:id", least: "approver", on: "article", etag: STALE_ETAG, status: 412 },
  { route: "POST /articles/:id/removal-request", least: "editor", on: "article", body: () => ({ reason: "Old" }) },
  ...ROWS.flatMap((row) => {
    const route = SHARED[row.route];
    return route === undefined ? [] : [toManaged({ ...row, route })];
  }),
];

function toManaged(row: Row): Row {
  const { body, query: _query, status, ...rest } = row;
  const isDraft = row.route === "DELETE /articles/:id/draft";
  if (!isDraft && !("version" in (body?.(NOWHERE) ?? {}))) return row;
  const inBody = (site: Site) => {
    const { version: _version, draft_saved_at: _draft, ...others } = body?.(site) ?? {};
    return others;
  };
  return {
    ...rest,
    etag: STALE_ETAG,
    ...(body !== undefined && { body: inBody }),
    ...(status !== undefined && { status: status === 409 ? 412 : status }),
  };
}
