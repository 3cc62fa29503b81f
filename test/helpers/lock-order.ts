/** Locks are taken in one order (src/store/store.ts), which only PostgreSQL needs: SQLite has one writer at a time. */
import type { Database, Value } from "../../src/store/store.ts";
import { recordSql } from "../postgres/plans.ts";
import { wrapStore } from "./wrap-store.ts";

/** Statements that lock rows, by their table, in that order. */
const LOCKS = [
  /\bFROM websites\b[^]*\bFOR NO KEY UPDATE|\bUPDATE websites\b/,
  /\bFROM endpoints\b[^]*\bFOR (?:NO KEY UPDATE|SHARE)|\bUPDATE endpoints\b/,
  /\bFROM delivery_queue\b[^]*\bFOR (?:KEY SHARE|UPDATE)|\b(?:UPDATE|DELETE FROM) delivery_queue\b/,
];

/** The same store; `violations` gets each statement that locks rows out of order. */
export function watchLockOrder(store: Database, violations: string[]): Database {
  if (store.engine === "sqlite") return store;
  return wrapStore(store, {
    write: (work, options) => store.write((db) => work(recordSql(db, watchTransaction(violations))), options),
  });
}

function watchTransaction(violations: string[]): (sql: string, params: Value[]) => void {
  const held = new Set<Value>();
  let last = 0;
  return (sql, params) => {
    const table = LOCKS.findLastIndex((lock) => lock.test(sql));
    if (table === -1) return;
    // What never waits cannot deadlock. What is locked already may be locked or changed again.
    const mayWait = !sql.includes("SKIP LOCKED");
    if (mayWait && table < last && !params.some((param) => held.has(param))) violations.push(sql);
    last = Math.max(last, table);
    for (const param of params) if (typeof param === "string") held.add(param);
  };
}
