import type { Socket } from "node:net";
import type pg from "pg";

const POLITE_MS = 2_000;

/** Closes gracefully, but destroys a connection that does not answer within `POLITE_MS`. Resolves when it is closed. */
export async function endClient(client: pg.Client): Promise<void> {
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    destroy(client);
    resolve();
  }, POLITE_MS);
  await Promise.race([client.end().catch(() => undefined), isLate]);
  clearTimeout(timer);
}

export function destroy(client: pg.ClientBase): void {
  // Closing it gracefully would wait for an answer that does not come.
  getSocket(client).destroy();
}

/** The connection's socket, which the driver does not type. Used only to count received bytes and to destroy it. */
export function getSocket(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
