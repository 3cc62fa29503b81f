/** Text of a statement for one engine alone: the other gets nothing in its place. */
export interface EngineSql {
  sqlite: (sql: string) => string;
  postgres: (sql: string) => string;
}
