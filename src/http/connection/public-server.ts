/** The service's node:http server: it admits connections, answers the read API, and passes on all other requests. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Connections } from "./connections.ts";
import type { Proxies } from "./proxies.ts";
import type { RequestTracer } from "./trace-requests.ts";
import type { ReadApi } from "../read-api/read-api.ts";
import { API_PREFIX } from "../read-api/routes.ts";
import { withoutHost } from "../request.ts";
import { refuseLate, refuseTwoHosts, refuseUnreadable } from "./unreadable.ts";

// Importing node:http creates all its exports, including WebSocket and with it a whole HTTP client: 16 MB and 30 ms.
const { createServer } = process.getBuiltinModule("node:http");

export interface PublicServerOptions {
  readApi: ReadApi;
  /** Null: no proxies are trusted. */
  proxies: Proxies | null;
  /** Null: no traces are exported. */
  trace: RequestTracer | null;
  /** Whether the current request of the connection has a time limit of its own. */
  isPatient: (socket: Socket) => boolean;
  /** Answers what is not the read API's. */
  other: RequestListener;
}

export class PublicServer implements Disposable {
  readonly #options: PublicServerOptions;
  readonly #connections: Connections;
  #isDraining = false;
  #refusesReads = false;

  constructor(options: PublicServerOptions) {
    this.#options = options;
    this.#connections = new Connections({
      onLate: (socket) => {
        if (!options.isPatient(socket)) refuseLate(socket);
      },
    });
  }

  createServer(): Server {
    const handle: RequestListener = (req, res) => this.#handle(req, res);
    const handleExpected: RequestListener = (req, res) => {
      res.writeContinue();
      this.#handle(req, res);
    };
    // Spares requests without a body the end of a stream that nobody reads: two ticks and three events each.
    const server = createServer({ optimizeEmptyRequests: true }, (req, res) =>
      this.#connections.admit(req, res, handle),
    );
    server.on("checkContinue", (req, res) => this.#connections.admit(req, res, handleExpected));
    server.on("clientError", refuseUnreadable);
    this.#connections.manage(server);
    return server;
  }

  #handle(req: IncomingMessage, res: ServerResponse): void {
    const { proxies, trace, readApi, other } = this.#options;
    if (this.#isDraining) res.shouldKeepAlive = false;
    if (hasTwoHosts(req)) return refuseTwoHosts(res);
    proxies?.resolve(req);
    req.url = withoutHost(req.url ?? "");
    if (!req.url.startsWith(API_PREFIX)) other(req, res);
    else {
      trace?.join(req, res);
      if (this.#refusesReads) readApi.refuseAll(req, res);
      else readApi.handle(req, res);
    }
  }

  /** From now on every response closes its connection, including those in progress. */
  drain(): void {
    this.#isDraining = true;
    this.#connections.closeAfterAnswers();
  }

  /** Resolves when the responses now in progress are sent, except streams, or after `maxMs`. */
  sent(maxMs: number): Promise<void> {
    return this.#connections.sent(maxMs);
  }

  /** Whether a server that no longer listens keeps idle connections open. */
  spareIdle(spares: boolean): void {
    this.#connections.spareIdle(spares);
  }

  /** When the server closes, new connections without a request are closed soon. */
  hurry(): void {
    this.#connections.hurry();
  }

  /** Whether the read API answers with 503. */
  refuseReads(refuses: boolean): void {
    this.#refusesReads = refuses;
  }

  [Symbol.dispose](): void {
    this.#connections[Symbol.dispose]();
  }
}

export const CLOSE_TIMEOUT_MS = 12_000;

/** RFC 9112, section 3.2: with two Host headers, a proxy in front might have used the other one. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && (name === "Host" || name === "host" || name.toLowerCase() === "host")) hosts++;
  }
  return hosts > 1;
}
