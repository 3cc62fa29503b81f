/**
 * No hot statement looks at every row of a table that grows. A hundred thousand articles; with ROSTRUM_TEST_MILLION=1 a
 * million, which take two minutes to make.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { migrate } from "../../src/store/migrations.ts";
import type { Database } from "../../src/store/store.ts";
import { openStoreBy, testDatabase, type TestDatabase } from "../helpers/database.ts";
import { until } from "../helpers/until.ts";
import { fill } from "./plans-data.ts";
import { HOT } from "./plans-hot.ts";
import { planOf, PLANNING, sentBy, type Step } from "./plans.ts";

// oxlint-disable-next-line node/no-process-env -- the tests have no other configuration
const ARTICLES = process.env["ROSTRUM_TEST_MILLION"] === "1" ? 1_000_000 : 100_000;

/** All that grow with articles, events or deliveries. The others have a row for each website, endpoint or process. */
const GROWING = new Set([
  "articles",
  "article_bodies",
  "article_origins",
  "article_labels",
  "article_words",
  "article_words_vocabulary",
  "draft_copies",
  "article_findings",
  "fingerprints",
  "fingerprint_bands",
  "events",
  "deliveries",
  "delivery_queue",
  "attempts",
  "api_keys",
  "access_tokens",
  "arrivals",
  "arrival_bodies",
  "arrived_articles",
  "assets",
  "audit_log",
  "notifications",
]);

/** Indexes of the few rows that are leased. */
const SHORT = new Set(["delivery_queue_leases"]);

let database: TestDatabase;
let store: Database;
let client: Client;

before(async () => {
  database = await testDatabase();
  const url = database.settings["DATABASE_URL"];
  assert.ok(url !== undefined, "runs in the pass on PostgreSQL");
  store = openStoreBy({ DATABASE_URL: url }, { connections: 3 });
  await migrate(store, 0);
  client = new Client({ connectionString: url });
  await client.connect();
  await fill(client, ARTICLES);
  await client.query(PLANNING);
});
after(async () => {
  await client.end();
  await store[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

describe("hot statements", () => {
  for (const { name, work, indexes } of HOT) {
    test(name, async () => {
      const sent = await sentBy(store, (db) => work(db, ARTICLES));
      assert.ok(sent.length > 0, "it asks something");
      const used = new Set<string>();
      for (const one of sent) {
        const steps = await planOf(client, one);
        const plan = `${one.sql}\n${steps.map(described).join("\n")}`;
        for (const step of steps) {
          if (step.index !== undefined) used.add(step.index);
          if (step.table === undefined || !GROWING.has(step.table)) continue;
          assert.notEqual(step.type, "Seq Scan", plan);
          // An index that is read from one end to the other is no better.
          const isWhole = step.condition === undefined && step.index !== undefined && !SHORT.has(step.index);
          assert.ok(!isWhole || steps.some(({ type }) => type === "Limit"), plan);
        }
      }
      assert.deepEqual(
        indexes.filter((index) => !used.has(index)),
        [],
        `used: ${[...used].join(", ")}`,
      );
    });
  }

  test("the heartbeat of a node in sync with the others", async () => {
    const text = await beatText();
    const sql = text.replaceAll(/\$\d+/g, "?");
    const order = Array.from(text.matchAll(/\$(\d)/g), ([, number]) => Number(number));
    // The newest rows are the few beyond the statistics; only a plan for the actual values shows that.
    await client.query("SET plan_cache_mode = force_custom_plan");
    const values = ["node", "4000000000:4000000000:"];
    const steps = await planOf(client, { sql, params: order.map((number) => values[number - 1] ?? null) });
    assert.ok(
      steps.some(({ index }) => index === "website_changes_by_xid"),
      steps.map(described).join("\n"),
    );
  });
});

/** The text of the heartbeat's query, as the server received it. */
async function beatText(): Promise<string> {
  await using _ = await store.followCommits((error) => assert.fail(String(error)));
  let text: string | undefined;
  await until("a beat was heard", async () => {
    const { rows } = await client.query<{ query: string }>(
      "SELECT query FROM pg_stat_activity WHERE query LIKE '%UPDATE workers%' AND pid <> pg_backend_pid()",
    );
    text = rows[0]?.query;
    return text !== undefined;
  });
  return text ?? "";
}

function described({ type, table, index, condition, filter, rows }: Step): string {
  return [type, table, index, condition && `by ${condition}`, filter && `filtered ${filter}`, `${rows} rows`]
    .filter((part) => part !== undefined)
    .join(" ");
}
