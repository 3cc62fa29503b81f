/** Presence: who reads or edits an article now, for those who may read it, and for a minute at most. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { PRESENT_MS } from "../../src/domain/people/presence.ts";
import {
  endPresence,
  readPresent,
  reportPresence,
  sweepPresence,
} from "../../src/operations/articles/review/presence.ts";
import { readMarks } from "../../src/store/system/change-markers.ts";
import { records } from "../helpers/http.ts";
import { openTeam, type Team } from "../helpers/team.ts";
import type { Browser } from "../people/dashboard.ts";

let team: Team;

before(async () => {
  team = await openTeam();
});
after(() => team[Symbol.asyncDispose]());
afterEach(() => team.assertNoneFailed());

const seenBy = async (browser: Browser, path: string) =>
  records((await browser.json("GET", path))["people"]).map(({ name, activity }) => [name, activity]);

describe("who has an article open", () => {
  test("is seen by everybody else who may read it; who edits and reads it counts as editing", async () => {
    const path = `/articles/${await team.newArticle()}/presence`;
    assert.deepEqual(await team.viewer.json("PUT", path, { activity: "reading" }), { people: [] });
    await team.editor.json("PUT", path, { activity: "reading" });
    await team.editor.json("PUT", path, { activity: "editing" });
    assert.deepEqual(await seenBy(team.owner, path), [
      ["editor", "editing"],
      ["viewer", "reading"],
    ]);
    assert.deepEqual(await seenBy(team.viewer, path), [["editor", "editing"]]);
    assert.deepEqual(await seenBy(team.owner, `/articles/${await team.newArticle()}/presence`), []);
    await team.editor.json("DELETE", `${path}?activity=editing`, {}, 204);
    assert.deepEqual(await seenBy(team.viewer, path), [["editor", "reading"]]);
    await team.viewer.json("PUT", path, { activity: "editing" }, 403);
    const stranger = await team.people.person("viewer", null, "stranger@example.com");
    assert.deepEqual(await seenBy(stranger, path), [
      ["viewer", "reading"],
      ["editor", "reading"],
    ]);
  });

  test("is forgotten 45 seconds after the last report, and deleted soon after", async () => {
    const { app, website } = team.service;
    const articleId = await team.newArticle();
    let now = app.clock() + 3_600_000;
    const deps = { ...app, clock: () => now };
    const key = { websiteId: website.id, articleId, accountId: "chief", activity: "editing" } as const;
    const rows = () =>
      app.store.read((db) => db.all("SELECT arrived_at, seen_at FROM presence WHERE article_id = ?", articleId));
    const times = async () => (await rows()).map((row) => [row.arrived_at, row.seen_at]);
    const mark = async () => (await app.store.read((db) => readMarks(db, website.id, now))).presence;

    await sweepPresence(deps);
    const nobody = await mark();
    const arrived = now;
    await reportPresence(deps, key);
    const editing = await mark();
    assert.notEqual(editing, nobody);
    // Too soon to be written again.
    now = arrived + 14_999;
    await reportPresence(deps, key);
    assert.deepEqual(await times(), [[arrived, arrived]]);
    now = arrived + 20_000;
    await reportPresence(deps, key);
    assert.deepEqual(await times(), [[arrived, now]]);
    // Whoever stays causes no live update.
    assert.equal(await mark(), editing);
    assert.equal(await sweepPresence(deps), true);
    assert.equal((await rows()).length, 1);

    now += PRESENT_MS;
    assert.equal(await mark(), nobody);
    assert.deepEqual(await readPresent(deps, { ...key, accountId: "another" }), []);
    // Who comes back before the rows are deleted has arrived anew.
    await reportPresence(deps, key);
    assert.notEqual(await mark(), editing);
    now += PRESENT_MS;
    await sweepPresence(deps);
    assert.equal((await rows()).length, 0);
    assert.equal(await sweepPresence(deps), false);
    await endPresence(deps, key);
  });
});
