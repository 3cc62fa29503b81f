/** A statement: large values of the columns are packed by lz4, which is quicker than PostgreSQL's own way, where it was built in. */
export function smallerWith(table: string, columns: readonly string[]): string {
  const changes = columns.map((column) => `ALTER COLUMN ${column} SET COMPRESSION lz4`).join(", ");
  return `DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
      ALTER TABLE ${table} ${changes};
    END IF;
  END $$`;
}
