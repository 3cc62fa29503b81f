/**
 * Named points between a change, its claim, its POST and its record, at which the process kills itself. They are recognised from
 * outside, in the calls to the dependencies of the dispatcher and the operations: the product has no hooks. If a statement is
 * rewritten and no longer recognised, its point is never reached, and the loop fails.
 */
import type { App } from "../../src/app/app.ts";
import { declareRow, type Row } from "../../src/store/row.ts";
import type { Database, Value, Writer } from "../../src/store/store.ts";
import { wrapStore } from "../helpers/wrap-store.ts";

export const POINTS = [
  /** The transaction that claims is not committed. */
  "in the claim",
  /** The claim is committed, and nothing is sent yet. */
  "after the claim",
  /** The receiver has the request, and has not answered. The parent kills, because only the receiver knows this moment. */
  "during the POST",
  /** The answer has arrived, and is not recorded yet. */
  "after the answer",
  /** The transaction that records an attempt is not committed. */
  "in the record",
  /** The attempt is recorded, and the dispatcher does not know it yet. */
  "after the record",
  /** The transaction of a change is not committed. */
  "in the change",
  /** A change is committed, and not acknowledged. */
  "after the change",
] as const;
export type Point = (typeof POINTS)[number];

/** What a transaction does, judged by its statements. */
const SIGNS = {
  claim: /^\s*(?:WITH\b.*)?UPDATE delivery_queue(?: q)? SET lease_token = \?/s,
  record: /^\s*INSERT INTO attempts\b/,
  change: /^\s*INSERT INTO events\b/,
} as const;

type PointDeps = Pick<App, "store" | "post">;

/** Wraps the parts so that they call `pass` at each named point. */
export function withPoints<T extends PointDeps>(deps: T, pass: (point: Point) => void): T {
  const { store } = deps;
  const watched = watchWrites(store, SIGNS, pass);
  return {
    ...deps,
    store: watched,
    post: async (message, signal) => {
      const result = await deps.post(message, signal);
      pass("after the answer");
      return result;
    },
  };
}

/** Wraps a store so that it calls `pass` in each transaction with a statement of `signs`, and after its commit. */
export function watchWrites<What extends string>(
  store: Database,
  signs: Readonly<Record<What, RegExp>>,
  pass: (point: `in the ${NoInfer<What>}` | `after the ${NoInfer<What>}`) => void,
): Database {
  // `Object.keys` returns exactly these names.
  const names = Object.keys(signs) as What[];
  return wrapStore(store, {
    write: async (work, options) => {
      const seen = new Set<What>();
      const result = await store.write(async (db) => {
        const done = await work(
          mapSql(db, (sql) => {
            for (const name of names) if (signs[name].test(sql)) seen.add(name);
            return sql;
          }),
        );
        for (const what of seen) pass(`in the ${what}`);
        return done;
      }, options);
      for (const what of seen) pass(`after the ${what}`);
      return result;
    },
  });
}

/** Wraps the connection so that `map` sees, and may change, each statement. */
export function mapSql(db: Writer, map: (sql: string) => string): Writer {
  return {
    engine: db.engine,
    markWebsiteChanged: (websiteId) => db.markWebsiteChanged(websiteId),
    all: <Sql extends string>(sql: Sql, ...params: Value[]) => db.all(declareRow<Row<Sql>>(map(sql)), ...params),
    get: <Sql extends string>(sql: Sql, ...params: Value[]) => db.get(declareRow<Row<Sql>>(map(sql)), ...params),
    run: (sql, ...params) => db.run(map(sql), ...params),
    insert: (sql, key, ...params) => db.insert(map(sql), key, ...params),
    rowNumbers: (sql, ...params) => db.rowNumbers(map(sql), ...params),
  };
}
