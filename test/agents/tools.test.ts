/** Agents' tools, with the official client on both generations of the protocol. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Agent, PROTOCOLS } from "../helpers/agent.ts";
import { record, records } from "../helpers/http.ts";
import { openTeam } from "../helpers/team.ts";
import { until } from "../helpers/until.ts";

const team = await openTeam();
const { service } = team;
after(() => team[Symbol.asyncDispose]());

let count = 0;
const unique = () => `Number ${++count}`;

for (const protocol of PROTOCOLS) {
  const agent = await Agent.start(service, { protocol });
  after(() => agent[Symbol.asyncDispose]());
  const draft = async (markdown = "One two three.\n\nFour *five* six.\n", more = {}) =>
    agent.call("create_draft", { title: unique(), markdown, ...more });
  describe(`on ${protocol}`, () => {
    test("tools say that they read only, or destroy nothing, and none publishes", async () => {
      const { tools } = await agent.client.listTools();
      assert.deepEqual(
        tools.map(({ name, annotations }) => [
          name,
          annotations?.readOnlyHint,
          annotations?.destructiveHint,
          annotations?.openWorldHint,
        ]),
        [
          ["list_articles", true, false, false],
          ["read_article", true, false, false],
          ["create_draft", false, false, false],
          ["edit_article", false, false, false],
          ["check_article", true, false, false],
          ["submit_for_review", false, false, false],
          ["read_feedback", true, false, false],
          ["comment", false, false, false],
          ["article_history", true, false, false],
          ["restore_revision", false, false, false],
        ],
      );
    });

    test("a draft is created once for its external_id, and listed", async () => {
      const externalId = unique();
      const made = await draft(undefined, { external_id: externalId, tags: ["tea"] });
      const again = await agent.call("create_draft", { title: "x", markdown: "y", external_id: externalId });
      assert.deepEqual([made.facts["created"], again.facts["created"], again.id], [true, false, made.id]);
      const { facts } = await agent.call("list_articles", { external_id: externalId });
      assert.deepEqual(
        records(facts["articles"]).map(({ id, state, tags }) => [id, state, tags]),
        [[made.id, "draft", ["tea"]]],
      );
      const [created] = await team.history(made.id);
      assert.deepEqual([created?.["action"], record(created?.["by"])["id"]], ["article.created", agent.token.id]);
    });

    test("passages are replaced exactly, against the etag that was read", async () => {
      const { id, etag } = await draft();
      const read = await agent.call("read_article", { id });
      assert.deepEqual(
        [read.etag, read.text, read.facts["format"]],
        [etag, "One two three.\n\nFour *five* six.\n", "markdown"],
      );
      const edits = [
        { old: "six", new: "$& 6" },
        { old: "two", new: "2" },
      ];
      const edited = await agent.call("edit_article", { id, etag, edits, fields: { tags: ["b"] } });
      assert.equal((await agent.call("read_article", { id })).text, "One 2 three.\n\nFour *five* $& 6.\n");
      const stale = await agent.refused("edit_article", { id, etag, edits });
      assert.deepEqual([stale["code"], stale["etag"]], ["stale", edited.etag]);
      const { tool, arguments: undo } = record(edited.facts["undo"]);
      await agent.call(String(tool), record(undo));
      const restored = await agent.call("read_article", { id });
      assert.deepEqual([restored.text, restored.facts["tags"]], [read.text, []]);
    });

    test("passages that are not there, occur twice, overlap or are most of the text are refused", async () => {
      const { id, etag } = await draft("aaa b aaa c\n");
      for (const [edits, words] of [
        [[{ old: "x", new: "" }], /"x" is not in the text/],
        [[{ old: "aaa", new: "" }], /"aaa" occurs more than once/],
        [
          [
            { old: "aa b", new: "" },
            { old: "b a", new: "" },
          ],
          /overlap/,
        ],
        [[{ old: "aaa b aa", new: "" }], /more than half/],
        [[{ old: "", new: "x" }], /Invalid arguments/],
        [[], /Invalid arguments/],
      ] as const) {
        assert.match(String((await agent.refused("edit_article", { id, etag, edits }))["message"]), words);
      }
      assert.match(String((await agent.refused("edit_article", { id, etag, text: "x" }))["message"]), /rewrite: true/);
      assert.match(String((await agent.refused("edit_article", { id, etag }))["message"]), /nothing to change/);
      const { etag: next } = await agent.call("edit_article", {
        id,
        etag,
        rewrite: true,
        edits: [{ old: "aaa b aa", new: "d" }],
      });
      await agent.call("edit_article", { id, etag: next, rewrite: true, text: "All new" });
      assert.equal((await agent.call("read_article", { id })).text, "All new");
    });

    test("an article in HTML is edited as HTML, so that nothing else changes", async () => {
      const content = '<h2>A</h2><p class="y">Some <b>text</b></p>';
      const { id, etag } = await agent.call("create_draft", { title: unique(), content });
      const { text, facts } = await agent.call("read_article", { id });
      assert.deepEqual([text, facts["format"]], [content, "html"]);
      await agent.call("edit_article", { id, etag, edits: [{ old: "<b>text</b>", new: "<i>words</i>" }] });
      const { body } = await team.stored(id);
      assert.deepEqual([body.html, body.source], ['<h2>A</h2><p class="y">Some <i>words</i></p>', "html"]);
    });

    test("a long text is shown by its outline, and read by sections", async () => {
      const markdown = `Intro\n\n# One\n\n${"word ".repeat(3_000)}\n\n## Two\n\n\`\`\`\n# no heading\n\`\`\`\n\n${"line\n".repeat(5_000)}`;
      const { id } = await draft(markdown);
      const { facts, text } = await agent.call("read_article", { id });
      assert.equal(text, undefined);
      const outline = records(facts["outline"]);
      assert.deepEqual(
        outline.map(({ level, heading }) => [level, heading]),
        [
          [0, ""],
          [1, "One"],
          [2, "Two"],
          [2, "Two"],
        ],
      );
      const texts: unknown[] = [];
      for (const { section } of outline) texts.push((await agent.call("read_article", { id, section })).text);
      assert.equal(texts.join(""), markdown);
      assert.match(String((await agent.refused("read_article", { id, section: 9 }))["message"]), /has 4 sections/);
    });

    test("a draft is submitted and taken back, and feedback is read", async () => {
      const { id, etag } = await draft();
      const submitted = await agent.call("submit_for_review", { id, etag });
      assert.equal(submitted.facts["state"], "in_review");
      const back = await agent.call("submit_for_review", record(record(submitted.facts["undo"])["arguments"]));
      assert.equal(back.facts["state"], "draft");
      const again = await agent.call("submit_for_review", { id, etag: back.etag });
      const { version } = await team.page(id);
      await team.approver.json("POST", `/articles/${id}/request-changes`, { version, reason: "Too short" });
      await until("the feedback is there", async () => {
        const { facts } = await agent.call("read_feedback");
        return records(facts["feedback"]).some(
          ({ article, reason }) => record(article)["id"] === id && reason === "Too short",
        );
      });
      assert.equal(again.id, id);
      const read = await agent.call("read_article", { id });
      assert.equal(record(read.facts["request"])["reason"], "Too short");
    });

    test("comments are about the article, a passage, or in a thread", async () => {
      const { id } = await draft("One *two* three four. Four.\n");
      await agent.call("comment", { id, text: "All of it" });
      const { facts } = await agent.call("comment", { id, text: "This", quote: "One two  three" });
      const { id: thread, quote, passage } = record(facts["thread"]);
      assert.deepEqual([quote, record(passage)["text"]], ["One two  three", "Onetwothree"]);
      await agent.call("comment", { id, text: "Again", thread });
      const all = records((await agent.call("read_feedback", { id })).facts["threads"]);
      assert.deepEqual(
        all.map(({ comments }) => records(comments).map(({ text }) => text)),
        [["All of it"], ["This", "Again"]],
      );
      assert.match(
        String((await agent.refused("comment", { id, text: "x", quote: "five" }))["message"]),
        /not in the visible text/,
      );
      assert.match(
        String((await agent.refused("comment", { id, text: "x", quote: "our" }))["message"]),
        /more than once/,
      );
    });

    test("checking says what saving would do, and saves nothing", async () => {
      const { id } = await draft();
      const { facts } = await agent.call("check_article", { id, content: "<p onclick='x'>One two</p>" });
      assert.deepEqual([facts["word_count"], facts["removed"]], [2, ["onclick on <p>"]]);
      assert.equal((await agent.call("read_article", { id })).text, "One two three.\n\nFour *five* six.\n");
      assert.ok("quality_metrics" in (await agent.call("check_article", { title: "New", markdown: "x" })).facts);
    });

    test("what is published changes in a draft copy, which one call drops", async () => {
      const made = await draft();
      const { id } = await agent.call("submit_for_review", { id: made.id, etag: made.etag });
      const { version } = await team.page(id);
      await team.approver.json("POST", `/articles/${id}/approve-and-publish`, { version });
      const { etag, text } = await agent.call("read_article", { id });
      const edited = await agent.call("edit_article", { id, etag, edits: [{ old: "two", new: "2" }] });
      assert.deepEqual([edited.facts["state"], edited.facts["has_draft"]], ["published", true]);
      assert.equal((await agent.call("read_article", { id })).text, "One 2 three.\n\nFour *five* six.\n");
      assert.match(String((await service.detail(id))["content"]), /two/);
      const dropped = await agent.call("restore_revision", record(record(edited.facts["undo"])["arguments"]));
      assert.deepEqual([dropped.facts["has_draft"], (await agent.call("read_article", { id })).text], [false, text]);
    });
  });
}

test("a token of the scope publish may do no more here than one of draft; one of read only reads", async () => {
  await using publisher = await Agent.start(service, { scope: "publish" });
  await using reader = await Agent.start(service, { scope: "read" });
  const { id, etag } = await publisher.call("create_draft", { title: unique(), markdown: "One two three" });
  const { facts } = await publisher.call("read_article", { id });
  assert.deepEqual(facts["allowed"], ["edit", "submit"]);
  assert.equal((await reader.call("read_article", { id })).text, "One two three");
  const refused = await reader.refused("edit_article", { id, etag, fields: { title: unique() } });
  assert.deepEqual(
    [refused["code"], /scope draft; the scope of this one is read/.test(String(refused["message"]))],
    ["forbidden", true],
  );
});

test("no request failed", () => team.assertNoneFailed());
