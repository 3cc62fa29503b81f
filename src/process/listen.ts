/** Listening on the addresses that the settings name. */
import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { type AddressInfo, isIP, type Server } from "node:net";
import { AppError, getErrorCode } from "../domain/system/errors.ts";

interface Address {
  host: string;
  port: number;
  setting: string;
}

/** systemd's own. Connections wait there while the service restarts; the kernel's limit is mostly the same. */
const PASSED_BACKLOG = 4_096;

/** @returns the URL at which this machine can reach it. @throws AppError. */
export async function listen(server: Server, { host, port, setting }: Address): Promise<string> {
  try {
    server.listen({ host, port });
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

/** Listens on a socket that was passed to this process. @throws AppError `misconfigured`. */
export async function listenOnPassed(server: Server, fd: number): Promise<string> {
  const wrong = (cause?: unknown) =>
    new AppError(
      "misconfigured",
      `The file descriptor ${fd}, which was passed with LISTEN_FDS, is not a listening TCP socket: check ListenStream= and Accept=no in rostrum.socket.`,
      { cause },
    );
  try {
    server.listen({ fd, backlog: PASSED_BACKLOG });
    await once(server, "listening");
  } catch (error) {
    throw wrong(error);
  }
  if (typeof server.address() === "string") throw wrong();
  return getAddress(server);
}

/** Whether a server that listens on a passed socket does so where the settings say. */
export function isAt(server: Server, { host, port }: Pick<Address, "host" | "port">): boolean {
  const actual = server.address() as AddressInfo;
  return (isIP(host) === 0 || host === actual.address) && (port === 0 || port === actual.port);
}

export async function closeAtOnce(server: HttpServer): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

/** The file descriptor of a server that listens. */
export function descriptor(server: Server): number {
  // Node has no other way to pass a socket to a program that is not its own child module.
  const { _handle: handle } = server as Server & { _handle?: { fd: number } | null };
  if (!handle) throw new Error("the server does not listen");
  return handle.fd;
}

function getAddress(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server does not listen on a port");
  const host = address.address === "0.0.0.0" ? "127.0.0.1" : address.address;
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}
