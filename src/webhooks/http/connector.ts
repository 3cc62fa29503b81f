/** Connects only to addresses that the guard has just returned; SNI and certificate check use the name. */
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, type SecureContext } from "node:tls";
import { getErrorCode } from "../../domain/system/errors.ts";
import type { Outcome } from "../../domain/webhooks/attempt.ts";
import { type AddressGuard, type AllowedAddress, BlockedAddressError } from "../net/ssrf-guard.ts";

/** The destination of an endpoint's connections. */
export interface Destination {
  guard: Pick<AddressGuard, "resolve">;
  url: URL;
  /** For all addresses together; DNS before it and TLS after it are limited only by the attempt's deadline. */
  connectTimeoutMs: number;
  /** @throws when the endpoint's private CA cannot be read. */
  secureContext: () => SecureContext;
}

/** The connection failed; the message is shown to the customer. */
export class ConnectError extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "ConnectError";
    this.outcome = outcome;
  }
}

/** One connection being opened. */
export class ConnectionAttempt {
  /** `performance.now()`; null before. */
  resolvedAt: number | null = null;
  /** `performance.now()`, with TLS after the handshake; null before. */
  connectedAt: number | null = null;
  readonly #to: Destination;
  #socket: Socket | undefined;
  #isGivenUp = false;

  readonly #onBytes: (length: number, bytes: Uint8Array) => boolean;

  /** @param onBytes gets the first `length` bytes, which are then overwritten; returns true to read on. */
  constructor(to: Destination, onBytes: (length: number, bytes: Uint8Array) => boolean) {
    this.#to = to;
    this.#onBytes = onBytes;
  }

  /** Call it once. @throws ConnectError, also after `abort`. */
  async open(): Promise<Socket> {
    const addresses = await this.#resolve();
    const until = performance.now() + this.#to.connectTimeoutMs;
    for (const [index, address] of addresses.entries()) {
      // An address that drops packets must leave time for the others.
      const withinMs = (until - performance.now()) / (addresses.length - index);
      try {
        const socket = await this.#connect(address, withinMs);
        this.connectedAt = performance.now();
        return socket;
      } catch (error) {
        const isLast = index === addresses.length - 1 || this.#isGivenUp;
        if (isLast || !(error instanceof ConnectError) || !TRY_NEXT_ADDRESS.has(error.outcome)) throw error;
      }
    }
    throw new ConnectError("dns", "The name has no address.");
  }

  /** Destroys the socket, even if open, and ignores a DNS response to come. Resolves when it is closed. */
  async abort(): Promise<void> {
    this.#isGivenUp = true;
    const socket = this.#socket;
    socket?.destroy();
    if (socket?.closed === false) await new Promise((resolve) => socket.once("close", resolve));
  }

  async #resolve(): Promise<AllowedAddress[]> {
    try {
      const addresses = await this.#to.guard.resolve(this.#to.url);
      this.resolvedAt = performance.now();
      return addresses.slice(0, MAX_ADDRESSES);
    } catch (error) {
      if (error instanceof BlockedAddressError) throw new ConnectError("blocked", error.message, error);
      throw new ConnectError("dns", `The name cannot be resolved (${codeOrName(error)}).`, error);
    }
  }

  async #connect({ address, family }: AllowedAddress, withinMs: number): Promise<Socket> {
    if (this.#isGivenUp) throw new ConnectError("reset", "The attempt was given up.");
    const { url } = this.#to;
    const isSecure = url.protocol === "https:";
    const target = {
      host: address,
      family,
      port: Number(url.port === "" ? (isSecure ? 443 : 80) : url.port),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
      onread: {
        buffer: READ_BUFFER,
        callback: this.#onBytes,
      },
    };
    const socket = isSecure ? connectTls({ ...target, ...this.#tlsOptions() }) : connect(target);
    this.#socket = socket;
    return new Promise((resolve, reject) => {
      let isConnected = false;
      const fail = (error: ConnectError) => {
        clearTimeout(timer);
        socket.destroy();
        reject(error);
      };
      const timer = setTimeout(() => fail(new ConnectError("timeout", this.#tooSlow())), withinMs);
      socket.once("connect", () => {
        isConnected = true;
        clearTimeout(timer);
        if (!isSecure) resolve(socket);
      });
      socket.once("secureConnect", () => resolve(socket));
      // Stays for the socket's lifetime: an error needs a listener even while the socket is idle.
      socket.on("error", (error) => fail(isConnected ? handshakeFailure(error) : connectFailure(error)));
      socket.once("close", () => fail(new ConnectError("reset", "The connection was closed while it was opened.")));
    });
  }

  #tooSlow(): string {
    return `No connection within ${this.#to.connectTimeoutMs / 1000} s.`;
  }

  #tlsOptions() {
    const hostname = this.#to.url.hostname;
    const isLiteral = hostname.startsWith("[") || isIP(hostname) !== 0;
    return {
      // RFC 6066, section 3: no literal addresses and no trailing dot. Without a server name the certificate is checked
      // against `host`, the address.
      ...(isLiteral ? {} : { servername: hostname.replace(/\.$/, "") }),
      ALPNProtocols: ["http/1.1"],
      secureContext: this.#secureContext(),
      // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would disable the default.
      rejectUnauthorized: true,
    };
  }

  #secureContext(): SecureContext {
    try {
      return this.#to.secureContext();
    } catch (error) {
      throw new ConnectError("tls", `The endpoint's private CA cannot be read (${codeOrName(error)}).`, error);
    }
  }
}

/** For all connections, as each read is over before the next one begins. Without it each allocates 64 KiB. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/** A DNS response must not make this process call a long list of hosts. */
const MAX_ADDRESSES = 8;

/** A TLS error comes from the receiver, so another address would not help. */
const TRY_NEXT_ADDRESS: ReadonlySet<Outcome> = new Set(["refused", "timeout", "reset"]);

function connectFailure(error: Error): ConnectError {
  const code = codeOrName(error);
  if (code === "ETIMEDOUT") return new ConnectError("timeout", "No connection in time (ETIMEDOUT).", error);
  if (code === "ECONNRESET") return new ConnectError("reset", "The connection was reset (ECONNRESET).", error);
  return new ConnectError("refused", `The connection was refused or has no route (${code}).`, error);
}

function handshakeFailure(error: Error): ConnectError {
  const code = codeOrName(error);
  if (code === "ECONNRESET" || code === "EPIPE") {
    return new ConnectError("reset", `The connection broke during the TLS handshake (${code}).`, error);
  }
  return new ConnectError("tls", `TLS failed (${code}): ${error.message}`, error);
}

/** The `code` of a system or library error; otherwise its name. */
export function codeOrName(error: unknown): string {
  return getErrorCode(error) ?? (error instanceof Error ? error.name : "unknown");
}
