import { openStore } from "../app.ts";
import { readConfig } from "../config.ts";
import { migrate as applyMigrations } from "../store/migrations.ts";
import { type Command, parse } from "./command.ts";

export const migrate: Command = {
  summary: "bring the database to this version",
  help: `Usage: rostrum migrate [--json]

Brings the tables to this version; "serve" and every other command do the same when they open the data.`,
  async run(args, io) {
    const { values } = parse(args, { json: { type: "boolean" } });
    const config = readConfig(io.environment, io.directory);
    await using store = openStore(config.database);
    const applied = await applyMigrations(store, Date.now());
    if (values.json) io.out(`${JSON.stringify({ applied })}\n`);
    else if (applied.length === 0) io.out("The database is up to date.\n");
    else io.out(`Applied: ${applied.join(", ")}.\n`);
    return 0;
  },
};
