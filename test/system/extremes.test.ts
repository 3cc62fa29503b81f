/** Numbers beyond what the database counts, times that are no days, text that it cannot hold: each is refused or kept, never a 5xx. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Json } from "../helpers/http.ts";
import type { Browser } from "../people/dashboard.ts";
import { type Team, openTeam } from "../helpers/team.ts";

const NUMBERS = [1e308, -1e308, 2 ** 63, -(2 ** 63) - 1, 2 ** 53 + 2, -1, 0.5, 0, 2 ** 31];
const TEXTS = [
  "a\0b",
  "\ud800",
  "\udc00x",
  "9999-12-31T23:59:59.999Z",
  "2026-13-45T99:99:99.999Z",
  "0000-00-00T00:00:00.000Z",
  "-271821-04-20T00:00:00.000Z",
  "1e308",
  "9".repeat(400),
  "%",
  "\u202e",
  "'; --",
];

let team: Team;
let owner: Browser;

before(async () => {
  team = await openTeam({ ROSTRUM_WEBHOOK_ALLOW_HTTP: "1", ROSTRUM_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" });
  ({ owner } = team);
});
after(() => team[Symbol.asyncDispose]());

/** Every copy of the value in which one leaf is another. */
function* withOneLeaf(value: unknown, others: (leaf: unknown) => readonly unknown[]): Generator {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const other of withOneLeaf(item, others)) yield value.with(index, other);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      for (const other of withOneLeaf(item, others)) yield { ...value, [key]: other };
    }
  } else yield* others(value);
}

const hostile = (leaf: unknown): readonly unknown[] =>
  typeof leaf === "number" ? NUMBERS : typeof leaf === "string" ? TEXTS : [];

async function bodies(): Promise<[method: string, path: string, body: Json][]> {
  const { website } = team.service;
  const [pending, approved, published] = await Promise.all([
    team.newArticle(),
    team.newArticle({ status: "approved" }),
    team.newArticle({ status: "published" }),
  ]);
  const { version } = await team.page(pending);
  const at = "2030-01-31T12:00:00.000Z";
  const url = "http://127.0.0.1:9/a";
  const { webhook } = await owner.json("POST", "/webhooks", { website_id: website.id, url }, 201);
  const hook = `/webhooks/${(webhook as { id: string }).id}`;
  const changes = {
    title: "T",
    slug: "t",
    excerpt: "e",
    markdown: "m",
    tags: ["t"],
    featured_image_url: "https://example.com/a.png",
    platform_url: "https://example.com/a",
    platform_post_id: "7",
    published_at: at,
  };
  return [
    ["PATCH", `/articles/${pending}`, { version, draft_saved_at: at, changes }],
    ["PATCH", `/articles/${published}`, { version: 1, as_draft: true, changes: { title: "T", published_at: at } }],
    ...["approve", "publish", "unpublish", "approve-and-publish", "delete", "restore"].map(
      (action): [string, string, Json] => ["POST", `/articles/${approved}/${action}`, { version: 1 }],
    ),
    ["POST", `/articles/${approved}/request-changes`, { version: 1, reason: "r" }],
    ["POST", `/articles/${approved}/schedule`, { version: 1, publish_at: at }],
    ["POST", `/articles/${published}/draft/publish`, { version: 1, draft_saved_at: at }],
    ["POST", `/articles/${published}/revisions/7/restore`, { version: 1, draft_saved_at: at }],
    ["POST", "/articles/bulk/approve", { website_id: website.id, articles: [{ id: pending, version: 1 }] }],
    ["POST", "/articles", { website_id: website.id, title: "New", markdown: "m" }],
    ["POST", "/articles/preview", { website_id: website.id, id: pending, changes }],
    ["POST", "/websites", { name: "n", url: "https://example.com", url_pattern: "https://example.com/{slug}" }],
    ["PATCH", `/websites/${website.id}`, { name: "n", url_pattern: "https://example.com/{slug}" }],
    ["POST", "/api-keys", { website_id: website.id, name: "n", expires_at: at, rate_limit: 5 }],
    ["POST", "/webhooks", { website_id: website.id, url, coalesce_ms: 5, headers: { "X-A": "b" }, ca: "c" }],
    ["PATCH", hook, { url, coalesce_ms: 5, headers: { "X-A": "b" } }],
    ["POST", `${hook}/replay`, { since: at }],
    ["POST", `${hook}/rotate`, { overlap_hours: 3 }],
    ["POST", "/members", { email: "new@example.com", name: "n", role: "viewer", website_id: website.id }],
    ["POST", "/welcome/link", { token: "t" }],
  ];
}

test("extreme values in the body of a request are refused or stored, and never cause a 5xx", async () => {
  for (const [method, path, body] of await bodies()) {
    for (const changed of withOneLeaf(body, hostile)) {
      const { status, text } = await owner.send(method, path, changed as Json);
      assert.ok(status < 500, `${method} ${path} ${JSON.stringify(changed)}: ${status} ${text}`);
    }
  }
  team.assertNoneFailed();
});

test("extreme values in an address are refused, and never cause a 5xx", async () => {
  const { id } = team.service.website;
  const article = await team.newArticle();
  const values = [...NUMBERS.map(String), ...TEXTS, "9".repeat(15), `${"9".repeat(15)}.${article}`];
  const parameters = ["q", "category", "tag", "keyword", "limit", "offset", "sort", "view"];
  const paths = values.flatMap((value) => {
    const given = encodeURIComponent(value.toWellFormed());
    return [
      parameters.map((name) => `/articles?website_id=${id}&view=pending&${name}=${given}`),
      `/articles?website_id=${given}&view=pending`,
      `/articles/place?website_id=${id}&view=pending&id=${given}`,
      `/articles/${given}`,
      `/articles/${article}/revisions/${given}`,
      `/articles/${article}/history?cursor=${given}`,
      `/audit?cursor=${given}`,
      `/audit?limit=${given}`,
      `/audit?website_id=${given}`,
      `/webhooks/${given}`,
      `/webhooks/${given}/deliveries?cursor=${given}`,
      `/deliveries/${given}`,
      `/websites/${given}`,
      `/overview?website_id=${given}`,
      `/exports?website_id=${given}`,
    ].flat();
  });
  for (const path of paths) {
    const { status, text } = await owner.send("GET", path);
    assert.ok(status < 500, `${path}: ${status} ${text}`);
  }
  team.assertNoneFailed();
});

test("a version that no article can have is refused by name", async () => {
  const article = await team.newArticle();
  for (const version of [1e308, -1, 2 ** 53]) {
    const { param } = await owner.json("POST", `/articles/${article}/approve`, { version }, 400);
    assert.equal(param, "version");
  }
});

test("extreme values in a parameter of the read API never cause a 5xx", async () => {
  const values = [...NUMBERS.map(String), ...TEXTS].map((value) => encodeURIComponent(value.toWellFormed()));
  const names = ["limit", "offset", "q", "slug", "tag", "keyword", "updated_since", "published_since", "after"];
  for (const value of values) {
    for (const path of ["/api/public/articles", "/api/public/events"]) {
      for (const name of names) {
        const { status } = await team.service.get(`${path}?${name}=${value}`);
        assert.ok(status < 500, `${path}?${name}=${value}: ${status}`);
      }
    }
  }
  team.assertNoneFailed();
});
