import assert from "node:assert/strict";
import { test } from "node:test";
import { openStoreBy } from "../../test/helpers/database.ts";
import { tempFolder } from "../../test/helpers/folder.ts";
import { migrate } from "./migrations.ts";
import { declareRow, type Row } from "./row.ts";

type Is<One, Other> = [One, Other] extends [Other, One] ? true : false;
/** The compiler checks it. */
const holds = <Assertion extends true>(assertion?: Assertion): Assertion | undefined => assertion;

const JOINED = `SELECT DISTINCT d.no AS number, d.state, q.ready_at, q.tries + (1) AS n,
    (SELECT COUNT(*) FROM attempts a WHERE a.delivery_no IN (d.no, 0)) AS parked
  FROM deliveries d LEFT JOIN delivery_queue q ON q.delivery_no = d.no WHERE d.id = ? ORDER BY d.no FOR UPDATE`;
const CHANGED = "UPDATE websites SET name = ? WHERE id = ? RETURNING id, url";

test("rows have the columns that the compiler reads in the statement", async () => {
  await using folder = await tempFolder();
  await using store = openStoreBy({ ROSTRUM_DATA_DIR: folder.path });
  await migrate(store, 0);
  await store.write(async (db) => {
    const insert = "INSERT INTO websites (id, name, created_at, content_version, event_sequence, epoch)";
    await db.run(`${insert} VALUES ('w', 'One', 1, 2, 3, 'e')`);
    const website = await db.get("SELECT id, w.url, content_version AS version FROM websites w WHERE w.id = ?", "w");
    assert.deepEqual({ ...website }, { id: "w", url: null, version: 2 });
    const changed = await db.get(CHANGED, "Two", "w");
    assert.deepEqual({ ...changed }, { id: "w", url: null });
    assert.deepEqual(await db.all(JOINED, "none"), []);
    holds<Is<NonNullable<typeof website>, { id: string; url: string | null; version: number }>>();
  });
  holds<Is<Row<typeof CHANGED>, { id: string; url: string | null }>>();
  holds<Is<Row<typeof JOINED>["ready_at"], number | null>>();
  holds<Is<Row<typeof JOINED>["state"], "pending" | "parked" | "delivered" | "exhausted" | "coalesced" | "skipped">>();
  holds<Is<keyof Row<typeof JOINED>, "number" | "state" | "ready_at" | "n" | "parked">>();
});

test("a column that no table has, and a statement built at run time, have no row type", () => {
  holds<Is<Row<"SELECT titel, title FROM articles">, { titel: unknown; title: string }>>();
  holds<Is<Row<"SELECT id, title FROM events">, { id: string; title: unknown }>>();
  holds<Is<Row<string>, unknown>>();
  // @ts-expect-error -- the statement selects no title
  holds<Is<Row<"SELECT id FROM articles">, { id: string; title: string }>>();
  const declared = declareRow<{ depth: number }>("SELECT 1 AS depth");
  holds<Is<Row<typeof declared>, { depth: number }>>();
  assert.equal(declared, "SELECT 1 AS depth");
});
