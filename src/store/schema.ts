/** The columns and indexes that the tables have, and those that they should have after their migrations. */
import { hasTable } from "./system/has-table.ts";
import frozen from "./migrations/frozen.json" with { type: "json" };
import { appliedMigrations } from "./migrations.ts";
import { declareRow } from "./row.ts";
import type { Snapshot } from "./store.ts";

/** Definitions by what they define, such as `column articles.title` or `index articles_by_slug`. */
export type Schema = Readonly<Record<string, string>>;

/** What the release of a migration froze: its text, and its changes to the schema on each engine; null: removed. */
type Frozen = Record<string, { sha256: string } & Record<Snapshot["engine"], Record<string, string | null>>>;

export const FROZEN: Frozen = frozen;

export interface SchemaDifferences {
  /** Messages about missing and different definitions, and about columns that should not be there. */
  problems: string[];
  /** Indexes on our tables that are not ours. */
  others: string[];
}

/** Compares the tables with what the applied migrations make of them. */
export async function compareSchema(db: Snapshot): Promise<SchemaDifferences> {
  const applied = (await appliedMigrations(db)).map(({ name }) => name);
  const expected = schemaAfter(applied, db.engine);
  const found = await readSchema(db);
  // Additions of later versions are unknown here, and so is how far an unfinished migration has come.
  const isMigrating = await hasTable(db, "migration_steps");
  const isKnown = !isMigrating && applied.every((name) => name in FROZEN);
  const problems = Object.entries(expected).flatMap(([name, definition]) => {
    const actual = found[name];
    if (actual === definition) return [];
    return [
      actual === undefined ? `${name} is missing (${definition})` : `${name} is "${actual}" instead of "${definition}"`,
    ];
  });
  const tables = new Set(Object.keys(expected).flatMap((name) => parseTableName(name) ?? []));
  const others = Object.keys(found).filter((name) => !(name in expected));
  for (const name of others) {
    if (isKnown && tables.has(parseTableName(name) ?? "")) problems.push(`${name} should not be there`);
  }
  return {
    problems,
    others: isKnown ? others.filter((name) => name.startsWith("index ") && isOn(tables, found[name])) : [],
  };
}

export function schemaAfter(migrations: readonly string[], engine: Snapshot["engine"]): Schema {
  const schema: Record<string, string> = {};
  for (const name of migrations) {
    for (const [thing, definition] of Object.entries(FROZEN[name]?.[engine] ?? {})) {
      if (definition === null) delete schema[thing];
      else schema[thing] = definition;
    }
  }
  return schema;
}

/** The table of `column <table>.<name>`. */
function parseTableName(thing: string): string | undefined {
  return /^column ([^.]+)\./.exec(thing)?.[1];
}

function isOn(tables: ReadonlySet<string>, definition: string | undefined): boolean {
  return tables.has(/ ON (\w+)/.exec(definition ?? "")?.[1] ?? "");
}

/** On PostgreSQL, all tables of the schema that holds ours. */
export async function readSchema(db: Snapshot): Promise<Schema> {
  const rows = await db.all(
    declareRow<{ name: string; definition: string }>(db.engine === "sqlite" ? SQLITE : POSTGRES),
  );
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition.replaceAll(/\s+/g, " ").trim()]));
}

const SQLITE = `
  WITH tables AS (
    SELECT name FROM pragma_table_list
    WHERE schema = 'main' AND type IN ('table', 'virtual') AND substr(name, 1, 7) <> 'sqlite_'
  )
  SELECT 'column ' || t.name || '.' || c.name AS name,
    c.type || CASE WHEN c."notnull" = 1 THEN ' NOT NULL' ELSE '' END
      || coalesce(' DEFAULT ' || c.dflt_value, '')
      || CASE WHEN c.pk > 0 THEN ' PRIMARY KEY ' || c.pk ELSE '' END
      || CASE c.hidden WHEN 2 THEN ' VIRTUAL' WHEN 3 THEN ' STORED' ELSE '' END AS definition
  FROM tables t, pragma_table_xinfo(t.name) c WHERE c.hidden <> 1
  UNION ALL
  SELECT 'index ' || i.name,
    coalesce(s.sql, 'UNIQUE ON ' || t.name || ' (' || (SELECT group_concat(name, ', ') FROM pragma_index_info(i.name)) || ')')
  FROM tables t, pragma_index_list(t.name) i LEFT JOIN sqlite_schema s ON s.type = 'index' AND s.name = i.name
  ORDER BY 1`;

const POSTGRES = `
  WITH tables AS (
    SELECT c.oid, c.relname, n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.oid = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('migrations'))
  )
  SELECT 'column ' || t.relname || '.' || a.attname AS name,
    format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
      || CASE WHEN a.attidentity <> '' THEN ' IDENTITY' ELSE '' END
      || coalesce(CASE WHEN a.attgenerated = '' THEN ' DEFAULT ' ELSE ' GENERATED AS ' END || pg_get_expr(d.adbin, d.adrelid), '')
      AS definition
  FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  UNION ALL
  SELECT 'index ' || c.relname, replace(pg_get_indexdef(c.oid), format(' ON %I.', t.nspname), ' ON ')
    || CASE WHEN i.indisvalid THEN '' ELSE ' (invalid: it was not built to its end)' END
  FROM tables t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class c ON c.oid = i.indexrelid
  ORDER BY 1`;
