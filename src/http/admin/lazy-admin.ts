/** The dashboard's API, loaded on first use: a service that only serves articles saves its 50 MB. */
import type { FastifyInstance } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ReadModel } from "../../operations/articles/read-model.ts";
import type { Deps } from "../../operations/system/deps.ts";
import { errorReply } from "../errors.ts";
import { lazily } from "../lazily.ts";
import type { DashboardMetrics } from "../metrics.ts";
import type { RequestLog } from "../read-api/read-api.ts";
import type { RequestIds } from "../request-ids.ts";
import type { LongWork } from "./long-work.ts";

export const ADMIN_PREFIX = "/dashboard/api/";

export interface AdminOptions {
  deps: Deps;
  /** What readers see; lists of articles are read from it. */
  readModel: ReadModel;
  /** Consecutive failures that disable a webhook. */
  disableAfter: number;
  /** How long articles stay in the trash; null: forever. */
  trashMs: number | null;
  longWork: LongWork;
  /** Connections with an upload in progress, which are exempt from the request timeout. */
  uploads: WeakSet<Socket>;
  /** The URL at which clients reach the service, if it is known. */
  publicUrl: string | null;
  metrics: DashboardMetrics;
  log: RequestLog;
  requestIds: RequestIds;
  /** Reports failures after the response was sent. */
  onError: (error: unknown, message: string) => void;
}

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
