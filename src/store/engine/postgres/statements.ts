import type { ClientBase, QueryConfig, QueryResult, QueryResultRow } from "pg";
import type { Value } from "../../store.ts";

/** Statements by their SQL, named so that each connection parses and plans one only once. */
export class Statements {
  readonly #areNamed: boolean;
  readonly #known = new Map<string, { name: string; text: string }>();
  #count = 0;

  constructor(areNamed: boolean) {
    this.#areNamed = areNamed;
  }

  of(sql: string, values: Value[]): QueryConfig {
    let statement = this.#known.get(sql);
    if (statement === undefined) {
      // Queries are built from constants, so there are few; the bound guards against that no longer being true.
      if (this.#known.size >= 1_000) this.#known.clear();
      statement = { name: `s${++this.#count}`, text: toDialect(sql) };
      this.#known.set(sql, statement);
    }
    return this.#areNamed ? { ...statement, values } : { text: statement.text, values };
  }
}

const TYPES: readonly (readonly [RegExp, string])[] = [
  // Numbers of deliveries can exceed 32 bits within a day.
  [/\bINTEGER\b/g, "BIGINT"],
  // Sorts by bytes, as SQLite does, whatever the database's own collation is.
  [/\bTEXT\b(?!\[\])/g, 'TEXT COLLATE "C"'],
  [/\bREAL\b/g, "DOUBLE PRECISION"],
];

/** Replaces each `?` with `$1`, `$2`, …, and in table definitions the types. In our SQL every `?` is a parameter. */
export function toDialect(sql: string): string {
  let number = 0;
  const numbered = sql.replaceAll("?", () => `$${++number}`);
  if (!/^\s*(?:CREATE|ALTER) TABLE/.test(numbered)) return numbered;
  return TYPES.reduce((text, [word, own]) => text.replace(word, own), numbered);
}

export type Result<R extends QueryResultRow> = Pick<QueryResult<R>, "command" | "rowCount" | "rows">;

/**
 * The driver's queries refer to later ones: once one is in V8's old generation, the rows of all later ones would be
 * moved there, instead of dying young: a hundred megabytes of garbage. So the result is all that stays of a query.
 */
export function query<R extends QueryResultRow>(
  client: ClientBase,
  statement: string | QueryConfig,
): Promise<Result<R>> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null | undefined, result: QueryResult<R>) => {
      if (error) reject(error);
      else resolve(takeRows(result));
    };
    // With a callback: the driver's own promise refers to the query, too.
    if (typeof statement === "string") client.query(statement, settle);
    else client.query(statement, settle);
  });
}

function takeRows<R extends QueryResultRow>(result: QueryResult<R>): Result<R> {
  // Several statements have an array of results, which the types do not show.
  if (Array.isArray(result)) return result;
  const { command, rowCount, rows } = result;
  result.rows = [];
  return { command, rowCount, rows };
}
