import { randomBytes } from "node:crypto";
import { openStore } from "../../app/app.ts";
import { describeDatabase, readConfig } from "../../process/settings/config.ts";
import { AppError } from "../../domain/system/errors.ts";
import { recordRestoration } from "../../operations/website/post-restore.ts";
import { readHighWaterMark } from "../../service/high-water-mark.ts";
import { appliedMigrations, pendingMigrations } from "../../store/migrations.ts";
import { type Command, parseOptions } from "../command.ts";
import { assertNotServed, lockSqlite, requireDatabase } from "./databases.ts";

export const restored: Command = {
  summary: "prepare a database that was restored by other means",
  help: `Usage: rostrum restored [--json]

Run this once after the database was returned to an earlier state by other means than "rostrum restore": by pg_restore,
by a recovery to a point in time, or by a failover to a replica that lacked changes. Every website gets a new epoch, so
that no cached page stays valid; its events continue far above the numbers that receivers may have seen; and the
leases of earlier processes are released. Stop the service first, on every machine.`,
  async run(args, io) {
    const { values } = parseOptions(args, { json: { type: "boolean" } });
    const config = readConfig(io.environment, io.directory);
    const { database, dataDir } = config;
    requireDatabase(config);
    using _lock = lockSqlite(database, "restored");
    await using store = openStore(database);
    await assertNotServed(store, database);
    if ((await store.read(appliedMigrations)).length === 0) {
      throw new AppError("not_found", `There is no data of Rostrum in ${describeDatabase(database)}.`);
    }
    // Rejects data of a newer version. Data of an earlier one is migrated when it is served.
    await store.read((db) => pendingMigrations(db));
    const done = await recordRestoration({ store, randomBytes }, readHighWaterMark(dataDir));
    io.out(
      values.json
        ? `${JSON.stringify(done)}\n`
        : `${describeDatabase(database)} is ready to be served: ${done.websites} websites have a new epoch, ` +
            `${done.leases} leases were released.\n`,
    );
  },
};
