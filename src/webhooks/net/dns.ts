/**
 * Resolves by c-ares, which occupies no thread. The system's resolver occupies one of the few that read files, and
 * cannot be cancelled: it is asked only for what c-ares cannot (the hosts file, search domains).
 */
import { lookup, Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";

export type Lookup = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

const HOSTS_FILE = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";
const TIMEOUT_MS = 2_000;
const TRIES = 2;

export function nameLookup(): Lookup {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  return async (hostname) => {
    if (await isInHostsFile(hostname)) return lookup(hostname, { all: true, verbatim: true });
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [
      ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length > 0) return found;
    // After a timeout the system's resolver is not tried, because it would block a thread.
    for (const answer of [four, six]) {
      if (answer.status === "rejected" && isTimeout(answer.reason)) throw answer.reason;
    }
    return lookup(hostname, { all: true, verbatim: true });
  };
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && "code" in reason && reason.code === "ETIMEOUT";
}

async function isInHostsFile(hostname: string): Promise<boolean> {
  const text = await readFile(HOSTS_FILE, "utf8").catch(() => "");
  const wanted = hostname.toLowerCase().replace(/\.$/, "");
  return text
    .toLowerCase()
    .split("\n")
    .some((line) => line.replace(/#.*/, "").split(/\s+/).slice(1).includes(wanted));
}
