/** A Fastify server without a port of its own, built for its first request: Fastify takes 25 MB and a tenth of a second. */
import type { FastifyInstance } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorReply } from "../errors.ts";
import type { RequestIds } from "../request-log.ts";

export interface LazyServerOptions {
  build: () => Promise<FastifyInstance>;
  requestIds: RequestIds;
  /** Called when it could not be built; the next request tries again. */
  onFailure: (error: unknown) => void;
}

export class LazyServer {
  readonly #options: LazyServerOptions;
  readonly #load: () => Promise<FastifyInstance>;
  #isLoading = false;

  constructor(options: LazyServerOptions) {
    this.#options = options;
    this.#load = lazily(options.build);
  }

  /** Builds it ahead of its first request; building blocks everything else for some tenths of a second or more. */
  async load(): Promise<void> {
    this.#isLoading = true;
    await this.#load().catch(this.#options.onFailure);
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    this.#isLoading = true;
    this.#load().then(
      (server) => server.routing(req, res),
      (error: unknown) => {
        this.#options.onFailure(error);
        const id = this.#options.requestIds.take(req);
        const { status, body } = errorReply(error, id);
        res
          .writeHead(status, { "Content-Type": "application/json; charset=utf-8", "X-Request-Id": id })
          .end(JSON.stringify(body));
      },
    );
  }

  /** Resolves when all work that continues after a response is done. */
  async close(): Promise<void> {
    if (!this.#isLoading) return;
    // If loading failed, there is nothing to close.
    const server = await this.#load().catch(() => null);
    await server?.close();
  }
}

/** @returns a function that calls `load` on first use and shares its result; after a failure, the next use calls it again. */
export function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return async () => {
    const mine = (loading ??= load());
    try {
      return await mine;
    } catch (error) {
      if (loading === mine) loading = undefined;
      throw error;
    }
  };
}
