import type { QueryConfig } from "pg";
import type { Value } from "../../store.ts";
import { toDialect } from "./sql.ts";

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
