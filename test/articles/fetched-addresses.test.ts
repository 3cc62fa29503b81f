/** What the service fetches for people who read an article: public addresses that the article contains, and nothing else. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { applyDraftCopy, saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { CHIEF, WRITER } from "../helpers/articles.ts";
import { record, records } from "../helpers/http.ts";
import { startPlainServer } from "../helpers/plain-server.ts";
import { openTeam, type Team } from "../helpers/team.ts";
import { LOOPBACK } from "../helpers/webhooks.ts";

const asked: string[] = [];
let team: Team;

before(async () => {
  team = await openTeam(LOOPBACK, (app) => ({
    ...app,
    fetchPicture: (websiteId, url) => {
      if (url.includes("127.0.0.1")) return app.fetchPicture(websiteId, url);
      asked.push(url);
      return Promise.resolve({ type: "image/png", bytes: Buffer.from("picture") });
    },
    checkLink: (_websiteId, url) => {
      asked.push(url);
      return { state: "reachable", reason: null, leadsTo: null, checkedAt: 1 };
    },
  }));
});
after(async () => {
  await team[Symbol.asyncDispose]();
  team.assertNoneFailed();
});

const at = (name: string) => `https://pictures.example/${name}.png`;

async function isFetched(id: string, url: string, who = team.viewer): Promise<boolean> {
  const before = asked.length;
  const { status } = await who.send("GET", `/articles/${id}/picture?url=${encodeURIComponent(url)}`);
  assert.equal(status, asked.length > before ? 200 : 404, url);
  return asked.length > before;
}

test("only what an article contains is fetched", async () => {
  const id = await team.newArticle({
    content: `<p><a href="https://tea.example/?a=1&amp;b=2#part">tea</a> <img src='https://pictures.example/a%20b.png' alt="">
      <img src="https://ünicode.example/x.png" alt=""></p>`,
    featuredImageUrl: "https://pictures.example/main.png",
  });
  for (const url of [
    "https://pictures.example/a%20b.png",
    "https://pictures.example/main.png",
    "https://xn--nicode-2ya.example/x.png",
  ]) {
    assert.ok(await isFetched(id, url), url);
  }
  for (const url of [
    "https://pictures.example/",
    "https://pictures.example/a",
    "https://pictures.example/main.png?",
    "http://pictures.example/main.png",
    "https://other.example/a.png",
    "file:///etc/passwd",
    "",
  ]) {
    assert.equal(await isFetched(id, url), false, url);
  }
  asked.length = 0;
  const urls = ["https://tea.example/?a=1&b=2", "https://tea.example/?a=1"];
  const { links } = await team.viewer.json("POST", `/articles/${id}/links`, { urls });
  assert.deepEqual(asked, urls.slice(0, 1));
  assert.deepEqual(
    records(links).map(({ check }) => record(check)["state"]),
    ["reachable", "unclear"],
  );
});

test("what an article had, what it may become and what its author has typed counts, but for nobody else", async () => {
  const id = await team.newArticle({ markdown: `![](${at("first")})` });
  const { app } = team.service;
  await articles.approveArticle(app, id, CHIEF);
  await articles.publishArticle(app, id, CHIEF);
  assert.equal(await isFetched(id, at("second")), false);
  await saveDraftCopy(app, id, { markdown: `![](${at("second")})` }, WRITER);
  assert.ok(await isFetched(id, at("second")), "a draft copy");
  await applyDraftCopy(app, id, CHIEF);
  assert.ok(await isFetched(id, at("first")), "a revision");
  const content = JSON.stringify({ text: `<img src="${at("typed")}">\n![](${at("noted")}) (${at("bare")}).` });
  await team.editor.json("PUT", `/articles/${id}/working-copies/x`, { content }, 204);
  for (const name of ["typed", "noted", "bare"]) {
    assert.ok(await isFetched(id, at(name), team.editor), name);
    assert.equal(await isFetched(id, at(name)), false, name);
  }
});

test("the operator's networks are for webhooks alone", async () => {
  await using host = await startPlainServer((_request, response) => void response.end());
  const id = await team.newArticle({ content: `<p><img src="${host.url}/a.png" alt=""></p>` });
  const [contained, other] = await Promise.all(
    ["a", "b"].map((name) => team.owner.send("GET", `/articles/${id}/picture?url=${host.url}/${name}.png`)),
  );
  assert.deepEqual([contained?.status, contained?.text], [404, other?.text]);
  assert.deepEqual(host.asked, []);
});
