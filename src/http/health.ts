import type { FastifyInstance } from "fastify";

export interface HealthOptions {
  version: string;
  /** @returns why the process should receive no requests now, or null. Queries the database. */
  notReady: () => Promise<string | null>;
  dispatcher: () => DispatcherHealth;
  /** @returns problems that do not prevent reads, in sentences for operators; may fail with the database. */
  problems: () => Promise<string[]>;
}

/** The thread of this process that delivers webhooks. */
export interface DispatcherHealth {
  /** `stopped`: there is no webhook yet, or the thread is about to be restarted. */
  state: "running" | "hanging" | "stopped";
  /** Time since its last heartbeat; 0 if it is stopped. */
  heartbeatSeconds: number;
  /** How often it was restarted after it had failed or hung. */
  restarts: number;
}

/**
 * `/healthz`: the process is alive. `/readyz`: it can serve. Readiness depends neither on the dispatcher, which reads do not
 * need and which is restarted automatically, nor on problems that leave reads unaffected.
 */
export function healthRoutes(app: FastifyInstance, { version, notReady, dispatcher, problems }: HealthOptions): void {
  app.get("/healthz", async () => ({ status: "ok", version }));
  app.get("/readyz", async (_request, reply) => {
    const reason = await notReady();
    void reply.header("Cache-Control", "no-store");
    const { state, heartbeatSeconds, restarts } = dispatcher();
    const details = { dispatcher: { state, heartbeat_seconds: heartbeatSeconds, restarts } };
    if (reason === null) return { status: "ready", version, problems: await problems().catch(() => []), ...details };
    void reply.code(503);
    return { status: "not ready", reason, ...details };
  });
}
