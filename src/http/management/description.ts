/** The OpenAPI description of the management API. */
import type { AdminServer } from "../admin/routes.ts";

export function descriptionRoutes(app: AdminServer, read: () => Buffer): void {
  app.get("/openapi.json", { config: { access: "anyone" } }, async (_request, reply) =>
    reply.header("Cache-Control", "no-cache").type("application/json; charset=utf-8").send(read()),
  );
}
