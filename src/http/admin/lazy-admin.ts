/** The dashboard's API, loaded on first use: a service that only serves articles saves its 50 MB. */
import type { FastifyInstance } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorReply } from "../errors.ts";
import { lazily } from "../lazily.ts";
import type { AdminOptions } from "./admin-options.ts";

export class AdminApi {
  readonly #options: AdminOptions;
  readonly #stopping = new AbortController();
  readonly #load: () => Promise<FastifyInstance>;
  #isLoading = false;

  constructor(options: AdminOptions) {
    this.#options = options;
    this.#load = lazily(async () => (await import("./admin.ts")).buildAdmin(options, this.#stopping.signal));
  }

  /** Loads it ahead of its first request; loading blocks everything else for some tenths of a second or more. */
  async load(): Promise<void> {
    this.#isLoading = true;
    await this.#load();
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    this.#isLoading = true;
    this.#load().then(
      (admin) => admin.routing(req, res),
      (error: unknown) => {
        this.#options.onError(error, "the dashboard's API could not be loaded");
        const id = this.#options.requestIds.take(req);
        const { status, body } = errorReply(error, id);
        res
          .writeHead(status, { "Content-Type": "application/json; charset=utf-8", "X-Request-Id": id })
          .end(JSON.stringify(body));
      },
    );
  }

  /** Ends responses that would stay open until the client disconnects: the service stops. */
  endStreams(): void {
    this.#stopping.abort();
    this.#options.longWork.stop();
  }

  /** Resolves when all work that continues after a response is done. */
  async close(): Promise<void> {
    if (!this.#isLoading) return;
    // If loading failed, there is nothing to close.
    const admin = await this.#load().catch(() => null);
    await admin?.close();
  }
}
