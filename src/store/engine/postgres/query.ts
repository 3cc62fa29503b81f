import type { ClientBase, QueryConfig, QueryResult, QueryResultRow } from "pg";

export type Result<R extends QueryResultRow> = Pick<QueryResult<R>, "command" | "rowCount" | "rows">;

/**
 * Sends a query and resolves with its result, which the driver no longer refers to. The driver's queries are reachable from
 * earlier ones: once one of them is in V8's old generation, the rows of all that follow would be moved there as well instead of
 * dying young, a hundred megabytes of garbage.
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
