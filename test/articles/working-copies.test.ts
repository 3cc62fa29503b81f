/** Working copies: what a person has typed and not saved, on every device, and for nobody else. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { CLI_ACTOR } from "../../src/cli/command.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { deleteArticle } from "../../src/operations/articles/write/articles.ts";
import { removeOld } from "../../src/operations/website/retention.ts";
import { createWebsite } from "../../src/operations/website/websites.ts";
import { records } from "../helpers/http.ts";
import { openTeam, type Team } from "../helpers/team.ts";
import type { Browser } from "../people/dashboard.ts";

let team: Team;

before(async () => {
  team = await openTeam();
});
after(() => team[Symbol.asyncDispose]());
afterEach(() => team.assertNoneFailed());

const list = async (browser: Browser, path: string) =>
  records((await browser.json("GET", path))["copies"]).map(({ id, content }) => [id, content]);
const keep = async (browser: Browser, path: string, content: string, status = 204, more = {}) => {
  const reply = await browser.send("PUT", path, { content, ...more });
  assert.equal(reply.status, status, reply.text);
};

describe("a working copy", () => {
  test("belongs to its person alone, and changes nothing that anybody else sees", async () => {
    const id = await team.newArticle({ title: "Tides" });
    const path = `/articles/${id}/working-copies`;
    const seen = [await team.page(id), await team.history(id)];
    await keep(team.editor, `${path}/one`, '{"text":"first"}');
    await keep(team.editor, `${path}/two`, "second");
    await keep(team.editor, `${path}/one`, "typed on");
    assert.deepEqual(await list(team.editor, path), [
      ["one", "typed on"],
      ["two", "second"],
    ]);
    assert.deepEqual(await list(team.approver, path), []);
    await keep(team.approver, `${path}/one`, "another person's");
    await team.approver.json("DELETE", `${path}/two`, {}, 204);
    assert.deepEqual(await list(team.owner, path), []);
    assert.deepEqual([await team.page(id), await team.history(id)], seen);
    await team.editor.json("DELETE", `${path}/one`, {}, 204);
    await team.editor.json("DELETE", `${path}/one`, {}, 204);
    assert.deepEqual(await list(team.editor, path), [["two", "second"]]);
  });

  test("of an article that does not exist yet belongs to one website", async () => {
    const { app, website } = team.service;
    const other = await createWebsite(
      app,
      { name: "Other", url: "https://other.example", urlPattern: null },
      CLI_ORIGIN,
    );
    await keep(team.owner, "/working-copies/new", "typed", 204, { website_id: website.id });
    // A copy keeps the website that it was made for.
    await keep(team.owner, "/working-copies/new", "elsewhere", 204, { website_id: other.id });
    assert.deepEqual(await list(team.owner, `/working-copies?website_id=${website.id}`), [["new", "typed"]]);
    assert.deepEqual(await list(team.owner, `/working-copies?website_id=${other.id}`), []);
    await team.owner.json("DELETE", `/working-copies/new?website_id=${website.id}`, {}, 204);
    assert.deepEqual(await list(team.owner, `/working-copies?website_id=${website.id}`), []);
  });

  test("has its limits, and is deleted with its article", async () => {
    const { app } = team.service;
    const id = await team.newArticle();
    const path = `/articles/${id}/working-copies`;
    await keep(team.editor, `${path}/long`, "x".repeat(4_000_001), 400);
    await keep(team.editor, `${path}/long`, "é".repeat(4_000_000));
    for (let no = 1; no < 20; no++) await keep(team.editor, `${path}/${no}`, "x");
    await keep(team.editor, `${path}/20`, "x", 409);
    await keep(team.editor, `${path}/19`, "changed");
    const { version } = await team.page(id);
    await deleteArticle(app, id, CLI_ACTOR, { version });
    await removeOld(app, { trashMs: -1, auditMs: null, arrivalMs: null }, 0);
    const left = await app.store.read((db) =>
      db.get("SELECT COUNT(*) AS total FROM working_copies WHERE article_id = ?", id),
    );
    assert.equal(Number(left?.total), 0);
  });
});
