import { DatabaseSync } from "node:sqlite";

/** Every `exec` of every database of this process goes through `through` from now on; `run` is the driver's own. */
export function wrapExec(through: (run: (sql: string) => void, sql: string, database: DatabaseSync) => void): void {
  // A method of the driver; this is how to have it without its object.
  const { value } = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, "exec") ?? {};
  const exec = value as (this: DatabaseSync, sql: string) => void;
  DatabaseSync.prototype.exec = function (sql: string) {
    through((text) => exec.call(this, text), sql, this);
  };
}
