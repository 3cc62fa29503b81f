/** Since when an article is in its state: what moves the time, and what leaves it. */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import type { ImportItem } from "../../src/operations/articles/import/import-items.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import {
  approveArticle,
  assignArticle,
  deleteArticle,
  publishArticle,
  requestChanges,
  restoreArticle,
  scheduleArticle,
  submitArticle,
  unpublishArticle,
  updateArticle,
  withdrawArticle,
} from "../../src/operations/articles/write/articles.ts";
import { CHIEF, FUTURE, TODAY, withClock, WRITER } from "../helpers/articles.ts";
import { record, records } from "../helpers/http.ts";
import { openTeam, type Team } from "../helpers/team.ts";

let team: Team;
before(async () => {
  team = await openTeam();
});
after(() => team[Symbol.asyncDispose]());

test("a change of status or review state sets the time, and no other change does", async () => {
  const id = await team.newArticle({ title: "From state to state", status: "pending" });
  const app = withClock(team.service.app, Date.now());
  let last = (await team.stored(id)).article.stateSince;
  const steps: [name: string, moves: boolean, step: () => Promise<unknown>][] = [
    ["an edit in review", false, () => updateArticle(app, id, { title: "Edited in review" }, WRITER)],
    ["an assignment", false, () => assignArticle(app, id, null, CHIEF)],
    ["a withdrawal", true, () => withdrawArticle(app, id, CHIEF)],
    ["a submission", true, () => submitArticle(app, id, CHIEF)],
    ["a request for changes", true, () => requestChanges(app, id, "Shorter.", CHIEF)],
    ["coming back", true, () => submitArticle(app, id, CHIEF)],
    ["an approval", true, () => approveArticle(app, id, CHIEF)],
    ["an edit by who may approve", false, () => updateArticle(app, id, { title: "Edited" }, CHIEF)],
    ["a schedule", false, () => scheduleArticle(app, id, FUTURE, CHIEF)],
    ["its end", false, () => scheduleArticle(app, id, null, CHIEF)],
    ["an edit that takes the approval", true, () => updateArticle(app, id, { title: "Edited again" }, WRITER)],
    ["another approval", true, () => approveArticle(app, id, CHIEF)],
    ["the publication", true, () => publishArticle(app, id, CHIEF)],
    ["an edit of what readers see", false, () => updateArticle(app, id, { title: "Corrected" }, CHIEF)],
    ["the trash", false, () => deleteArticle(app, id, CHIEF)],
    ["the way back", false, () => restoreArticle(app, id, CHIEF)],
    ["taking it offline", true, () => unpublishArticle(app, id, CHIEF)],
    ["publishing it again", true, () => publishArticle(app, id, CHIEF)],
  ];
  for (const [name, moves, step] of steps) {
    app.now += 60_000;
    await step();
    const { stateSince } = (await team.stored(id)).article;
    assert.equal(stateSince, moves ? app.now : last, name);
    assert.equal(Date.parse(String(record((await team.page(id)).all["line"])["state_since"])), stateSince, name);
    last = stateSince;
  }
});

test("what an import brings waits, and is published, since the import, whatever its dates", async () => {
  const website = await team.service.newWebsite({ name: "Moved here" });
  const app = withClock(team.service.app, Date.now());
  const bring = async (...items: ImportItem[]) => {
    app.now += 60_000;
    const options = { actor: CHIEF, events: false, dryRun: false };
    await importArticles(app, website.id, Readable.from(items), options);
    return app.now;
  };
  const list = async (query: string) =>
    records((await team.viewer.json("GET", `/articles?website_id=${website.id}&${query}`))["articles"]);
  const titles = async (query: string) => (await list(query)).map(({ title }) => title);
  const first = await bring(item("First", "pending", TODAY), item("Old news", "published", TODAY));
  await bring(item("Second", "pending", TODAY - 1e9), item("Older news", "published", TODAY - 1e9));
  assert.deepEqual(await titles("view=in_review"), ["Second", "First"], "what came last is first");
  assert.deepEqual(await titles("view=in_review&sort=state_since"), ["First", "Second"]);
  assert.deepEqual(await titles("view=published&sort=-state_since"), ["Older news", "Old news"]);
  assert.deepEqual(await titles("view=published"), ["Old news", "Older news"], "readers see them by their own dates");
  const [line] = await list("view=in_review&sort=state_since");
  assert.equal(Date.parse(String(line?.["state_since"])), first);
  await bring(item("First", "pending", TODAY, "Changed at its source."));
  assert.equal((await list("view=in_review&sort=state_since"))[0]?.["title"], "First", "a change leaves its place");
});

test("the articles of one import are in the order of their dates, however long it takes", async () => {
  const website = await team.service.newWebsite({ name: "A long import" });
  const app = withClock(team.service.app, Date.now());
  const items = [1, 2, 3].map((number) => item(`Number ${number}`, "pending", TODAY - number * 1_000));
  const slow = async function* () {
    for (const one of items) {
      yield one;
      app.now += 60_000;
    }
  };
  await importArticles(app, website.id, slow(), { actor: CHIEF, events: false, dryRun: false, batchItems: 1 });
  const found = await team.viewer.json("GET", `/articles?website_id=${website.id}&view=in_review`);
  assert.deepEqual(
    records(found["articles"]).map(({ title }) => title),
    ["Number 1", "Number 2", "Number 3"],
  );
});

function item(title: string, status: "pending" | "published", at: number, text = title): ImportItem {
  const dates = { createdAt: at, ...(status === "published" && { publishedAt: at }) };
  return { kind: "draft", source: title, ref: title, input: { title, status, content: `<p>${text}</p>`, ...dates } };
}
