/** What changed in an article, as its reviewer sees it. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { type Json, record, records } from "../helpers/http.ts";
import { articlePage, assertRefused, openTeam, type Team } from "../helpers/team.ts";
import { LONG_ONLY } from "../helpers/full-run.ts";

let team: Team;

before(async () => {
  team = await openTeam();
});
after(() => team[Symbol.asyncDispose]());
afterEach(() => team.assertNoneFailed());

const edit = async (id: string, changes: Json) => {
  const { version, savedAt: draft_saved_at } = await team.page(id);
  return articlePage(await team.editor.json("PATCH", `/articles/${id}`, { version, draft_saved_at, changes }));
};
const decide = async (id: string, name: string, body: Json = {}, browser = team.approver) => {
  const { version } = await team.page(id);
  await browser.json("POST", `/articles/${id}/${name}`, { version, ...body });
};
const base = async (id: string, browser = team.approver) =>
  String(records((await browser.json("GET", `/articles/${id}/redline-bases`))["bases"])[0]?.["revision"]);
const bases = async (id: string, browser = team.approver) =>
  records((await browser.json("GET", `/articles/${id}/redline-bases`))["bases"]).map(({ base, by }) => [
    base,
    record(by)["name"],
  ]);
const redline = (id: string, from: string, to = "current", browser = team.approver) =>
  browser.json("GET", `/articles/${id}/redline?from=${from}&to=${to}`);

test("a reviewer sees what changed since their own review, others since the request", async () => {
  const id = await team.newArticle({ content: "<p>We sail at noon.</p>" });
  assert.deepEqual(await bases(id), [], "nothing has changed");
  await decide(id, "request-changes", { reason: "When exactly?" });
  assert.deepEqual(await bases(id), [], "nothing has changed since");
  await edit(id, { content: "<p>We sail at noon, from the pier.</p>" });
  await edit(id, { content: "<p>We sail at one, from the pier.</p>", tags: ["boats"] });
  await decide(id, "submit", {}, team.editor);
  assert.deepEqual(await bases(id), [["review", "approver"]]);
  assert.deepEqual(await bases(id, team.owner), [["request", "approver"]]);
  const found = await redline(id, await base(id));
  assert.match(
    String(found["content"]),
    /^<p>We sail at <del [^>]*>noon<\/del><ins [^>]*>one, from the pier<\/ins>\.<\/p>$/,
  );
  assert.deepEqual([found["inserted_words"], found["deleted_words"], found["fields"]], [4, 1, ["tags"]]);
  assert.deepEqual(await redline(id, await base(id, team.owner), "current", team.owner), found);

  await decide(id, "approve");
  assert.deepEqual(await bases(id), [], "they have approved this text");
  await decide(id, "publish");
  await edit(id, { title: "Sailing", content: "<p>We sail at two, from the pier.</p>" });
  assert.deepEqual(
    (await bases(id)).map(([base]) => base),
    ["review", "live"],
  );
  const draft = await redline(id, "live", "draft");
  assert.match(String(draft["title"]), /<ins data-redline="ins">Sailing<\/ins>/);
  assert.match(String(draft["content"]), /at <del [^>]*>one<\/del><ins [^>]*>two<\/ins>, from/);
});

test("any two revisions can be compared; an unknown one is refused", async () => {
  const id = await team.newArticle({ content: "<p>The first tide is at one.</p>" });
  await edit(id, { content: "<p>The first tide is at two.</p>" });
  await edit(id, { content: "<p>The first tide is at three.</p>" });
  const revisions = (await team.history(id)).map(({ revision }) => String(revision)).filter((one) => one !== "null");
  const [third, second, first] = revisions;
  const found = await redline(id, String(first), String(second));
  assert.match(String(found["content"]), />one<\/del><ins [^>]*>two</);
  assert.match(String((await redline(id, String(second), String(third)))["content"]), />two<\/del><ins [^>]*>three</);
  for (const from of ["approved", "nothing"]) {
    await assertRefused(team.viewer, "GET", `/articles/${id}/redline?from=${from}&to=current`, undefined, 404);
  }
});

test("texts that are too long are refused with a message, while other articles are compared", LONG_ONLY, async () => {
  const [id, small] = [
    await team.newArticle({ content: "<p>x</p>" }),
    await team.newArticle({ content: "<p>One.</p>" }),
  ];
  await edit(small, { content: "<p>Two.</p>" });
  await edit(id, { content: "<p>y</p>" });
  // Preparing such a text takes a second.
  const long = `<p>${"a b ".repeat(310_000)}</p>`;
  await team.service.app.store.write((db) =>
    db.run("UPDATE article_bodies SET html = ? WHERE row_no = (SELECT row_no FROM articles WHERE id = ?)", long, id),
  );
  const revision = String((await team.history(id)).at(-1)?.["revision"]);
  const [refused] = await Promise.all([
    assertRefused(team.viewer, "GET", `/articles/${id}/redline?from=${revision}&to=current`, undefined, 422),
    redline(small, String((await team.history(small)).at(-1)?.["revision"])),
  ]);
  assert.match(refused.message, /too long/);
});
