/** Databases of a PostgreSQL server, and statements over connections of their own. */
import { randomBytes } from "node:crypto";
import { Client } from "pg";

export type Row = Record<string, unknown>;

/** A new database on the server behind the address. @returns its address. */
export async function createDatabase(serverUrl: string, template = "template0"): Promise<string> {
  const name = `t_${randomBytes(8).toString("hex")}`;
  await queryAt(serverUrl, `create database ${name} template ${databaseOf(template)}`);
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

/** Ends the connections to it, too. It may be gone already. */
export async function dropDatabase(url: string): Promise<void> {
  const server = Object.assign(new URL(url), { pathname: "/postgres" }).href;
  await queryAt(server, `drop database if exists ${databaseOf(url)} with (force)`);
}

function databaseOf(nameOrUrl: string): string {
  return nameOrUrl.includes("://") ? new URL(nameOrUrl).pathname.slice(1) : nameOrUrl;
}

/** One statement. @returns its rows. */
export async function queryAt(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  // A connection may be lost after its query has failed: that is no further news.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Whether the server behind the address takes statements. */
export async function answers(url: string): Promise<boolean> {
  try {
    await queryAt(url, "select 1");
    return true;
  } catch {
    return false;
  }
}
