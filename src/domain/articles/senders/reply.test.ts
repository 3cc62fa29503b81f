import assert from "node:assert/strict";
import { test } from "node:test";
import type { Dialect } from "./dialect.ts";
import { findDialect } from "./dialects.ts";
import { toPhpJson, writeReply } from "./reply.ts";
import type { ArrivalOutcome, ArrivedOutcome } from "./sender.ts";

const ADDRESSES = new Map([
  ["a1", { slug: "one", url: "https://site.example/blog/one" }],
  ["a2", { slug: "two", url: null }],
]);

function article(given: Partial<ArrivedOutcome> = {}): ArrivedOutcome {
  return { externalId: "x1", title: "One", outcome: "created", articleId: "a1", message: null, places: {}, ...given };
}

function outcome(given: Partial<ArrivalOutcome> = {}): ArrivalOutcome {
  return { kind: "article", event: null, problem: null, articles: [article()], ...given };
}

function answer(kind: string, given: ArrivalOutcome | null, reply?: Dialect["reply"]) {
  const dialect = findDialect(kind);
  assert.ok(dialect);
  const { status, body } = writeReply(
    reply === undefined ? dialect : { ...dialect, reply },
    given,
    ADDRESSES,
    () => "test-secret",
  );
  return { status, body: JSON.parse(body) };
}

test("a generic answer names the article under each name that products look for", () => {
  const url = "https://site.example/blog/one";
  assert.deepEqual(answer("generic", outcome()), {
    status: 200,
    body: {
      success: true,
      message: "Received for review.",
      id: "a1",
      post_id: "a1",
      url,
      post_url: url,
      link: url,
      duplicate: false,
    },
  });
  assert.equal(answer("generic", outcome({ articles: [article({ outcome: "unchanged" })] })).body.duplicate, true);
});

test("an arrival that is not understood yet is answered as received, without ids", () => {
  const { status, body } = answer("generic", null);
  assert.equal(status, 200);
  assert.deepEqual(
    [body.success, body.message, body.id, body.url, body.duplicate],
    [true, "Received.", null, null, false],
  );
});

test("an array of one is repeated for each article, and the count is a number", () => {
  const articles = [article(), article({ externalId: "x2", title: "Two", articleId: "a2" })];
  const reply = {
    status: 201,
    body: { count: "$count", posts: [{ id: "$id", of: "$external_id", at: "$slug" }], fixed: [1, 2], all: true },
  };
  assert.deepEqual(answer("generic", outcome({ articles }), reply), {
    status: 201,
    body: {
      count: 2,
      posts: [
        { id: "a1", of: "x1", at: "one" },
        { id: "a2", of: "x2", at: "two" },
      ],
      fixed: [1, 2],
      all: true,
    },
  });
});

test("a part that failed is answered as a success that says so, and only failures as 422 with the reason", () => {
  const failed = article({ outcome: "failed", articleId: null, message: "It has no title." });
  assert.deepEqual(answer("outrank", outcome({ articles: [article(), failed] })).status, 200);
  assert.equal(
    answer("generic", outcome({ articles: [article(), failed] })).body.message,
    "1 of 2 articles were received for review.",
  );
  assert.deepEqual(answer("outrank", outcome({ articles: [failed] })), {
    status: 422,
    body: { success: false, error: "It has no title.", message: "It has no title." },
  });
  assert.equal(
    answer("outrank", outcome({ articles: [], problem: "No article was found." })).body.error,
    "No article was found.",
  );
});

test("tests and other events get their own answer", () => {
  assert.equal(
    answer("rankpill", outcome({ kind: "test", articles: [] })).body.message,
    "Test webhook received successfully",
  );
  assert.deepEqual(answer("outrank", outcome({ kind: "other", event: "credits.low", articles: [] })).status, 200);
  assert.equal(
    answer("generic", outcome({ kind: "removal", articles: [] })).body.message,
    "Received; there was nothing to save.",
  );
});

test("a text that contains a placeholder but is more than that stays, and titles are never read as placeholders", () => {
  const reply = { body: { note: "see $url", title: "$title" } };
  assert.deepEqual(answer("generic", outcome({ articles: [article({ title: "$id" })] }), reply).body, {
    note: "see $url",
    title: "$id",
  });
});

test("PHP's JSON escapes the slash and everything that is not ASCII, by UTF-16 units", () => {
  assert.equal(toPhpJson({ "a/ü": "𝄞\n" }), String.raw`{"a\/\u00fc":"\ud834\udd1e\n"}`);
});
