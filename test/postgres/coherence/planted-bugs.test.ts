/** The checker of read-your-webhook.test.ts finds planted bugs, and nothing in a correct run. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { CLI_ORIGIN } from "../../../src/domain/system/audit.ts";
import { createArticle, updateArticle } from "../../../src/operations/articles/write/articles.ts";
import { createEndpoint } from "../../../src/operations/webhooks/endpoints.ts";
import { CHIEF } from "../../helpers/articles.ts";
import { until } from "../../helpers/until.ts";
import { ScriptedReceiver } from "../../helpers/webhooks.ts";
import { isQueueEmpty } from "../../kill/facts.ts";
import { type ChangeKind, Ledger } from "./ledger.ts";
import { contentOf, Observer } from "./observer.ts";
import { type Plant, PLANTS } from "./planted-bugs.ts";
import { withEventId } from "../../helpers/with-event-id.ts";
import { openWorld } from "./world.ts";

const MAX_ROUNDS = 25;
const ROUNDS_WITHOUT = 3;

describe("the checker sees that", () => {
  for (const [name, plant] of Object.entries(PLANTS)) {
    test(name, async () => {
      assert.notDeepEqual(await violations(MAX_ROUNDS, plant), []);
    });
  }
});

test("the checker finds nothing without a planted bug", async () => {
  assert.deepEqual(await violations(ROUNDS_WITHOUT), []);
});

/**
 * In each round, when a receiver gets an event, a node that has the article in its cache is asked for it; the node may have been
 * paused since before the change. Ends with the first violation.
 */
async function violations(
  rounds: number,
  { sql, isStopped }: Partial<Plant> = { isStopped: true },
): Promise<readonly string[]> {
  await using opened = new AsyncDisposableStack();
  const world = opened.use(await openWorld(sql));
  const { app, website, key } = world;
  const node = world.nodes[2];
  const ledger = new Ledger();
  const observer = new Observer({ nodes: [node], ledger, random: () => 0.5 });
  const articleId = randomUUID();
  const read = () =>
    Promise.all([observer.detail({ id: website.id, key }, articleId), observer.list({ id: website.id, key })]);
  let looked = 0;
  const receiver = opened.use(
    await ScriptedReceiver.start(async ({ headers }) => {
      ledger.told(String(headers["webhook-id"]).replace(/^msg_/, ""), null);
      const reading = read();
      // By then the requests have been sent.
      setImmediate(() => node.resume());
      await reading;
      looked++;
      return {};
    }),
  );
  await createEndpoint(app, website.id, { url: receiver.url }, CLI_ORIGIN);
  for (let round = 0; round <= rounds && observer.violations.length === 0; round++) {
    const kind: ChangeKind = round === 0 ? "create" : "update";
    const title = `Version ${round + 1}`;
    const eventId = randomUUID();
    ledger.order({ eventId, websiteId: website.id, articleId, kind, title });
    const deps = withEventId(app, eventId);
    const input = { title, content: contentOf(title) };
    if (kind === "create") {
      await createArticle(deps, website.id, { ...input, id: articleId, status: "published" }, CHIEF);
    } else {
      for (let times = 0; times < 3; times++) await read();
      if (isStopped === true) node.stop();
      await updateArticle(deps, articleId, input, CHIEF);
    }
    await until("the receiver has looked", () => looked > round, 20_000);
    // If a node is stopped before that, another one sends the event again.
    await until("that is written down", () => isQueueEmpty(app.store), 20_000);
  }
  return observer.violations;
}
