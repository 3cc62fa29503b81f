/** Where the data of a measurement is: a folder and, on PostgreSQL, a database. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../test/helpers/postgres.ts";
import { familyCpuSeconds } from "./usage.ts";

export interface Place {
  folder: string;
  /** Environment variables that select this database. */
  environment: Record<string, string>;
  /** CPU time used so far by the database's own processes, seconds; 0 for SQLite, which has none. */
  databaseSeconds: () => number;
}

/** Creates a place by name; its folder is removed at the end. */
export type Places = ((name: string) => Promise<Place>) & AsyncDisposable;

export function sqlitePlaces(newFolder: (name: string) => string): Places {
  return placesOf((name) => {
    const folder = newFolder(name);
    return Promise.resolve({ folder, environment: { ROSTRUM_DATA_DIR: folder }, databaseSeconds: () => 0 });
  });
}

/** A server that waits for the disk at each commit, as by default, with enough cache for the data of the measurements. */
const POSTGRES_SETTINGS = {
  shared_buffers: "256MB",
  max_wal_size: "4GB",
  wal_compression: "lz4",
};

export async function postgresPlaces(newFolder: (name: string) => string): Promise<Places> {
  const server = await startPostgres({ durable: true, settings: POSTGRES_SETTINGS });
  const [row] = await server.query("SHOW data_directory");
  const lines = readFileSync(join(String(row?.["data_directory"]), "postmaster.pid"), "utf8").split("\n");
  const pid = Number(lines[0]);
  return placesOf(
    async (name) => {
      const folder = newFolder(name);
      const url = await server.createDatabase();
      return {
        folder,
        environment: { ROSTRUM_DATA_DIR: folder, DATABASE_URL: url },
        databaseSeconds: () => familyCpuSeconds(pid),
      };
    },
    () => server[Symbol.asyncDispose](),
  );
}

function placesOf(
  make: (name: string) => Promise<Place>,
  end: () => PromiseLike<void> = () => Promise.resolve(),
): Places {
  return Object.assign(make, { [Symbol.asyncDispose]: end });
}
