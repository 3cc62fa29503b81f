/** A source that comes again: what people did stays, and what they and the source changed is held for them. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { importArticles, type ImportSummary } from "../../src/operations/articles/import/imports.ts";
import {
  applyHeldChanges,
  dropHeldChanges,
  listHeldChanges,
} from "../../src/operations/articles/review/held-changes.ts";
import { makeEdit } from "../../src/operations/articles/write/article-changes.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { applyDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { findDraftCopy } from "../../src/store/articles/draft-copies.ts";
import { deleteArticles } from "../../src/store/articles/purging.ts";
import { CHIEF, PROSE } from "../helpers/articles.ts";
import { records } from "../helpers/http.ts";
import { cases, fc, IS_THOROUGH } from "../helpers/properties.ts";
import { assertRefused, openTeam } from "../helpers/team.ts";
import type { Browser } from "../people/dashboard.ts";

const team = await openTeam();
after(() => team[Symbol.asyncDispose]());
const { app, website } = team.service;

interface Options {
  hidden?: string;
  status?: "pending";
  overwrite?: boolean;
  dryRun?: boolean;
  mayApprove?: boolean;
  acceptLoss?: boolean;
}

/** Imports one article. */
async function bring(
  ref: string,
  input: ArticleInput,
  { mayApprove = true, hidden, ...options }: Options = {},
): Promise<ImportSummary> {
  async function* items() {
    yield { kind: "draft" as const, source: ref, ref, input, ...(hidden === undefined ? {} : { hidden }) };
  }
  const actor = { ...CHIEF, id: "import", mayApprove };
  return importArticles(app, website.id, items(), { events: false, dryRun: false, actor, ...options });
}

/** The only outcome of an import. */
function outcome({ created, updated, unchanged, held, failed, skipped }: ImportSummary): string {
  const all = { created, updated, unchanged, held: held.length, failed: failed.length, skipped: skipped.length };
  return Object.entries(all)
    .filter(([, count]) => count > 0)
    .map(([name]) => name)
    .join();
}

async function idOf(ref: string): Promise<string> {
  const row = await app.store.read((db) =>
    db.get("SELECT id FROM articles JOIN article_origins USING (row_no) WHERE source = ?", ref),
  );
  assert.ok(row !== undefined, ref);
  return row.id;
}

async function seen(id: string) {
  const full = await team.stored(id);
  const draft = await app.store.read((db) => findDraftCopy(db, full.article.rowNo));
  return { version: full.article.version, draftSavedAt: draft?.savedAt ?? null };
}

const POST: ArticleInput = { title: "Taken down", status: "published", tags: ["x"], content: "<p>Original</p>" };

async function correct(id: string, changes: ArticleInput): Promise<void> {
  await articles.updateArticle(app, id, changes, CHIEF);
}

test("a correction and a take-down stay when the source brings a new tag, and the tag arrives", async () => {
  await bring("a.md", POST);
  const id = await idOf("a.md");
  await correct(id, { content: "<p>Corrected</p>" });
  await articles.unpublishArticle(app, id, CHIEF);
  const changed = { ...POST, tags: ["x", "y"] };
  assert.equal(outcome(await bring("a.md", changed, { dryRun: true })), "updated");
  assert.equal(outcome(await bring("a.md", changed)), "updated");
  const { article, body } = await team.stored(id);
  assert.deepEqual([article.status, article.tags, body.html], ["approved", ["x", "y"], "<p>Corrected</p>"]);
  assert.deepEqual(await listHeldChanges(app, id), []);
});

const SECRET: ArticleInput = { ...POST, title: "Secret", status: "pending", content: "<p>Secret</p>" };
const HIDDEN = "It is not open to everybody on its site (password).";

test("what its site hides now is taken down where nobody changed its state, and comes back with it", async () => {
  await bring("closing.md", POST);
  const id = await idOf("closing.md");
  const closed = { dryRun: true, hidden: HIDDEN };
  const would = await bring("closing.md", SECRET, closed);
  const did = await bring("closing.md", SECRET, { hidden: HIDDEN });
  assert.deepEqual(did, would);
  assert.deepEqual([outcome(did), did.hidden], ["updated", [{ source: "closing.md", reason: HIDDEN }]]);
  const { article, body } = await team.stored(id);
  assert.deepEqual([article.status, article.approvedAt, body.html], ["pending", null, "<p>Secret</p>"]);
  assert.equal(outcome(await bring("closing.md", POST)), "updated");
  assert.equal((await team.stored(id)).article.status, "published");
});

test("a source that only withdraws its status takes the article down; the status that an importer names does not", async () => {
  await bring("status.json", POST);
  const id = await idOf("status.json");
  await bring("status.json", POST, { status: "pending" });
  assert.equal((await team.stored(id)).article.status, "published");
  await bring("status.json", POST);
  assert.equal(outcome(await bring("status.json", { ...POST, status: "pending" }, { mayApprove: false })), "unchanged");
  await bring("down.json", POST);
  const down = await idOf("down.json");
  const { draftSavedAt, version } = await seen(down);
  await makeEdit(app, down, { changes: { title: "Draft" }, seen: { draftSavedAt, version }, asDraft: true }, CHIEF);
  assert.equal(outcome(await bring("down.json", { ...POST, status: "pending" })), "updated");
  assert.equal((await team.stored(down)).article.status, "pending");
});

test("what its site hides is held where people published it, and never approved by an import", async () => {
  await bring("theirs.md", SECRET, { hidden: HIDDEN });
  const id = await idOf("theirs.md");
  await articles.approveAndPublishArticle(app, id, CHIEF);
  const more = { ...SECRET, content: "<p>More</p>", reportedMetrics: { score: 1 } };
  const would = await bring("theirs.md", more, { hidden: HIDDEN, dryRun: true });
  const did = await bring("theirs.md", more, { hidden: HIDDEN });
  assert.deepEqual(did, would);
  assert.equal(outcome(did), "held");
  assert.match(did.held[0]?.reason ?? "", /password\)\. It is still published here: content\./);
  assert.equal((await team.stored(id)).body.html, "<p>Secret</p>");
  await articles.unpublishArticle(app, id, CHIEF);
  await dropHeldChanges(app, id, (await listHeldChanges(app, id))[0] as { source: string; heldAt: number }, CHIEF);
  assert.equal(outcome(await bring("theirs.md", { ...more, tags: ["z"] }, { hidden: HIDDEN })), "updated");
  assert.equal((await team.stored(id)).article.status, "pending");
});

const MARKUP = `<p>See {{< tweet 20 >}}</p><p>${PROSE}</p>`;
const DOUBT = "Source markup left as text: {{< tweet 20 >}}.";

test("what shows source markup waits for review, whatever it asks for, until its source mends it or it is accepted", async () => {
  const post = { ...POST, title: "Markup", content: MARKUP };
  const would = await bring("markup.md", post, { dryRun: true });
  const did = await bring("markup.md", post);
  assert.deepEqual(did, would);
  assert.deepEqual([outcome(did), did.hidden], ["created", [{ source: "markup.md", reason: DOUBT }]]);
  assert.deepEqual(did.warnings, [{ source: "markup.md", kind: "source_markup", detail: "{{< tweet 20 >}}" }]);
  assert.deepEqual(did.warning_counts, { source_markup: 1 });
  const id = await idOf("markup.md");
  assert.equal((await team.stored(id)).article.status, "pending");
  assert.equal(outcome(await bring("markup.md", post)), "unchanged");
  // Another change does not publish it.
  assert.equal(outcome(await bring("markup.md", { ...post, tags: ["z"] })), "updated");
  assert.equal((await team.stored(id)).article.status, "pending");
  assert.equal(outcome(await bring("markup.md", { ...post, content: "<p>See it</p>" })), "updated");
  assert.equal((await team.stored(id)).article.status, "published");
  await bring("accepted.md", post);
  const accepted = await bring("accepted.md", post, { acceptLoss: true });
  assert.deepEqual([outcome(accepted), accepted.hidden], ["updated", []]);
  assert.equal((await team.stored(await idOf("accepted.md"))).article.status, "published");
  assert.equal(outcome(await bring("accepted.md", post, { acceptLoss: true })), "unchanged");
});

test("a live article stays as it is when its source brings such a text, which is held", async () => {
  await bring("live.md", { ...POST, title: "Live" });
  const id = await idOf("live.md");
  const broken = { ...POST, title: "Live", content: MARKUP };
  const would = await bring("live.md", broken, { dryRun: true });
  const did = await bring("live.md", broken);
  assert.deepEqual(did, would);
  assert.equal(outcome(did), "held");
  assert.match(did.held[0]?.reason ?? "", /^Source markup left .* 20 >\}\}\. It is still published here: content\./);
  const { article, body } = await team.stored(id);
  assert.deepEqual([article.status, body.html], ["published", "<p>Original</p>"]);
  assert.equal(outcome(await bring("live.md", broken)), "unchanged");
  const lost = `<p>One two three</p><textarea>four five six</textarea>`;
  await bring("live.md", { ...POST, title: "Live", content: lost }, { acceptLoss: true });
  assert.equal((await team.stored(id)).body.text, "One two three");
});

test("updated_at is the source's own time, and what people changed later keeps its later time", async () => {
  const [first, second] = [Date.UTC(2020, 0, 1), Date.UTC(2021, 0, 1)];
  const dated = { ...POST, publishedAt: first, updatedAt: first };
  await bring("dated.md", dated);
  const id = await idOf("dated.md");
  const updatedAt = async () => (await team.stored(id)).article.updatedAt;
  assert.equal(await updatedAt(), first);
  assert.equal(outcome(await bring("dated.md", dated)), "unchanged");
  assert.equal(outcome(await bring("dated.md", { ...dated, tags: ["y"], updatedAt: second })), "updated");
  assert.equal(await updatedAt(), second);
  await correct(id, { content: "<p>Corrected</p>" });
  const corrected = await updatedAt();
  assert.equal(outcome(await bring("dated.md", { ...dated, tags: ["z"], updatedAt: second + 1 })), "updated");
  assert.equal(await updatedAt(), corrected);
  const later = corrected + 86_400_000;
  assert.equal(outcome(await bring("dated.md", { ...dated, tags: ["w"], updatedAt: later })), "updated");
  assert.equal(await updatedAt(), later);
});

test("what the source and people both changed is held, says so once, and is replaced by what the source brings next", async () => {
  await bring("held.md", POST);
  const id = await idOf("held.md");
  await correct(id, { content: "<p>Corrected</p>" });
  const second = { ...POST, content: "<p>Second</p>", metaTitle: "New" };
  for (const dryRun of [true, false]) {
    const { held } = await bring("held.md", second, { dryRun });
    const reason = held[0]?.reason ?? "";
    assert.match(reason, /^Changed here, too: content\. .* The other changes /);
    assert.match(reason, dryRun ? / would be applied\.$/ : / were applied\.$/);
  }
  assert.equal(outcome(await bring("held.md", second)), "unchanged");
  const { article, body } = await team.stored(id);
  assert.deepEqual([article.metaTitle, body.html], ["New", "<p>Corrected</p>"]);
  assert.deepEqual(
    (await listHeldChanges(app, id)).map(({ changes }) => changes),
    [{ content: "<p>Second</p>" }],
  );
  assert.equal(outcome(await bring("held.md", { ...second, content: "<p>Third</p>" })), "held");
  assert.deepEqual(
    (await listHeldChanges(app, id)).map(({ changes }) => changes),
    [{ content: "<p>Third</p>" }],
  );
});

test("a source that goes back to what it brought before withdraws its proposal", async () => {
  await bring("back.md", POST);
  const id = await idOf("back.md");
  await correct(id, { content: "<p>Corrected</p>", title: "Better title" });
  const second = { ...POST, content: "<p>Second<script></script></p>", title: "Second" };
  assert.equal(outcome(await bring("back.md", second)), "held");
  assert.equal(outcome(await bring("back.md", { ...second, title: "Taken down" })), "unchanged");
  const [one] = await listHeldChanges(app, id);
  assert.deepEqual(one?.changes, { content: second.content });
  const unread = async () =>
    records((await team.editor.json("GET", "/inbox?unread=true"))["notifications"]).some((told) =>
      JSON.stringify(told).includes(id),
    );
  assert.ok(await unread());
  assert.equal(outcome(await bring("back.md", POST)), "unchanged");
  assert.deepEqual(await listHeldChanges(app, id), []);
  assert.ok(!(await unread()), "nobody is asked any more");
  const { article, body } = await team.stored(id);
  assert.deepEqual([article.title, body.html], ["Better title", "<p>Corrected</p>"]);
  // The text that people accepted is the one to go back to.
  assert.equal(outcome(await bring("back.md", second)), "held");
  const [again] = await listHeldChanges(app, id);
  assert.ok(again !== undefined);
  await applyHeldChanges(app, id, { ...again, ...(await seen(id)) }, CHIEF);
  await applyDraftCopy(app, id, CHIEF);
  await correct(id, { content: "<p>Corrected twice</p>" });
  assert.equal(outcome(await bring("back.md", { ...second, content: "<p>Third</p>" })), "held");
  assert.equal(outcome(await bring("back.md", second)), "unchanged");
  assert.deepEqual(await listHeldChanges(app, id), []);
});

test("what an importer who may not approve brings to a published article is held, and goes on once it was applied", async () => {
  const byEditor = { mayApprove: false };
  await bring("editor.md", POST);
  const id = await idOf("editor.md");
  const second = { ...POST, content: "<p>Second</p>", metaTitle: "New", platformUrl: "https://example.com/a" };
  for (const dryRun of [true, false]) {
    const { held } = await bring("editor.md", second, { ...byEditor, dryRun });
    assert.match(held[0]?.reason ?? "", /^It is published.*: content, meta_title\. Apply or drop/);
  }
  assert.equal(outcome(await bring("editor.md", second, byEditor)), "unchanged");
  const isUntouched = async () => {
    const { article, body } = await team.stored(id);
    assert.deepEqual([article.metaTitle, article.platformUrl, body.html], [null, null, "<p>Original</p>"]);
  };
  await isUntouched();
  assert.equal(outcome(await bring("editor.md", { ...second, tags: ["y"] }, { ...byEditor, overwrite: true })), "held");
  await isUntouched();
  const [one] = await listHeldChanges(app, id);
  assert.deepEqual(one?.changes, { content: "<p>Second</p>", metaTitle: "New", tags: ["y"] });
  await applyHeldChanges(app, id, { ...one, ...(await seen(id)) }, { ...CHIEF, mayApprove: false });
  await isUntouched();
  await applyDraftCopy(app, id, CHIEF);
  assert.equal((await team.stored(id)).body.html, "<p>Second</p>");
  assert.equal(outcome(await bring("editor.md", { ...second, content: "<p>Third</p>" })), "updated");
  assert.equal(outcome(await bring("editor.md", { ...second, content: "<p>Fourth</p>" }, byEditor)), "held");
  const back = { ...second, content: "<p>Third</p>", updatedAt: Date.UTC(2030, 0, 1) };
  assert.equal(outcome(await bring("editor.md", back, byEditor)), "unchanged");
  assert.deepEqual(await listHeldChanges(app, id), []);
});

test("held changes are applied to the draft copy of a published article, and the source goes on from there", async () => {
  await bring("apply.md", POST);
  const id = await idOf("apply.md");
  await correct(id, { content: "<p>Corrected</p>" });
  await bring("apply.md", { ...POST, content: "<p>Second</p>" });
  const [one] = await listHeldChanges(app, id);
  assert.ok(one !== undefined);
  await assert.rejects(applyHeldChanges(app, id, { ...one, heldAt: one.heldAt - 1, ...(await seen(id)) }, CHIEF));
  await applyHeldChanges(app, id, { ...one, ...(await seen(id)) }, CHIEF);
  assert.equal((await team.stored(id)).body.html, "<p>Corrected</p>");
  await applyDraftCopy(app, id, CHIEF);
  assert.equal((await team.stored(id)).body.html, "<p>Second</p>");
  assert.deepEqual(await listHeldChanges(app, id), []);
  assert.equal(outcome(await bring("apply.md", { ...POST, content: "<p>Third</p>" })), "updated");
  assert.equal((await team.stored(id)).body.html, "<p>Third</p>");
});

test("held changes are listed in the dashboard with their redline, and applied or dropped there", async () => {
  await bring("dashboard.md", POST);
  const id = await idOf("dashboard.md");
  await correct(id, { content: "<p>Corrected</p>" });
  await bring("dashboard.md", { ...POST, content: "<p>Second</p>" });
  const list = async () => records((await team.viewer.json("GET", `/articles/${id}/held`))["held"]);
  const [held = {}] = await list();
  assert.deepEqual([held["source"], held["fields"]], ["dashboard.md", ["content"]]);
  const inList = async () =>
    records((await team.viewer.json("GET", `/articles?website_id=${website.id}&view=held&limit=100`))["articles"])
      .map((line) => line["id"])
      .includes(id);
  assert.ok(await inList());
  const told = JSON.stringify(await team.editor.json("GET", "/inbox"));
  assert.match(told, /"held"/);
  assert.ok(!JSON.stringify(await team.viewer.json("GET", "/inbox")).includes('"held"'));
  const redline = await team.viewer.json("GET", `/articles/${id}/redline?from=current&to=${String(held["side"])}`);
  assert.match(String(redline["content"]), /<del[^>]*>Corrected<\/del>.*<ins[^>]*>Second<\/ins>|<ins[^>]*>Second/s);
  const { version } = await team.page(id);
  const { source, held_at } = held;
  const body = { source, held_at, version, draft_saved_at: null };
  const answer = await team.editor.json("POST", `/articles/${id}/held/apply`, body);
  assert.match(JSON.stringify(answer["draft"]), /Second/);
  assert.ok(!(await inList()));
  assert.deepEqual(await list(), []);
  await bring("dashboard.md", { ...POST, content: "<p>Third</p>" });
  const [again = {}] = await list();
  const drop = { source: again["source"], held_at: again["held_at"] };
  await team.editor.json("POST", `/articles/${id}/held/drop`, drop);
  assert.deepEqual(await list(), []);
  team.assertNoneFailed();
});

test("where a second person is needed, nobody approves a held change that they brought", async () => {
  await team.owner.json("PATCH", `/websites/${website.id}`, { requires_second_person: true });
  const drop = (who: Browser, name: string, text: string) =>
    who.sendFile(`/imports?website_id=${website.id}&name=${name}`, `---\ntitle: Second\n---\n${text}\n`);
  const apply = async (id: string) => {
    const { version, savedAt } = await team.page(id);
    const [held] = records((await team.owner.json("GET", `/articles/${id}/held`))["held"]);
    const body = { source: held?.["source"], held_at: held?.["held_at"], version, draft_saved_at: savedAt };
    await team.editor.json("POST", `/articles/${id}/held/apply`, body);
    const page = await team.page(id);
    return { version: page.version, draft_saved_at: page.savedAt };
  };
  try {
    await drop(team.editor, "second.md", "Editor's");
    const live = await idOf("markdown:second.md");
    const { version } = await team.page(live);
    await team.approver.json("POST", `/articles/${live}/approve-and-publish`, { version });
    await drop(team.approver, "second.md", "Approver's");
    const seenDraft = await apply(live);
    await assertRefused(team.approver, "POST", `/articles/${live}/draft/publish`, seenDraft, 403);
    await team.owner.json("POST", `/articles/${live}/draft/publish`, seenDraft);

    await drop(team.editor, "pending.md", "Editor's");
    const pending = await idOf("markdown:pending.md");
    await correct(pending, { markdown: "Corrected" });
    await drop(team.approver, "pending.md", "Approver's");
    const { version: applied } = await apply(pending);
    await assertRefused(team.approver, "POST", `/articles/${pending}/approve`, { version: applied }, 409);
    await team.owner.json("POST", `/articles/${pending}/approve`, { version: applied });
  } finally {
    await team.owner.json("PATCH", `/websites/${website.id}`, { requires_second_person: false });
  }
});

test("dropped changes do not come again until the source changes them again", async () => {
  await bring("drop.md", POST);
  const id = await idOf("drop.md");
  await correct(id, { title: "Better title" });
  await bring("drop.md", { ...POST, title: "Second" });
  const [one] = await listHeldChanges(app, id);
  assert.ok(one !== undefined);
  await dropHeldChanges(app, id, one, CHIEF);
  await assert.rejects(dropHeldChanges(app, id, one, CHIEF), /already applied or dropped/);
  assert.equal(outcome(await bring("drop.md", { ...POST, title: "Second", tags: ["z"] })), "updated");
  assert.deepEqual([await listHeldChanges(app, id), (await team.stored(id)).article.title], [[], "Better title"]);
  assert.equal(outcome(await bring("drop.md", { ...POST, title: "Third" })), "held");
  assert.ok((await team.actions(id)).includes("article.held_dropped"));
});

test("the fields of a draft copy count as changed by people", async () => {
  await bring("drafted.md", POST);
  const id = await idOf("drafted.md");
  await makeEdit(app, id, { changes: { title: "Drafted" }, seen: await seen(id), asDraft: true }, CHIEF);
  assert.equal(outcome(await bring("drafted.md", { ...POST, title: "Second" })), "held");
  assert.equal((await team.stored(id)).article.title, POST.title);
});

test("a deleted article stays deleted, in the trash and after it; --overwrite brings back what is no longer in the trash", async () => {
  await bring("deleted.md", POST);
  const id = await idOf("deleted.md");
  const { rowNo } = (await team.stored(id)).article;
  await articles.deleteArticle(app, id, CHIEF);
  const changed = { ...POST, tags: [] };
  assert.match((await bring("deleted.md", changed)).skipped[0]?.reason ?? "", /in the trash/);
  await app.store.write((db) => deleteArticles(db, website.id, [rowNo]));
  assert.match((await bring("deleted.md", changed)).skipped[0]?.reason ?? "", /deleted permanently/);
  assert.equal(outcome(await bring("deleted.md", changed, { overwrite: true })), "created");
});

test("--overwrite applies all that the source says, the state included, and settles what is held", async () => {
  await bring("over.md", POST);
  const id = await idOf("over.md");
  await correct(id, { content: "<p>Corrected</p>" });
  await articles.unpublishArticle(app, id, CHIEF);
  await bring("over.md", { ...POST, content: "<p>Second</p>" });
  assert.equal((await listHeldChanges(app, id)).length, 1);
  assert.equal(outcome(await bring("over.md", { ...POST, content: "<p>Second</p>" }, { overwrite: true })), "updated");
  const { article, body } = await team.stored(id);
  assert.deepEqual([article.status, body.html], ["published", "<p>Second</p>"]);
  assert.deepEqual(await listHeldChanges(app, id), []);
});

test("a source that first meets an article holds what differs, and the source that made it is still recognised", async () => {
  await bring("first.md", POST);
  const id = await idOf("first.md");
  assert.equal(outcome(await bring("other.json", { ...POST, id, title: "Other" })), "held");
  assert.equal(outcome(await bring("first.md", { ...POST, tags: ["new"] })), "updated");
  assert.equal(outcome(await bring("other.json", { ...POST, id, title: "Other", metaTitle: "M" })), "updated");
  const { article } = await team.stored(id);
  assert.deepEqual([article.title, article.tags, article.metaTitle], [POST.title, ["new"], "M"]);
});

const NAMES = ["title", "content", "metaTitle"] as const;
type Values = Record<(typeof NAMES)[number], string>;
type Known = Partial<Values>;

interface Source {
  /** Whether it has brought the article. */
  knows: boolean;
  brought: Known;
  /** The values that were its own, or that it agreed with. */
  base: Known;
  /** As it brought these. */
  agreed: Known;
  held: Known;
  sent: string;
  /** The last that counted: what an importer who may not change the article says of its state does not. */
  status: string;
  baseStatus: string | undefined;
}

/** A thousand interleavings on PostgreSQL take longer than any other test. */
const MODEL = IS_THOROUGH ? { timeout: 1_200_000 } : {};

const step = fc.oneof(
  fc.record({
    kind: fc.constant("bring" as const),
    by: fc.constantFrom("A", "B"),
    changes: fc.subarray([...NAMES]),
    to: fc.constantFrom("new", "new", "live", "agreed"),
    mayApprove: fc.integer({ min: 0, max: 4 }).map((one) => one > 0),
    status: fc.constantFrom("pending", "published"),
    overwrite: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
  }),
  fc.record({ kind: fc.constantFrom("edit" as const, "draft" as const), name: fc.constantFrom(...NAMES) }),
  fc.record({ kind: fc.constantFrom("apply" as const, "drop" as const), by: fc.constantFrom("A", "B") }),
  fc.record({ kind: fc.constantFrom("publish", "unpublish", "publish draft", "delete", "restore", "same") }),
);

test("whatever two sources and people do in turn, no accepted change is lost, and none is undone", MODEL, async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      run++;
      let count = 0;
      const value = (name: keyof Values) => {
        count++;
        return name === "content" ? `<p>Value ${count}</p>` : `Value ${count}`;
      };
      const first = { title: value("title"), content: value("content"), metaTitle: value("metaTitle") };
      await bring(`A ${run}`, { ...first, status: "published" });
      const id = await idOf(`A ${run}`);
      const live: Values = { ...first };
      let draft: Known = {};
      let status = "published";
      let isDeleted = false;
      const sources: Record<string, Source> = {
        A: {
          knows: true,
          brought: first,
          base: { ...first },
          agreed: { ...first },
          held: {},
          sent: status,
          status,
          baseStatus: status,
        },
        B: { knows: false, brought: {}, base: {}, agreed: {}, held: {}, sent: "", status: "", baseStatus: undefined },
      };
      const items: Record<string, Values> = { A: first, B: first };
      for (const one of steps) {
        const source = sources["by" in one ? one.by : "A"] as Source;
        if (one.kind === "bring") {
          const item = { ...(items[one.by] as Values) };
          for (const name of one.changes)
            item[name] =
              one.to === "live" ? live[name] : ((one.to === "agreed" ? source.agreed[name] : undefined) ?? value(name));
          items[one.by] = item;
          const input = { ...item, status: one.status, id };
          const { overwrite } = one;
          const mayApprove = one.mayApprove || status !== "published";
          const options = { overwrite, mayApprove };
          const would = outcome(await bring(`${one.by} ${run}`, input, { ...options, dryRun: true }));
          const did = outcome(await bring(`${one.by} ${run}`, input, options));
          assert.equal(would, did, "the dry run says the same");
          if (isDeleted) {
            assert.equal(did, "skipped");
            continue;
          }
          const isNews = (name: keyof Values) => overwrite || !source.knows || source.brought[name] !== item[name];
          const isAsStored = (name: keyof Values) =>
            source.knows && source.base[name] === live[name] && draft[name] === undefined;
          const wouldApply = (name: keyof Values) => isNews(name) && (overwrite || isAsStored(name));
          const mayApply = mayApprove || !NAMES.some((name) => wouldApply(name) && item[name] !== live[name]);
          let isHeld = false;
          for (const name of NAMES) {
            if ((mayApply && wouldApply(name)) || item[name] === live[name]) {
              live[name] = item[name];
              source.base[name] = item[name];
              source.agreed[name] = item[name];
              if (isNews(name)) delete source.held[name];
            } else if (isNews(name)) {
              if (!overwrite && source.agreed[name] === item[name]) delete source.held[name];
              else {
                source.held[name] = item[name];
                isHeld = true;
              }
            }
          }
          assert.equal(did === "held", isHeld);
          Object.assign(source, { brought: item, sent: one.status, knows: true });
          if (mayApply) {
            const isOwn = source.baseStatus === status;
            const isMoved = overwrite || (isOwn && source.status !== one.status);
            if (mayApprove && isMoved) status = one.status;
            if (isOwn || one.status === status) source.baseStatus = status;
            source.status = one.status;
          }
        } else if (one.kind === "same") {
          const item = { ...sources["A"]?.brought, status: sources["A"]?.sent as "pending" | "published", id };
          assert.equal(outcome(await bring(`A ${run}`, item)), isDeleted ? "skipped" : "unchanged");
        } else if (one.kind === "restore") {
          if (isDeleted) await articles.restoreArticle(app, id, CHIEF);
          isDeleted = false;
        } else if (isDeleted) continue;
        else if (one.kind === "edit") {
          live[one.name] = value(one.name);
          await correct(id, { [one.name]: live[one.name] });
        } else if (one.kind === "draft" && status === "published") {
          draft[one.name] = value(one.name);
          const changes = { [one.name]: draft[one.name] };
          await makeEdit(app, id, { changes, seen: await seen(id), asDraft: true }, CHIEF);
        } else if (one.kind === "publish draft" && Object.keys(draft).length > 0) {
          await applyDraftCopy(app, id, CHIEF);
          Object.assign(live, draft);
          draft = {};
        } else if (one.kind === "publish" && status === "approved") {
          await articles.publishArticle(app, id, CHIEF);
          status = "published";
        } else if (one.kind === "unpublish" && status === "published" && Object.keys(draft).length === 0) {
          await articles.unpublishArticle(app, id, CHIEF);
          status = "approved";
        } else if (one.kind === "delete" && Object.keys(draft).length === 0) {
          await articles.deleteArticle(app, id, CHIEF);
          isDeleted = true;
        } else if (one.kind === "apply" || one.kind === "drop") {
          const name = `${one.by} ${run}`;
          const found = (await listHeldChanges(app, id)).find((other) => other.source === name);
          assert.deepEqual(found?.changes ?? {}, source.held);
          if (found === undefined) continue;
          const { held } = source;
          source.held = {};
          if (one.kind === "drop") await dropHeldChanges(app, id, found, CHIEF);
          else {
            await applyHeldChanges(app, id, { ...found, ...(await seen(id)) }, CHIEF);
            const would: Known = { ...live, ...draft };
            const names = NAMES.filter((other) => held[other] !== undefined);
            const isNew = names.some((other) => would[other] !== held[other]);
            for (const other of names) {
              if (would[other] !== held[other]) {
                if (status === "published") draft[other] = held[other] as string;
                else live[other] = held[other] as string;
              }
              source.base[other] = isNew ? (held[other] as string) : live[other];
              source.agreed[other] = held[other] as string;
            }
          }
        }
        const { article, body } = await team.stored(id);
        const is = { title: article.title, content: body.html, metaTitle: article.metaTitle };
        assert.deepEqual([is, article.status, article.deletedAt !== null], [live, status, isDeleted]);
      }
      const held = new Map((await listHeldChanges(app, id)).map(({ source, changes }) => [source, changes]));
      for (const [name, { held: expected }] of Object.entries(sources)) {
        assert.deepEqual(held.get(`${name} ${run}`) ?? {}, expected);
      }
    }),
    { numRuns: IS_THOROUGH ? 1_000 : cases(100) },
  );
});
