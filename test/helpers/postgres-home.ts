/** The folder of a PostgreSQL server, which goes with the process that made it, however that goes. */
import { execFile, spawn } from "node:child_process";
import { appendFile, chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { tempFolder } from "./folder.ts";
import { findPostgres, unprivileged } from "./postgres-programs.ts";
import { ended } from "./processes.ts";

/** A server's folder, the user its programs run as, and its guard. */
export interface Home extends AsyncDisposable {
  bin: string;
  durable: boolean;
  path: string;
  data: string;
  log: string;
  user: { uid?: number; gid?: number };
  /** Runs one of PostgreSQL's programs to its end. @throws Error with what it said. */
  run(program: string, args: string[]): Promise<void>;
  /** Tells the guard which process to end; none: there is nothing to end. */
  guard(pid?: number): void;
}

/**
 * Reads process ids, one a line; the last one counts. At the end of its input, that is on disposal or when the process
 * that writes them is gone, even by SIGKILL: ends the server ($pid) and removes its folder ($1). SIGQUIT lets the
 * server clean up its shared memory, and whoever is paused gets to see it. The server's own file tells when it is done:
 * where nobody reaps orphans, the process would seem to stay.
 */
const GUARD = `
while read -r line; do pid=$line; done
if [ -n "$pid" ]; then
  kill -QUIT "$pid"
  ps -A -o pid=,ppid= | while read -r child parent; do [ "$parent" != "$pid" ] || kill -CONT "$child"; done
  kill -CONT "$pid"
  tries=0
  while kill -0 "$pid" && [ -e "$1/data/postmaster.pid" ] && [ $tries -lt 1000 ]; do
    sleep 0.01
    tries=$((tries + 1))
  done
  [ $tries -lt 1000 ] || kill -KILL "$pid"
fi
rm -rf "$1"
`;

export async function openHome(durable: boolean): Promise<Home> {
  const bin = findPostgres();
  if (bin === undefined) throw new Error("There is no PostgreSQL here (Debian: apt-get install postgresql).");
  const path = durable ? await mkdtemp(join(tmpdir(), "rostrum-test-")) : (await tempFolder()).path;
  const user = unprivileged();
  if (user.uid !== undefined && user.gid !== undefined) await chown(path, user.uid, user.gid);
  // In a session of its own: Ctrl-C ends the tests, and the guard then ends the server.
  const guard = spawn("/bin/sh", ["-c", GUARD, "guard", path], {
    ...user,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.stdin.on("error", () => undefined);
  const guardEnded = ended(guard);
  return {
    bin,
    durable,
    path,
    data: join(path, "data"),
    log: join(path, "log"),
    user,
    run: async (program, args) => {
      await promisify(execFile)(join(bin, program), args, { cwd: path, ...user });
    },
    guard: (pid) => void guard.stdin.write(`${pid ?? ""}\n`),
    [Symbol.asyncDispose]: async () => {
      guard.stdin.end();
      await guardEnded;
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** The first that this PostgreSQL and this machine know. An order unlike that of bytes, so that a test notices who relies on it. */
const LOCALES = [
  ["--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8"],
  ["--locale=en_US.UTF-8"],
  ["--locale=C.UTF-8"],
  ["--locale=C"],
];

export async function initialise(home: Home): Promise<void> {
  const refusals: unknown[] = [];
  for (const locale of LOCALES) {
    const args = ["-D", home.data, "-U", "rostrum", "--auth=trust", "--encoding=UTF8", "--no-sync", ...locale];
    try {
      await home.run("initdb", args);
      return;
    } catch (error) {
      refusals.push(error);
    }
  }
  throw new AggregateError(refusals, `initdb failed: ${String(refusals[0])}`);
}

/** The last value of a name counts. */
export async function configure(home: Home, settings: Record<string, string>): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
  await appendFile(join(home.data, "postgresql.conf"), lines.join(""));
}

/** The end of what the server has said. */
export async function endOfLog({ log }: Home): Promise<string> {
  return (await readFile(log, "utf8").catch(() => "(no log)")).trimEnd().split("\n").slice(-20).join("\n");
}
