/** Many articles of a machine in one request. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { managedArticle } from "../../src/http/management/contract.ts";
import { isArticleField } from "../../src/domain/articles/article-json.ts";
import { CHIEF } from "../helpers/articles.ts";
import { assertRefusal, type Json, record, records } from "../helpers/http.ts";
import { Machine } from "../helpers/machine.ts";
import { until } from "../helpers/until.ts";
import { openTeam } from "../helpers/team.ts";

const team = await openTeam();
const { service } = team;
const { app } = service;
const machine = await Machine.start(service);
after(async () => {
  machine[Symbol.dispose]();
  await team[Symbol.asyncDispose]();
});

const NDJSON = { headers: { "Content-Type": "application/x-ndjson" } };
const toLine = (value: unknown) => `${typeof value === "string" ? value : JSON.stringify(value)}\n`;

/** @returns the lines of the articles, and the summary. */
async function send(lines: readonly unknown[], query = ""): Promise<{ items: Json[]; summary: Json }> {
  const reply = await machine.send("POST", `/articles/batch${query}`, lines.map(toLine).join(""), NDJSON);
  assert.equal(reply.status, 200, reply.text);
  const answers = reply.text
    .trim()
    .split("\n")
    .map((line) => record(JSON.parse(line)));
  const items = answers.filter(({ kind }) => kind === "item");
  return { items, summary: answers.at(-1) ?? {} };
}

const short = ({ line, outcome, external_id: id, param, held_fields: held }: Json) => [line, outcome, id, param, held];

test("each line is an article by its own id, and a bad one stops nobody", async () => {
  const lines = [
    { external_id: "a", title: "A", markdown: "x", status: "published" },
    "{",
    "",
    { external_id: "b", title: "B", content: "<p>x</p>", tittle: "B" },
    { title: "No id", markdown: "x" },
    { external_id: "c", title: "C" },
    { external_id: "d", title: "D", markdown: "x", tags: 3 },
    { external_id: "e", title: "E", markdown: "x" },
  ];
  const { items, summary } = await send(lines);
  assert.deepEqual(items.map(short), [
    [1, "created", "a", null, []],
    [2, "failed", null, null, []],
    [4, "failed", "b", "tittle", []],
    [5, "failed", null, "external_id", []],
    [6, "failed", "c", "content", []],
    [7, "failed", "d", "tags", []],
    [8, "created", "e", null, []],
  ]);
  assert.deepEqual(summary, { kind: "summary", created: 2, updated: 0, held: 0, unchanged: 0, failed: 5, skipped: 0 });
  assert.equal(items[2]?.["message"], "There is no tittle of an article; leave it out, or correct its name.");
  const article = await machine.article("GET", "/articles/by-external-id/a");
  assert.deepEqual([article["state"], article.id], ["in_review", items[0]?.["id"]]);
  assert.equal((await team.stored(article.id)).article.authorId, machine.id);
});

const make = (name: string, more: Json = {}) => ({ external_id: name, title: name, markdown: "x", ...more });

test("the same again changes nothing; what people changed, published or deleted stays, and what both changed is held", async () => {
  const names = ["same", "people", "live", "trash"];
  const { items } = await send(names.map((name) => make(name)));
  const [, people = "", live = "", trash = ""] = items.map(({ id }) => String(id));
  assert.deepEqual((await send(names.map((name) => make(name)))).summary["unchanged"], 4);
  await articles.updateArticle(app, people, { title: "People's" }, CHIEF);
  await articles.approveAndPublishArticle(app, live, CHIEF);
  await articles.deleteArticle(app, trash, CHIEF);
  const changed = names.map((name) => make(name, { title: `${name} 2` }));
  const again = await send(changed);
  assert.deepEqual(
    again.items.map(({ outcome, held_fields: held }) => [outcome, held]),
    [
      ["updated", []],
      ["held", ["title"]],
      ["updated", []],
      ["held", ["title"]],
    ],
  );
  const page = await machine.article("GET", `/articles/${live}`);
  assert.deepEqual([page["title"], record(page["draft"])["changes"]], ["live", { title: "live 2" }]);
  const twice = await send([make("twice"), make("twice", { title: "2" })]);
  assert.deepEqual(
    twice.items.map(({ outcome }) => outcome),
    ["created", "failed"],
  );
});

test("a run has one audit entry, and a dry one saves nothing", async () => {
  const lines = Array.from({ length: 120 }, (_, index) => ({
    external_id: `n${index}`,
    title: `${index}`,
    markdown: "x",
  }));
  const dry = await send(lines, "?dry_run=true");
  assert.equal(dry.summary["created"], 120);
  assert.equal((await machine.json("GET", "/articles?external_id=n0"))["total"], 0);
  await send(lines, "?review_state=draft");
  const { total } = await machine.json("GET", "/articles?state=draft");
  assert.equal(total, 120);
  const path = `/audit?website_id=${service.website.id}&about=articles&limit=3`;
  const [entry, before] = records((await team.owner.json("GET", path))["entries"]);
  assert.equal(entry?.["action"], "articles.imported");
  assert.equal(record(entry?.["detail"])["created"], 120);
  assert.notEqual(record(before?.["detail"])["created"], 120);
});

test("an article that was answered can be sent back", async () => {
  const article = await machine.article("GET", "/articles/by-external-id/e");
  const { items } = await send([article]);
  assert.deepEqual(
    items.map(({ outcome, message }) => [outcome, message]),
    [["updated", null]],
  );
  assert.deepEqual(
    (await send([article])).items.map(({ outcome }) => outcome),
    ["unchanged"],
  );
  const again = await machine.article("GET", "/articles/by-external-id/e");
  assert.deepEqual(
    Object.keys(managedArticle.properties).filter((name) => !isArticleField(name) && !(name in again)),
    [],
  );
});

test("a token has two batches at a time", async () => {
  using busy = await Machine.start(service);
  await using held = new AsyncDisposableStack();
  const open = (): void => {
    const request = busy.open("/articles/batch", "application/x-ndjson");
    request.on("error", () => undefined);
    // It is refused if the third has its turn.
    request.once("response", (response) => void response.resume().once("end", open));
    request.write('{"external_id": "open"');
    held.defer(() => void request.destroy());
  };
  open();
  open();
  const third = () => busy.sendOnce("POST", "/articles/batch", "", NDJSON);
  await until("the third is refused", async () => {
    // Below the rate of a token.
    await wait(100);
    return (await third()).text.includes("imports of yours");
  });
  const refused = await third();
  assert.equal(refused.headers["retry-after"], "5");
  assertRefusal(refused, 429, {
    error: "Too Many Requests",
    code: "too_many_requests",
    message: "Other imports of yours are under way; wait until one of them has ended, then send yours.",
  });
});

test("refusals", async () => {
  assertRefusal(await machine.send("POST", "/articles/batch", [{}]), 415, {
    error: "Unsupported Media Type",
    code: "unsupported_media_type",
    message: "Send a line of JSON for each article, with the header Content-Type: application/x-ndjson.",
  });
  assertRefusal(await machine.send("POST", "/articles/batch?overwrite=true", "", NDJSON), 403, {
    error: "Forbidden",
    code: "forbidden",
    message: "This requires an access token of the scope publish; the scope of this one is draft.",
  });
});
