/** The dashboard's API, loaded on first use: a service that only serves articles saves its 50 MB. */
import { LazyServer } from "../pages/fastify-server.ts";
import type { AdminOptions } from "./admin-options.ts";

export class AdminApi extends LazyServer {
  readonly #dashboardThread: AdminOptions["dashboardThread"];
  readonly #stopping: AbortController;

  constructor(options: AdminOptions) {
    const stopping = new AbortController();
    super({
      build: async () => (await import("./admin.ts")).buildAdmin(options, stopping.signal),
      requestIds: options.requestIds,
      onFailure: (error) => options.onError(error, "the dashboard's API could not be loaded"),
    });
    this.#stopping = stopping;
    this.#dashboardThread = options.dashboardThread;
  }

  /** Called when the service stops: ends responses that would stay open until their clients disconnect. */
  endStreams(): void {
    this.#stopping.abort();
    this.#dashboardThread.stop();
  }
}
