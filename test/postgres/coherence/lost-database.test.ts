/** A node that has lost the database says so, and answers nothing from its cache. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createArticle, updateArticle } from "../../../src/operations/articles/write/articles.ts";
import { CHIEF, makeArticle } from "../../helpers/articles.ts";
import { record } from "../../helpers/http.ts";
import { LIST } from "../../helpers/service.ts";
import { finishes, until } from "../../helpers/until.ts";
import type { Node } from "./nodes.ts";
import { openWorld, statusWithin, type World } from "./world.ts";

/** How long a node may answer from memory after it last reached the database. */
const FENCED_AFTER_MS = 600;
const WATCHED_MS = 1_500;

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world[Symbol.asyncDispose]());

const WAYS: Record<string, (node: Node) => void> = {
  "is refused": ({ proxy }) => {
    proxy.mode = "refuse";
    proxy.cut();
  },
  "hears nothing any more": ({ proxy }) => {
    proxy.mode = "freeze";
  },
};

for (const [name, breaks] of Object.entries(WAYS)) {
  describe(`a node that ${name}`, () => {
    let node: Node;
    let path: string;
    let articleId: string;
    let pid: string | undefined;
    const readyz = () => statusWithin(500, node.send("/readyz"));

    before(async () => {
      node = world.nodes[1];
      const input = makeArticle({ title: "Before", status: "published" });
      articleId = (await createArticle(world.app, world.website.id, input, CHIEF)).article.id;
      path = `${LIST}/${articleId}`;
      await until("it knows the article by heart", async () => (await world.get(node, path)).status === 200);
      await world.get(node, LIST);
      pid = nodeOf(record((await world.get(node, `${path}?debug=true`)).json()));
      breaks(node);
    });

    test("serves nothing from memory from then on, whatever is requested", async () => {
      const since = performance.now();
      let lastMs = 0;
      while (performance.now() - since < WATCHED_MS) {
        const sentMs = performance.now() - since;
        const replies = await Promise.all([path, LIST].map((one) => statusWithin(250, world.get(node, one))));
        if (replies.includes(200)) lastMs = sentMs;
      }
      assert.ok(lastMs <= FENCED_AFTER_MS, `answered for ${Math.round(lastMs)} ms`);
    });

    test("answers with the documented body", async () => {
      const { headers, ...reply } = await finishes("it answers", world.get(node, path));
      assert.deepEqual(
        { status: reply.status, body: reply.json() },
        {
          status: 503,
          body: {
            error: "Service Unavailable",
            message: "The database cannot be used at the moment; try again in a second.",
          },
        },
      );
      assert.equal(headers["retry-after"], "1");
    });

    test("is alive but not ready", async () => {
      await until("it says that it is not ready", async () => (await readyz()) === 503);
      assert.equal((await node.send("/healthz")).status, 200);
    });

    test("serves new content once it is back, without a restart", async () => {
      await updateArticle(world.app, articleId, { title: "After" }, CHIEF);
      node.proxy.thaw();
      await until("it is ready", async () => (await readyz()) === 200);
      await until("it answers", async () => (await statusWithin(500, world.get(node, path))) === 200);
      const reply = await world.get(node, `${path}?debug=true`);
      assert.ok(reply.text.includes('"title":"After"'));
      assert.equal(nodeOf(record(reply.json())), pid);
    });
  });
}

/** The name of the node that answered. */
function nodeOf(body: Record<string, unknown>): string {
  return String(record(body["debug"])["node"]);
}
