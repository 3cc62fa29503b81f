/** How connections end. */
import type { Socket } from "node:net";
import type pg from "pg";

const POLITE_MS = 2_000;

/** Politely; where nobody answers any more, all the same soon. Resolves when it has ended. */
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
  // Ending it politely would wait for an answer that does not come.
  socketOf(client).destroy();
}

/** Typed by nobody: what goes over it is the driver's, but whether anything comes and when it ends is ours to see. */
export function socketOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
