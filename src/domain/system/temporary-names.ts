/** Names `rostrum-<kind>-<pid>@<host>-<random>`: what a killed process left can be told from what others use. */
import { hostname } from "node:os";

const KINDS = ["upload", "import", "export", "picture", "copy", "restore"] as const;

/** The beginning of a name; `mkdtemp` adds the rest, or the caller a random text without "-". */
export function temporaryPrefix(kind: (typeof KINDS)[number]): string {
  // A container's name for itself: its process ids mean nothing to others that share the folder.
  return `rostrum-${kind}-${process.pid}@${thisHost()}-`;
}

/** The process that made it. Undefined: the name is not ours; null: of another host. */
export function parseTemporaryName(name: string): { pid: number } | null | undefined {
  const kind = KINDS.find((one) => name.startsWith(`rostrum-${one}-`));
  if (kind === undefined) return undefined;
  const rest = name.slice(`rostrum-${kind}-`.length);
  const [pid = "", host] = rest.slice(0, rest.lastIndexOf("-")).split("@");
  if (host === undefined || !/^\d+$/.test(pid)) return undefined;
  return host === thisHost() ? { pid: Number(pid) } : null;
}

function thisHost(): string {
  return hostname().replaceAll(/[^\w.-]/g, "_");
}
