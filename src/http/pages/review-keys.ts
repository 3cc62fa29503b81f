/** `/.well-known/rostrum-keys.json`: the keys that review records are checked with (RFC 7517), for everybody. */
import type { FastifyInstance } from "fastify";

export interface ReviewKeysOptions {
  /** The key set. */
  read: () => Promise<object>;
}

/** Short, so that a revoked key is soon known. */
const CACHE_CONTROL = "public, max-age=300";

export function reviewKeyRoutes(app: FastifyInstance, { read }: ReviewKeysOptions): void {
  app.get("/.well-known/rostrum-keys.json", async (_request, reply) =>
    reply
      .type("application/jwk-set+json")
      .header("Cache-Control", CACHE_CONTROL)
      .header("Access-Control-Allow-Origin", "*")
      .send(JSON.stringify(await read())),
  );
}
