import { articleTables } from "./first/articles.ts";
import { type EngineSql, systemTables } from "./first/system.ts";
import { peopleTables } from "./first/people.ts";
import { webhookTables } from "./first/webhooks.ts";

const SQLITE: EngineSql = { sqlite: (sql) => sql, postgres: () => "" };
const POSTGRES: EngineSql = { sqlite: () => "", postgres: (sql) => sql };

/** Columns with large values, which PostgreSQL compresses by lz4 where it was built with it, as that is quicker. */
const LARGE = {
  articles: ["list_form"],
  article_bodies: [
    "html",
    "markdown",
    "markdown_source",
    "text",
    "metrics",
    "steps",
    "supplied_steps",
    "internal_links",
  ],
  article_origins: ["held"],
  article_words: ["words"],
  revisions: ["fields"],
  revision_texts: ["html", "markdown"],
  events: ["payload"],
  attempts: ["request_headers", "response_headers", "response_body"],
};

/** All tables. Times are milliseconds since the epoch; names and types of both engines are translated (engine/). */
export const first = {
  name: "001-first",
  isAdditive: false,
  sql: "",
  sqlite: toStatements(SQLITE),
  postgres: [...toStatements(POSTGRES), compress()],
};

function toStatements(engine: EngineSql): string[] {
  const tables = [systemTables, peopleTables, webhookTables, articleTables].map((build) => build(engine)).join("\n");
  const statements = tables.replaceAll(/^ *--.*\n/gm, "").split(/;$/m);
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== "");
}

function compress(): string {
  const changes = Object.entries(LARGE).map(([table, columns]) => {
    const each = columns.map((column) => `ALTER COLUMN ${column} SET COMPRESSION lz4`).join(", ");
    return `ALTER TABLE ${table} ${each};`;
  });
  return `DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
      ${changes.join("\n      ")}
    END IF;
  END $$`;
}
