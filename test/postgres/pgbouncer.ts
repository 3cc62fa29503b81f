/** PgBouncer in transaction mode, as deploy/pgbouncer.ini has it, in front of a server of the tests. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, readFile, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { Client } from "pg";
import { tempFolder } from "../helpers/folder.ts";
import { until } from "../helpers/until.ts";

export interface PgBouncer extends AsyncDisposable {
  /** The address through it. */
  through(url: string): string;
}

const FOLDERS = ["/usr/sbin", "/usr/bin", "/usr/local/bin", ...(process.env["PATH"] ?? "").split(delimiter)];
const PROGRAM = FOLDERS.map((folder) => join(folder, "pgbouncer")).find((file) => existsSync(file));

export const NO_PGBOUNCER =
  PROGRAM === undefined ? "PgBouncer is not installed (Debian: apt-get install pgbouncer)" : false;

/** `more`: further settings, which replace those here. @throws Error with the end of its log when it does not start. */
export async function startPgBouncer(serverPort: number, more = ""): Promise<PgBouncer> {
  if (PROGRAM === undefined) throw new Error(String(NO_PGBOUNCER));
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempFolder());
  const user = unprivileged();
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder.path, user.uid, user.gid);
  const port = await freePort();
  const ini = folder.at("pgbouncer.ini");
  await writeFile(
    ini,
    `[databases]
* = host=127.0.0.1 port=${serverPort} user=rostrum
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = 10
server_reset_query =
logfile = ${folder.at("log")}
${more}
`,
  );
  await chmod(ini, 0o644);
  const child = spawn(PROGRAM, ["-q", ini], { ...user, cwd: "/", stdio: "ignore" });
  const ended = once(child, "exit");
  opened.defer(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const url = `postgres://rostrum@127.0.0.1:${port}/postgres`;
  await until("PgBouncer answers", async () => {
    if (child.exitCode !== null) throw new Error(await readFile(folder.at("log"), "utf8").catch(() => "it ended"));
    return answers(url);
  });
  const owned = opened.move();
  return {
    through: (direct) => Object.assign(new URL(direct), { port: String(port) }).href,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** It refuses to run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  return { uid: idOfNobody("-u"), gid: idOfNobody("-g") };
}

function idOfNobody(flag: string): number {
  return Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("SELECT 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
