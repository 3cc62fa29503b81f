/** Listening sockets that the supervisor has opened, as systemd passes them (sd_listen_fds(3)), or the process that this one replaces. */
import { AppError } from "../domain/system/errors.ts";
import { isRunning } from "../process/identity.ts";

/** File descriptors; null: none was passed. */
export interface PassedSockets {
  http: number | null;
  /** For the operators' routes. */
  metrics: number | null;
  /** The channel to the process that this one replaces (takeover.ts). */
  predecessor: number | null;
  /** Whether the supervisor keeps them open: connections wait when this process ends. */
  areKept: boolean;
}

export const NO_SOCKETS: PassedSockets = { http: null, metrics: null, predecessor: null, areKept: false };

const FIRST_FD = 3;
/** Names that only this file gives to sockets. */
const PREDECESSOR = "predecessor";
const OWN = "own";

/**
 * The first socket is the service's, the second the operators', whatever their names.
 *
 * @param pids are this process and its parent: a launcher passes on sockets that were meant for itself.
 * @throws AppError `misconfigured`.
 */
export function findPassedSockets(
  environment: Readonly<Record<string, string | undefined>>,
  pids: readonly number[] = [process.pid, process.ppid],
): PassedSockets {
  const { LISTEN_FDS: fds, LISTEN_PID: pid } = environment;
  const names = environment["LISTEN_FDNAMES"]?.split(":") ?? [];
  const hasPredecessor = names.at(-1) === PREDECESSOR;
  // A process that is replaced may have been killed meanwhile: it is this one's parent no more.
  const isOrphan = hasPredecessor && pid !== undefined && !isRunning(pid);
  if (fds === undefined || (!pids.includes(Number(pid)) && !isOrphan)) return NO_SOCKETS;
  const count = Number(fds) - (hasPredecessor ? 1 : 0);
  if (!/^\d+$/.test(fds) || count > 2) {
    throw new AppError(
      "misconfigured",
      `LISTEN_FDS is "${fds}": pass one socket, or two, of which the second is for health and metrics (ListenStream= in rostrum.socket).`,
    );
  }
  return {
    http: count > 0 ? FIRST_FD : null,
    metrics: count > 1 ? FIRST_FD + 1 : null,
    predecessor: hasPredecessor ? FIRST_FD + count : null,
    areKept: count > 0 && names[0] !== OWN,
  };
}

/** How this process passes its sockets to a child, which gets a channel after them: `fds` are to be its descriptors from 3 on. */
export function toPassedSockets({ http, metrics, areKept }: PassedSockets): {
  fds: number[];
  environment: Record<string, string>;
} {
  const fds = [http, metrics].filter((fd) => fd !== null);
  const name = areKept ? "kept" : OWN;
  return {
    fds,
    environment: {
      LISTEN_FDS: String(fds.length + 1),
      LISTEN_PID: String(process.pid),
      LISTEN_FDNAMES: [...fds.map(() => name), PREDECESSOR].join(":"),
    },
  };
}
