import { openStore } from "../../app/app.ts";
import { readConfig } from "../../process/settings/config.ts";
import { migrate as applyMigrations, MIGRATIONS, pendingMigrations } from "../../store/migrations.ts";
import { type Command, parseOptions } from "../command.ts";
import { lockSqlite } from "./databases.ts";

export const migrate: Command = {
  summary: "migrate the database to this version",
  help: `Usage: rostrum migrate [--json]

Migrates the tables to this version. "serve" does the same when it starts; every other command refuses data of an earlier
version. On PostgreSQL a service of the earlier version keeps running meanwhile, and an interrupted migration resumes.
Take a backup first: the earlier version may be unable to serve the data afterwards.`,
  async run(args, io) {
    const { values } = parseOptions(args, { json: { type: "boolean" } });
    const config = readConfig(io.environment, io.directory);
    await using store = openStore(config.database);
    const pending = await store.read((db) => pendingMigrations(db));
    // A service of the earlier version keeps running beside additive changes. On PostgreSQL the migration itself checks
    // what is running.
    using _lock = pending.every(({ isAdditive }) => isAdditive) ? undefined : lockSqlite(config.database, "migrate");
    const applied = await applyMigrations(store, Date.now(), MIGRATIONS, ({ migration, step, milliseconds }) => {
      if (!values.json) io.err(`${migration}: ${step} (${(milliseconds / 1_000).toFixed(1)} s)\n`);
    });
    if (values.json) io.out(`${JSON.stringify({ applied })}\n`);
    else if (applied.length === 0) io.out("The database is up to date.\n");
    else io.out(`Applied: ${applied.join(", ")}.\n`);
  },
};
