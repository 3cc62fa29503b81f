/** Listening on the addresses that the settings name. */
import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError, getErrorCode } from "../domain/system/errors.ts";

const PORT_TIMEOUT_MS = 2_000;
const PORT_RETRY_MS = 50;

interface Address {
  host: string;
  port: number;
  /** The setting that names the port. */
  setting: string;
  /** Whether other processes may listen on the same port. */
  reusePort?: boolean;
}

/** @returns the URL at which this machine can reach it. @throws AppError. */
export async function listen(server: Server, { host, port, setting, reusePort = false }: Address): Promise<string> {
  try {
    server.listen({ host, port, reusePort });
    await once(server, "listening");
    return getAddress(server);
  } catch (error) {
    const code = getErrorCode(error);
    if (code === "EADDRINUSE") {
      throw new AppError(
        "conflict",
        `Port ${port} on ${host} is in use by another program: stop it, or choose another port, as in ${setting}=${port + 1}.`,
        { cause: error },
      );
    }
    if (code === "EACCES") {
      throw new AppError(
        "misconfigured",
        `This user may not listen on port ${port}: choose one above 1023 with ${setting}.`,
      );
    }
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new AppError("misconfigured", `HOST is "${host}", which is not an address of this machine.`);
    }
    throw error;
  }
}

/**
 * Whoever shares a port may join it without notice, another service as well: so this first takes it alone. Reading processes
 * of a service that was killed may have it for a moment more.
 *
 * @throws AppError.
 */
export async function findPort(at: Pick<Address, "host" | "port">): Promise<number> {
  const deadline = performance.now() + PORT_TIMEOUT_MS;
  for (;;) {
    const server = createServer();
    try {
      const url = await listen(server, { ...at, setting: "PORT" });
      server.close();
      await once(server, "close");
      return Number(new URL(url).port || at.port);
    } catch (error) {
      const isTaken = error instanceof AppError && error.code === "conflict";
      if (!isTaken || performance.now() > deadline) throw error;
      await sleep(PORT_RETRY_MS);
    }
  }
}

export async function closeAtOnce(server: HttpServer): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

function getAddress(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server does not listen on a port");
  const host = address.address === "0.0.0.0" ? "127.0.0.1" : address.address;
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}
