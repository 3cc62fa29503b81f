/** The dashboard's API, loaded when it is needed: a service that only delivers never pays its 50 MB. */
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
  /** What readers see; lists are cut from it. */
  readModel: ReadModel;
  /** Consecutive failures that disable a webhook. */
  disableAfter: number;
  /** How long articles stay in the trash; null: for ever. */
  trashMs: number | null;
  longWork: LongWork;
  /** Connections over which a file is coming in: that takes as long as it takes. */
  uploads: WeakSet<Socket>;
  /** The address under which others reach the service, where that is known. */
  publicUrl: string | null;
  metrics: DashboardMetrics;
  log: RequestLog;
  requestIds: RequestIds;
  /** What failed after its answer was given. */
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

  /** Loads it ahead of its first request: meanwhile nothing else is answered, for some tenths of a second or more. */
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

  /** Ends the answers that go on for as long as somebody looks: the service stops. */
  endStreams(): void {
    this.#stopping.abort();
    this.#options.longWork.stop();
  }

  /** When everything that goes on after an answer is done. */
  async close(): Promise<void> {
    if (!this.#isLoading) return;
    // What could not be loaded has nothing to close.
    const admin = await this.#load().catch(() => null);
    await admin?.close();
  }
}
