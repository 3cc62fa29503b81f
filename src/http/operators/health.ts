import type { ErrorReply } from "../errors.ts";

export interface HealthOptions {
  version: string;
  /** @returns why the process should receive no requests now, or null. Queries the database. */
  notReady: () => Promise<string | null>;
  dispatcher: () => DispatcherHealth;
  /** @returns problems that do not prevent reads, in sentences for operators; may fail with the database. */
  problems: () => Promise<string[]>;
  /** Null: there is no continuous backup. */
  backup: () => BackupHealth | null;
}

export interface BackupHealth {
  /** For how long there have been changes that are not copied; 0 if all are. */
  lagSeconds: number;
  /** What keeps them from being copied, in a sentence; null: nothing that is known. */
  problem: string | null;
  /** Whether the database is copied, and not the pictures alone. */
  hasDatabase: boolean;
}

export interface OperatorReply extends Omit<ErrorReply, "body"> {
  /** Text has a `Content-Type` among the headers; anything else is sent as JSON. */
  body: string | Record<string, unknown>;
}

type OperatorRoutes = Readonly<Record<string, () => Promise<OperatorReply>>>;

export interface DispatcherHealth {
  /** `stopped`: there is no webhook yet, or the thread is about to be restarted. */
  state: "running" | "hanging" | "stopped";
  /** Time since its last heartbeat; 0 if it is stopped. */
  heartbeatSeconds: number;
  restarts: number;
}

/** `/healthz`: the process is alive. `/readyz`: it serves, whatever the dispatcher's state and that of the backup: reads do not need them. */
export function healthRoutes({ version, notReady, dispatcher, problems, backup }: HealthOptions): OperatorRoutes {
  return {
    "/healthz": () => Promise.resolve({ status: 200, headers: {}, body: { status: "ok", version } }),
    "/readyz": async () => {
      const reason = await notReady();
      const headers = { "Cache-Control": "no-store" };
      const { state, heartbeatSeconds, restarts } = dispatcher();
      const copies = backup();
      const details = {
        dispatcher: { state, heartbeat_seconds: heartbeatSeconds, restarts },
        ...(copies !== null && { backup: { lag_seconds: copies.lagSeconds, problem: copies.problem } }),
      };
      return reason === null
        ? {
            status: 200,
            headers,
            body: { status: "ready", version, problems: await problems().catch(() => []), ...details },
          }
        : { status: 503, headers, body: { status: "not ready", reason, ...details } };
    },
  };
}
