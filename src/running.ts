/** Which process serves a database: what replaces the file must know whether somebody has it open. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { isRunning, processName } from "./process-names.ts";

interface Claim {
  pid: number;
  /** process-names.ts */
  process: string;
  url: string;
}

/** Notes beside the database that this process serves it; taken back on disposal. */
export function claimDataFolder(databasePath: string, url: string): Disposable {
  const path = claimPath(databasePath);
  writeFileSync(path, `${JSON.stringify({ pid: process.pid, process: processName(), url } satisfies Claim)}\n`);
  return {
    [Symbol.dispose]: () => {
      if (readClaim(path)?.pid === process.pid) rmSync(path, { force: true });
    },
  };
}

/** The living process that serves the database, if there is one. A claim of a dead process counts for nothing. */
export function servingProcess(databasePath: string): Claim | null {
  const claim = readClaim(claimPath(databasePath));
  return claim !== null && isRunning(claim.process) ? claim : null;
}

function claimPath(databasePath: string): string {
  return `${databasePath}.serving`;
}

function readClaim(path: string): Claim | null {
  try {
    const claim: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof claim === "object" && claim !== null && "pid" in claim && "url" in claim) {
      const pid = Number(claim.pid);
      return { pid, process: "process" in claim ? String(claim.process) : `${pid}-`, url: String(claim.url) };
    }
    return null;
  } catch {
    return null;
  }
}
