/** The folder of a PostgreSQL server, which is removed when the process that made it exits for any reason. */
import { execFile, spawn } from "node:child_process";
import { appendFile, chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { tempFolder } from "./folder.ts";
import { findPostgres, unprivileged } from "./postgres-programs.ts";
import { ended } from "./processes.ts";

/** A server's folder, the user that its programs run as, and its guard process. */
export interface Home extends AsyncDisposable {
  bin: string;
  durable: boolean;
  path: string;
  data: string;
  log: string;
  user: { uid?: number; gid?: number };
  /** Runs one of PostgreSQL's programs to its end. @throws Error with its output. */
  run(program: string, args: string[]): Promise<void>;
  /** Tells the guard which process to end; without `pid` there is none. */
  guard(pid?: number): void;
}

/**
 * Reads process ids, one per line; the last one counts. Its input ends on disposal, or when the writing process has exited,
 * even by SIGKILL: then it ends the server ($pid) and removes its folder ($1). SIGQUIT lets the server clean up its shared
 * memory, and SIGCONT lets paused processes receive it. The absence of postmaster.pid shows that the server has ended: where
 * nothing reaps orphans, the process would seem to remain.
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
  // In a separate session: Ctrl-C ends the tests, and the guard then ends the server.
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

/**
 * The first that both PostgreSQL and the machine support is used. Their order differs from byte order, so that tests reveal
 * code that relies on byte order.
 */
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

/** Appends settings; the last value of a name counts. */
export async function configure(home: Home, settings: Record<string, string>): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
  await appendFile(join(home.data, "postgresql.conf"), lines.join(""));
}

/** The last lines of the server's log. */
export async function endOfLog({ log }: Home): Promise<string> {
  return (await readFile(log, "utf8").catch(() => "(no log)")).trimEnd().split("\n").slice(-20).join("\n");
}
