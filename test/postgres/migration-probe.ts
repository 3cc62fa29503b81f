/** What a migration does to tables that others use at the same time. */
import { Client } from "pg";

/** Locks that block writers, or even readers. */
const BLOCKING = "'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'";

/**
 * Watches each DDL statement: whether it reads the rows of a table while it holds a lock that blocks others. How long it does is
 * not measured: with many rows it would be long.
 */
const WATCH = `
  CREATE SCHEMA probe;
  CREATE TABLE probe.tables (oid OID PRIMARY KEY, filenode OID NOT NULL);
  CREATE TABLE probe.counts (pid INTEGER, oid OID, rows_read BIGINT, PRIMARY KEY (pid, oid));
  CREATE TABLE probe.faults (fault TEXT);
  CREATE FUNCTION probe.begin() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO probe.counts SELECT pg_backend_pid(), oid, pg_stat_get_xact_tuples_returned(oid) FROM probe.tables
      ON CONFLICT (pid, oid) DO UPDATE SET rows_read = excluded.rows_read;
  END $$;
  CREATE FUNCTION probe.finish() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO probe.faults
      SELECT DISTINCT l.relation::regclass || ' is read under a lock by: ' || current_query()
      FROM pg_locks l JOIN probe.counts c ON c.pid = l.pid AND c.oid = l.relation
      WHERE l.pid = pg_backend_pid() AND l.granted AND l.mode IN (${BLOCKING})
        AND pg_stat_get_xact_tuples_returned(c.oid) > c.rows_read;
  END $$;
  CREATE EVENT TRIGGER probe_begin ON ddl_command_start EXECUTE FUNCTION probe.begin();
  CREATE EVENT TRIGGER probe_finish ON ddl_command_end EXECUTE FUNCTION probe.finish();`;

const TABLES = `FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'`;

export interface MigrationProbe extends AsyncDisposable {
  /** Violations since the last call, in tables that had rows then. Adds a row to every empty table. */
  faults(): Promise<string[]>;
}

export async function probeMigrations(url: string): Promise<MigrationProbe> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const column = async (sql: string): Promise<string[]> =>
    (await client.query<string[]>({ text: sql, rowMode: "array" })).rows.map(([value = ""]) => value);
  await client.query(WATCH);
  return {
    faults: async () => {
      const faults = await column(`SELECT fault FROM probe.faults UNION ALL
        SELECT c.relname || ' was rewritten' FROM probe.tables t JOIN pg_class c ON c.oid = t.oid
        WHERE pg_relation_filenode(c.oid) <> t.filenode`);
      await client.query("TRUNCATE probe.faults, probe.tables, probe.counts");
      // Without the order that foreign keys ask for.
      await client.query("SET session_replication_role = replica");
      for (const table of await column(`SELECT relname ${TABLES}`)) await fill(client, table);
      await client.query(`INSERT INTO probe.tables SELECT oid, pg_relation_filenode(oid) ${TABLES}`);
      return faults;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

async function fill(client: Client, table: string): Promise<void> {
  // A column with a CHECK takes the first text that stands in it.
  const { rows } = await client.query<{ name: string; type: string; allowed: string | null }>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type,
       (SELECT substring(pg_get_constraintdef(k.oid) FROM '''[^'']*''') FROM pg_constraint k
        WHERE k.conrelid = attrelid AND k.contype = 'c' AND k.conkey = ARRAY[attnum]) AS allowed
     FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND attnotnull AND NOT attisdropped AND attgenerated = '' AND NOT atthasdef`,
    [table],
  );
  const names = rows.map(({ name }) => name);
  const values = rows.map(({ type, allowed }) => allowed ?? valueOf(type));
  await client.query(
    `INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} WHERE NOT EXISTS (SELECT 1 FROM ${table})`,
  );
}

function valueOf(type: string): string {
  if (type === "timestamp with time zone") return "now()";
  if (type.endsWith("[]")) return "'{}'";
  return type === "text" ? "'1'" : `CAST('1' AS ${type})`;
}
