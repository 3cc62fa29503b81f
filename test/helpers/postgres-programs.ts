/** Finds PostgreSQL's programs, and a user who may run them. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The folder of PostgreSQL's programs: ROSTRUM_TEST_POSTGRES_BIN, else Debian's newest, else that of `postgres` on the PATH.
 *
 * @throws Error when the folder in ROSTRUM_TEST_POSTGRES_BIN has no server.
 */
export function findPostgres(): string | undefined {
  const chosen = process.env["ROSTRUM_TEST_POSTGRES_BIN"];
  if (chosen) {
    if (!hasServer(chosen)) throw new Error(`ROSTRUM_TEST_POSTGRES_BIN: there is no PostgreSQL server in ${chosen}.`);
    return chosen;
  }
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const path = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "postgres"));
  return [
    ...versions.map((version) => join(debian, version, "bin")),
    // The other programs are beside a link's target.
    ...path.filter((file) => existsSync(file)).map((file) => join(realpathSync(file), "..")),
  ].find(hasServer);
}

function hasServer(folder: string): boolean {
  return ["postgres", "initdb"].every((name) => existsSync(join(folder, name)));
}

/** An unprivileged user if this process runs as root, which PostgreSQL rejects. */
export function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  for (const name of ["postgres", "nobody"]) {
    try {
      return { uid: id("-u", name), gid: id("-g", name) };
    } catch {
      // The user does not exist.
    }
  }
  throw new Error("PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody.");
}

function id(flag: "-u" | "-g", user: string): number {
  return Number(execFileSync("id", [flag, user], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
}
