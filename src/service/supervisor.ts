/**
 * Tells systemd when the service is ready, and feeds its watchdog (sd_notify(3)). The program systemd-notify sends: Node has no
 * sockets of the kind that systemd listens on.
 */
import { execFile } from "node:child_process";
import type { Log } from "../process/log.ts";
import { getErrorCode } from "../domain/system/errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const PROGRAM = "systemd-notify";
const SEND_TIMEOUT_MS = 10_000;
/** How often within its time: two that fail restart nothing. */
const FEEDS = 4;

export class Supervisor implements Disposable {
  readonly #environment: Environment;
  readonly #log: Pick<Log, "warn">;
  #watchdog: NodeJS.Timeout | undefined;
  #isFeeding = false;
  #hasWarned = false;

  constructor(environment: Environment, log: Pick<Log, "warn">) {
    this.#environment = environment;
    this.#log = log;
  }

  /** Sends assignments such as `READY=1`, if a supervisor listens. Never fails. */
  async notify(...assignments: string[]): Promise<void> {
    const { NOTIFY_SOCKET: socket, PATH: path } = this.#environment;
    if (socket === undefined || socket === "") return;
    const env = { NOTIFY_SOCKET: socket, ...(path === undefined ? {} : { PATH: path }) };
    try {
      await run(assignments, env);
    } catch (error) {
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      const reason =
        getErrorCode(error) === "ENOENT" ? `there is no program ${PROGRAM}` : error instanceof Error && error.message;
      this.#log.warn({ reason }, "the supervisor cannot be told how the service is (NOTIFY_SOCKET)");
    }
  }

  /** Feeds the watchdog as long as the event loop turns. Whatever else fails, a restart does not heal. */
  feedWatchdog(): void {
    const intervalMs = watchdogMs(this.#environment);
    if (intervalMs === null) return;
    const feed = async () => {
      if (this.#isFeeding) return;
      this.#isFeeding = true;
      await this.notify("WATCHDOG=1");
      this.#isFeeding = false;
    };
    // At once: this process may take the place of one that has last fed it some time ago.
    void feed();
    this.#watchdog = setInterval(() => void feed(), intervalMs / FEEDS).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#watchdog);
  }
}

/** Null: there is no watchdog, or it is another process's. */
function watchdogMs({ WATCHDOG_USEC: usec, WATCHDOG_PID: pid }: Environment): number | null {
  const ms = Number(usec) / 1_000;
  const isOurs = pid === undefined || [process.pid, process.ppid].includes(Number(pid));
  return isOurs && ms > 0 ? ms : null;
}

/** Without `promisify`: nothing else loads node:util at a start. */
function run(assignments: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const options = { env, timeout: SEND_TIMEOUT_MS, killSignal: "SIGKILL" } as const;
  return new Promise((resolve, reject) => {
    execFile(PROGRAM, assignments, options, (error) => (error === null ? resolve() : reject(error)));
  });
}
