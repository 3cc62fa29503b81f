/** The generic plans that PostgreSQL makes of the store's statements, as it does for named statements after a few runs. */
import type { Client } from "pg";
import { toDialect } from "../../src/store/engine/postgres/statements.ts";
import type { Snapshot, Store, Value, Writer } from "../../src/store/store.ts";

export interface Sent {
  sql: string;
  params: Value[];
}

/** @returns the statements that `work` sends; its transaction is rolled back. */
export async function sentBy(store: Store, work: (db: Writer) => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const undone = new Error("undone");
  const note = (sql: string, params: Value[]) => void sent.push({ sql, params });
  await store
    .write(async (db) => {
      await work(recordSql(db, note));
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return sent;
}

/** The same connection; `note` sees each statement before it is sent. */
export function recordSql(db: Writer, note: (sql: string, params: Value[]) => void): Writer {
  const noted =
    <T>(ask: (sql: string, ...params: Value[]) => Promise<T>) =>
    (sql: string, ...params: Value[]) => {
      note(sql, params);
      return ask(sql, ...params);
    };
  return {
    engine: db.engine,
    // TypeScript cannot infer the type of a wrapped generic method.
    all: noted((sql, ...params) => db.all(sql, ...params)) as Snapshot["all"],
    get: noted((sql, ...params) => db.get(sql, ...params)) as Snapshot["get"],
    rowNumbers: noted((sql, ...params) => db.rowNumbers(sql, ...params)),
    run: noted((sql, ...params) => db.run(sql, ...params)),
    insert: (sql, key, ...params) => {
      note(sql, params);
      return db.insert(sql, key, ...params);
    },
    markWebsiteChanged: (websiteId) => db.markWebsiteChanged(websiteId),
  };
}

/** One step of a plan. */
export interface Step {
  type: string;
  /** The table that is looked at, where it is one. */
  table: string | undefined;
  index: string | undefined;
  /** The index condition; conditions that are checked row by row are in `filter`. */
  condition: string | undefined;
  filter: string | undefined;
  /** Rows that are expected. */
  rows: number;
}

/** The steps of the plan that holds whatever the parameters are. `client` plans as the store's connections do. */
export async function planOf(client: Client, { sql, params }: Sent): Promise<Step[]> {
  await client.query(`PREPARE planned AS ${toDialect(sql)}`);
  try {
    const given = params.length === 0 ? "" : `(${params.map(literal).join(", ")})`;
    const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
      `EXPLAIN (FORMAT JSON) EXECUTE planned${given}`,
    );
    return rows.flatMap((row) => stepsOf(row["QUERY PLAN"][0].Plan));
  } finally {
    await client.query("DEALLOCATE planned");
  }
}

/** The planner settings of the store's connections (store/engine/postgres/host-pools.ts), but generic from the first run on. */
export const PLANNING =
  "SET plan_cache_mode = force_generic_plan; SET jit = off; SET max_parallel_workers_per_gather = 0";

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Filter?: string;
  "Plan Rows": number;
  Plans?: PlanNode[];
}

function stepsOf(node: PlanNode): Step[] {
  const step: Step = {
    type: node["Node Type"],
    table: node["Relation Name"],
    index: node["Index Name"],
    condition: node["Index Cond"],
    filter: node.Filter,
    rows: node["Plan Rows"],
  };
  return [step, ...(node.Plans ?? []).flatMap(stepsOf)];
}

function literal(value: Value): string {
  if (value === null) return "NULL";
  return `'${String(value).replaceAll("'", "''")}'`;
}
