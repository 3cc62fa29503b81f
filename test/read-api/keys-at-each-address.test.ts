/**
 * Every kind of API key at every address of the read API, as its own description lists them: an address without an
 * expectation fails.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mintKey } from "../../src/domain/people/api-key.ts";
import { revokeKey } from "../../src/operations/people/api-keys.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { randomBytes } from "node:crypto";
import { oneOfEach } from "../helpers/articles.ts";
import { record } from "../helpers/http.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

const KINDS = ["none", "malformed", "unknown", "revoked", "expired", "foreign", "published", "all"] as const;
type Kind = (typeof KINDS)[number];

interface Expectation {
  /** Real requests; the articles are those of the one website. */
  asked: (articles: Record<"pending" | "approved" | "published", string>) => string[];
  /** Of each request, in order. */
  statuses: Record<"without" | "foreign" | "published" | "all", number[]>;
  /** Whether one needs no key. */
  isOpen?: true;
}

const EXPECTED: Record<string, Expectation> = {
  "/api/public/articles": {
    asked: () => ["", "?status=published", "?status=approved", "?status=pending", "?status=pending&include=content"],
    statuses: {
      without: [401, 401, 401, 401, 401],
      foreign: [200, 200, 200, 200, 403],
      published: [200, 200, 403, 403, 403],
      all: [200, 200, 200, 200, 403],
    },
  },
  "/api/public/articles/{id}": {
    asked: ({ published, approved, pending }) => [`/${published}`, `/${approved}`, `/${pending}`],
    statuses: {
      without: [401, 401, 401],
      foreign: [404, 404, 404],
      published: [200, 403, 403],
      // The specification refuses what is pending to every key.
      all: [200, 200, 403],
    },
  },
  "/api/public/articles/by-slug/{slug}": {
    // Of each status, by the slug that the article with this title has.
    asked: () => ["/one-published", "/one-approved", "/one-pending"],
    statuses: { without: [401, 401, 401], foreign: [404, 404, 404], published: [200, 403, 403], all: [200, 403, 403] },
  },
  "/api/public/articles/{id}/related": {
    asked: ({ published, approved, pending }) => [published, approved, pending].map((id) => `/${id}/related`),
    statuses: { without: [401, 401, 401], foreign: [404, 404, 404], published: [200, 403, 403], all: [200, 200, 403] },
  },
  "/api/public/categories": {
    asked: () => [""],
    statuses: { without: [401], foreign: [200], published: [200], all: [200] },
  },
  "/api/public/redirects": {
    asked: () => [""],
    statuses: { without: [401], foreign: [200], published: [200], all: [200] },
  },
  "/api/public/state": {
    asked: () => [""],
    statuses: { without: [401], foreign: [200], published: [200], all: [200] },
  },
  "/api/public/tags": {
    asked: () => [""],
    statuses: { without: [401], foreign: [200], published: [200], all: [200] },
  },
  "/api/public/events": {
    asked: () => ["?after=0&limit=100"],
    statuses: { without: [401], foreign: [200], published: [200], all: [200] },
  },
  "/api/public/openapi.json": {
    asked: () => [""],
    statuses: { without: [200], foreign: [200], published: [200], all: [200] },
    isOpen: true,
  },
};

let service: TestService;
let articles: Parameters<Expectation["asked"]>[0];
let keys: Record<Kind, string | undefined>;

before(async () => {
  service = await startTestService();
  const { app, website } = service;
  const made = await oneOfEach(app, website.id);
  articles = {
    pending: made.pending.article.id,
    approved: made.approved.article.id,
    published: made.published.article.id,
  };
  const foreign = await service.newWebsite({ name: "Foreign" });
  const revoked = await service.newKey();
  await revokeKey(app, revoked.id, CLI_ORIGIN);
  const expired = await service.newKey({ expiresAt: app.clock() + 3_600_000 });
  await app.store.write((db) => db.run("UPDATE api_keys SET expires_at = ? WHERE id = ?", app.clock() - 1, expired.id));
  keys = {
    none: undefined,
    malformed: `${service.key}x`,
    unknown: mintKey(randomBytes),
    revoked: revoked.secret,
    expired: expired.secret,
    foreign: (await service.newKey({}, foreign.id)).secret,
    published: (await service.newKey({ scope: "published" })).secret,
    all: service.key,
  };
});
after(() => service[Symbol.asyncDispose]());

test("every address of openapi.json has an expectation here", async () => {
  const { paths } = record((await service.get("/api/public/openapi.json")).json());
  assert.deepEqual(Object.keys(record(paths)).toSorted(), Object.keys(EXPECTED).toSorted());
});

for (const [address, { asked, statuses, isOpen }] of Object.entries(EXPECTED)) {
  test(`${address} gives each key what belongs to its website, and nothing else`, async () => {
    const base = address.replace(/\/\{.*/, "");
    for (const kind of KINDS) {
      const expected = kind === "foreign" || kind === "published" || kind === "all" ? statuses[kind] : statuses.without;
      for (const [index, path] of asked(articles).entries()) {
        // More requests with keys that are not valid would be refused by their number.
        for (const method of kind === "none" || kind === "all" ? ["GET", "HEAD"] : ["GET"]) {
          const reply = await service.send(base + path, { method, headers: { "X-API-Key": keys[kind] } });
          assert.equal(reply.status, expected[index], `${kind} ${method} ${path}: ${reply.text}`);
          const holds = Object.entries(articles).filter(([, id]) => reply.text.includes(id));
          if (kind === "published") {
            assert.ok(
              holds.every(([status]) => status === "published"),
              `${kind} ${path} ${reply.text}`,
            );
          } else if (kind !== "all" && reply.status !== 404) {
            assert.deepEqual(holds, [], `${kind} ${path}`);
          }
          assert.ok(isOpen === true || !reply.text.includes("rs_"), "no key is in the answer");
        }
      }
    }
  });
}
