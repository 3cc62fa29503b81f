import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { deleteArticle, unpublishArticle, updateArticle } from "../../../src/operations/articles/write/articles.ts";
import { CHIEF, fullArticle, oneOfEach } from "../../helpers/articles.ts";
import { LIST } from "../../helpers/service.ts";
import { until } from "../../helpers/until.ts";
import { createArticle } from "../../../src/operations/articles/write/articles.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
const ids: string[] = [];

before(async () => {
  world = await openWorld();
  const { app, website } = world;
  for (const { article } of Object.values(await oneOfEach(app, website.id))) ids.push(article.id);
  for (let made = 0; made < 6; made++) {
    const input = fullArticle({ title: `Full ${made}`, slug: `full-${made}`, status: "published" });
    ids.push((await createArticle(app, website.id, input, CHIEF)).article.id);
  }
});
after(() => world[Symbol.asyncDispose]());

const LISTS = [
  "",
  "?status=approved",
  "?limit=3&offset=2",
  "?tag=water",
  "?q=soft",
  "?sort=-title",
  "?fields=id,title",
];

async function answers(path: string) {
  const replies = await Promise.all(world.nodes.map((node) => world.get(node, path)));
  return replies.map(({ status, headers, text }) => ({
    status,
    etag: headers.etag,
    type: headers["content-type"],
    text,
  }));
}

async function assertSame(path: string): Promise<void> {
  const [first, ...others] = await answers(path);
  assert.ok(first);
  for (const other of others) assert.deepEqual(other, first, path);
}

describe("the same request is answered with the same bytes and the same ETag by every node", () => {
  test("for lists, in every order and with every filter", async () => {
    for (const query of LISTS) await assertSame(LIST + query);
  });

  test("for details and errors", async () => {
    for (const id of [...ids, "00000000-0000-7000-8000-000000000000", "no-id"]) await assertSame(`${LIST}/${id}`);
    await assertSame(`${LIST}?limit=none`);
  });

  test("for the feed of events", async () => {
    for (const query of ["", "?limit=2", "?after=3"]) await assertSame(`/api/public/events${query}`);
  });

  test("after changes, whichever node saw them first", async () => {
    const [first = "", second = "", third = ""] = ids.slice(3);
    await updateArticle(world.app, first, { title: "Changed" }, CHIEF);
    await unpublishArticle(world.app, second, CHIEF);
    await deleteArticle(world.app, third, CHIEF);
    await until("every node has heard", async () => {
      const found = await answers(`${LIST}/${third}`);
      return found.every(({ status }) => status === 404);
    });
    for (const query of LISTS) await assertSame(LIST + query);
    for (const id of ids) await assertSame(`${LIST}/${id}`);
  });
});

test("so that a response of one node is a 304 of another", async () => {
  for (const path of [LIST, `${LIST}?tag=water`, `${LIST}/${ids[0]}`, "/api/public/events"]) {
    const [from, ...others] = world.nodes;
    const { etag } = (await world.get(from, path)).headers;
    for (const node of others) assert.equal((await world.get(node, path, { "If-None-Match": etag })).status, 304, path);
  }
});
