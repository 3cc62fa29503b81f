import type { FastifyInstance } from "fastify";

export interface HealthOptions {
  version: string;
  /** @returns why the process should get no requests now, or null. Asks the database. */
  notReady: () => Promise<string | null>;
}

/** `/healthz`: the process is alive. `/readyz`: it can serve. */
export function healthRoutes(app: FastifyInstance, { version, notReady }: HealthOptions): void {
  app.get("/healthz", async () => ({ status: "ok", version }));
  app.get("/readyz", async (_request, reply) => {
    const reason = await notReady();
    void reply.header("Cache-Control", "no-store");
    if (reason === null) return { status: "ready", version };
    void reply.code(503);
    return { status: "not ready", reason };
  });
}
