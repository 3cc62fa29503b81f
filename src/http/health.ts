import type { FastifyInstance } from "fastify";

export interface HealthOptions {
  version: string;
  /** @returns why the process should get no requests now, or null. Asks the database. */
  notReady: () => Promise<string | null>;
  dispatcher: () => DispatcherHealth;
  /** @returns what is wrong and does not keep it from answering reads, in sentences for operators; may fail with the database. */
  problems: () => Promise<string[]>;
}

/** The thread of this process that delivers webhooks. */
export interface DispatcherHealth {
  /** `stopped`: there is no webhook yet, or the thread is about to be started again. */
  state: "running" | "hanging" | "stopped";
  /** Time since its last heartbeat; 0 where it is stopped. */
  heartbeatSeconds: number;
  /** How often it was started again, after it had failed or had hung. */
  restarts: number;
}

/**
 * `/healthz`: the process is alive. `/readyz`: it can serve. How the dispatcher is does not decide that: reads do not depend on
 * it, and it is started again by itself. Nor do problems that leave reads as they are.
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
