/** What `/mcp` refuses, and hostile arguments of its tools. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { CHIEF } from "../helpers/articles.ts";
import { revokeToken } from "../../src/operations/people/access-tokens.ts";
import { Agent } from "../helpers/agent.ts";
import { assertRefusal, type Json, record, type Reply } from "../helpers/http.ts";
import { openTeam } from "../helpers/team.ts";

const team = await openTeam();
const { service } = team;
const agent = await Agent.start(service);
after(async () => {
  await agent[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
});

const JSON_HEADERS = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
const call = (name: string, args: Json) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args },
});

function post(body: unknown, headers: Record<string, string | undefined> = {}): Promise<Reply> {
  return service.send("/mcp", {
    method: "POST",
    headers: { Authorization: `Bearer ${agent.token.secret}`, ...JSON_HEADERS, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

const LIST_TOOLS = { jsonrpc: "2.0", id: 1, method: "tools/list" };

describe("a request", () => {
  test("without a valid token asks for one, and nothing looks like OAuth", async () => {
    const message =
      "Send an access token, in the header Authorization: Bearer rm_…; owners make them in the dashboard, under Settings.";
    for (const method of ["POST", "GET", "DELETE"]) {
      const reply = await service.send("/mcp", { method, headers: JSON_HEADERS });
      assertRefusal(reply, 401, { error: "Unauthorized", message });
      assert.equal(reply.headers["www-authenticate"], "Bearer");
    }
    for (const path of ["oauth-protected-resource", "oauth-protected-resource/mcp", "oauth-authorization-server"]) {
      const reply = await service.get(`/.well-known/${path}`);
      assert.deepEqual([reply.status, String(reply.headers["content-type"])], [404, "application/json; charset=utf-8"]);
    }
    assert.equal((await service.get("/mcp/.well-known/openid-configuration")).status, 404);
  });

  test("for a stream or the end of a session is 405", async () => {
    const headers = { Authorization: `Bearer ${agent.token.secret}` };
    for (const method of ["GET", "DELETE"]) {
      const reply = await service.send("/mcp", { method, headers });
      assertRefusal(reply, 405, {
        error: "Method Not Allowed",
        message: "There are no sessions here, and nothing is sent without a request: use POST.",
      });
      assert.equal(reply.headers["allow"], "POST");
    }
  });

  test("with a revoked token is refused at once", async () => {
    await using other = await Agent.start(service);
    await other.call("list_articles");
    await revokeToken(service.app, other.token.id, CLI_ORIGIN);
    await assert.rejects(other.tryOnce("list_articles"), (error: Error & { status?: number }) => error.status === 401);
  });

  test("that is no JSON, too long, too deep or several is refused", async () => {
    assert.equal((await post("{")).status, 400);
    assert.equal((await post(LIST_TOOLS, { "Content-Type": "text/plain" })).status, 415);
    assert.equal((await post(`${" ".repeat(1_000_000)}{}`)).status, 413);
    assert.equal((await post(`${"[".repeat(65)}${"]".repeat(65)}`)).status, 400);
    assert.equal((await post('{"__proto__": {"a": 1}}')).status, 400);
    const several = await post([LIST_TOOLS, LIST_TOOLS]);
    assert.deepEqual(
      [several.status, record(record(several.json())["error"])["message"]],
      [400, "Send one request at a time."],
    );
    assert.equal((await post(LIST_TOOLS)).status, 200);
  });

  test("cannot open a stream of changes", async () => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const params = { _meta: meta, notifications: { toolsListChanged: true } };
    const body = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params };
    const headers = { "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen" };
    const reply = await post(body, headers);
    assert.match(reply.text, /"error"/);
  });

  test("more often than the token's rate is 429, with how long to wait", async () => {
    await using other = await Agent.start(service);
    const headers = { Authorization: `Bearer ${other.token.secret}` };
    const replies = await Promise.all(Array.from({ length: 100 }, () => service.get("/mcp", headers)));
    const refused = replies.filter(({ status }) => status === 429);
    assert.ok(refused.length > 0);
    assert.equal(refused[0]?.headers["retry-after"], "1");
  });
});

describe("hostile arguments", () => {
  const nobody = "01a1fdf4-0000-7000-8000-000000000000";
  const calls: [name: string, tool: string, args: Json, words: RegExp][] = [
    ["no tool", "publish_article", {}, /not found|disabled/],
    ["the name of a property of objects", "constructor", {}, /not found|disabled/],
    ["no article", "read_article", { id: nobody }, /There is no article/],
    ["an address instead of an id", "read_article", { id: "../../me?x=#" }, /There is no|must match/],
    ["an id that is no text", "read_article", { id: { $ne: "" } }, /Invalid arguments/],
    ["an unknown argument", "read_article", { id: nobody, publish: true }, /Invalid arguments/],
    ["a state", "create_draft", { title: "x", markdown: "x", status: "published" }, /Invalid arguments/],
    ["a review state", "create_draft", { title: "x", markdown: "x", review_state: "in_review" }, /Invalid arguments/],
    [
      "a field that publishes",
      "edit_article",
      { id: nobody, etag: "*", fields: { status: "published" } },
      /Invalid arguments/,
    ],
    ["an etag for any", "edit_article", { id: nobody, etag: "*", fields: { title: "x" } }, /There is no article/],
    ["10,001 values", "create_draft", { title: "x", markdown: "x", tags: Array(10_001).fill("x") }, /elements/],
    ["a title of 2 kB", "create_draft", { title: "x".repeat(2_000), markdown: "x" }, /Invalid arguments/],
    [
      "a hundred and one edits",
      "edit_article",
      { id: nobody, etag: "1-0", edits: Array.from({ length: 101 }, () => ({ old: "a", new: "" })) },
      /Invalid arguments/,
    ],
    [
      "a revision elsewhere",
      "restore_revision",
      { id: nobody, etag: "1-0", revision: "../../x" },
      /There is no article/,
    ],
  ];
  for (const [name, tool, args, words] of calls) {
    test(name, async () => {
      const reply = await post(call(tool, args));
      assert.ok(reply.status < 500, reply.text);
      assert.match(reply.text, words);
    });
  }

  test("of passages that are searched for long are answered", async () => {
    const text = `${"a".repeat(200_000)}\n`;
    const { id, etag } = await agent.call("create_draft", { title: "Long", markdown: text });
    const old = `b${"a".repeat(90_000)}`;
    const edits = Array.from({ length: 10 }, () => ({ old, new: "" }));
    assert.match(String((await agent.refused("edit_article", { id, etag, edits }))["message"]), /is not in the text/);
  });

  test("another website's articles are not there", async () => {
    const other = await service.newWebsite({ name: "Other" });
    const { article } = await createArticle(service.app, other.id, { title: "x", content: "<p>secret</p>" }, CHIEF);
    for (const [tool, args] of [
      ["read_article", {}],
      ["edit_article", { etag: "1-0", fields: { title: "x" } }],
      ["check_article", { title: "x" }],
      ["submit_for_review", { etag: "1-0" }],
      ["read_feedback", {}],
      ["comment", { text: "x", quote: "secret" }],
      ["article_history", {}],
      ["restore_revision", { etag: "1-0", revision: "x" }],
    ] as const) {
      const { message } = await agent.refused(tool, { id: article.id, ...args });
      assert.match(String(message), /There is no article/, tool);
    }
  });
});

test("no request failed", () => team.assertNoneFailed());
