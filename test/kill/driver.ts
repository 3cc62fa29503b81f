import { DatabaseSync } from "node:sqlite";

/** Replaces `exec` for all databases of this process by `through`, whose `run` is the original. */
export function wrapExec(through: (run: (sql: string) => void, sql: string, database: DatabaseSync) => void): void {
  // The original method, to be called on any database.
  const { value } = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, "exec") ?? {};
  const exec = value as (this: DatabaseSync, sql: string) => void;
  DatabaseSync.prototype.exec = function (sql: string) {
    through((text) => exec.call(this, text), sql, this);
  };
}
