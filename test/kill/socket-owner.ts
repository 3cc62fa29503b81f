/** Finds the process that owns a loopback connection, by which the receiver distinguishes the nodes. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** @returns the process whose socket has this port; undefined if none has it any more, or this is not Linux. */
export function ownerOf(ports: { theirs: number; ours: number }, pids: readonly number[]): number | undefined {
  const link = linkOf(ports);
  return link === undefined ? undefined : pids.find((pid) => holds(pid, link));
}

/** See proc_net_tcp(5): addresses in hexadecimal, and the socket's inode. */
function linkOf({ theirs, ours }: { theirs: number; ours: number }): string | undefined {
  const line = new RegExp(`^ *\\d+: [0-9A-F]+:${inHex(theirs)} [0-9A-F]+:${inHex(ours)} (?:\\S+ +){6}(\\d+)`, "m");
  try {
    const number = line.exec(readFileSync("/proc/net/tcp", "latin1"))?.[1];
    return number === undefined ? undefined : `socket:[${number}]`;
  } catch {
    return undefined;
  }
}

const inHex = (port: number) => port.toString(16).toUpperCase().padStart(4, "0");

function holds(pid: number, link: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => isLink(`/proc/${pid}/fd/${fd}`, link));
  } catch {
    // It is gone.
    return false;
  }
}

function isLink(path: string, link: string): boolean {
  try {
    return readlinkSync(path) === link;
  } catch {
    // Closed meanwhile.
    return false;
  }
}
