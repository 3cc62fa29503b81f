/** Listening sockets that the supervisor has opened, as systemd passes them (sd_listen_fds(3)). */
import { AppError } from "../domain/system/errors.ts";

/** File descriptors; null: none was passed. */
export interface PassedSockets {
  http: number | null;
  /** For the operators' routes. */
  metrics: number | null;
}

export const NO_SOCKETS: PassedSockets = { http: null, metrics: null };

const FIRST_FD = 3;

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
  if (fds === undefined || !pids.includes(Number(pid))) return NO_SOCKETS;
  const count = Number(fds);
  if (!/^\d+$/.test(fds) || count > 2) {
    throw new AppError(
      "misconfigured",
      `LISTEN_FDS is "${fds}": pass one socket, or two, of which the second is for health and metrics (ListenStream= in rostrum.socket).`,
    );
  }
  return { http: count > 0 ? FIRST_FD : null, metrics: count > 1 ? FIRST_FD + 1 : null };
}
