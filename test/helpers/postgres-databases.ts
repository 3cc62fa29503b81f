/** Databases of a PostgreSQL server, and queries over separate connections. */
import { randomBytes } from "node:crypto";
import { Client } from "pg";

export type QueriedRow = Record<string, unknown>;

/** Creates a database on the server with this URL. @returns the URL of the database. */
export async function createDatabase(serverUrl: string, template = "template0"): Promise<string> {
  const name = `t_${randomBytes(8).toString("hex")}`;
  await queryAt(serverUrl, `create database ${name} template ${databaseOf(template)}`);
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

/** Drops the database and ends its connections. It may already be dropped. */
export async function dropDatabase(url: string): Promise<void> {
  const server = Object.assign(new URL(url), { pathname: "/postgres" }).href;
  await queryAt(server, `drop database if exists ${databaseOf(url)} with (force)`);
}

function databaseOf(nameOrUrl: string): string {
  return nameOrUrl.includes("://") ? new URL(nameOrUrl).pathname.slice(1) : nameOrUrl;
}

/** Runs one statement. @returns its rows. */
export async function queryAt(url: string, sql: string): Promise<QueriedRow[]> {
  const client = new Client({ connectionString: url });
  // A connection may be lost after its query has failed; the query's error says enough.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<QueriedRow>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Whether the server at this URL accepts queries. */
export async function answers(url: string): Promise<boolean> {
  try {
    await queryAt(url, "select 1");
    return true;
  } catch {
    return false;
  }
}
