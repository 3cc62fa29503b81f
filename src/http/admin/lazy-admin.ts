/** The dashboard's API, loaded on first use: a service that only serves articles saves its 50 MB. */
import { answerOthers, LazyServer } from "../pages/fastify-server.ts";
import { type AdminOptions, REPLACED } from "./admin-options.ts";

/** What takes longest to load. All at once block the event loop for 0.3 s, in which no reader would be answered. */
const PARTS = [
  () => import("fastify"),
  () => import("@fastify/fast-json-stringify-compiler"),
  () => import("typebox"),
  () => import("./admin-server.ts"),
  () => import("../management/management.ts"),
  () => import("./admin.ts"),
];

export class AdminApi extends LazyServer {
  readonly #dashboardThread: AdminOptions["dashboardThread"];
  readonly #stopping: AbortController;

  constructor(options: AdminOptions) {
    const stopping = new AbortController();
    super({
      build: async () => {
        for (const load of PARTS) {
          await load();
          await answerOthers();
        }
        return (await import("./admin.ts")).buildAdmin(options, stopping.signal);
      },
      requestIds: options.requestIds,
      onFailure: (error) => options.onError(error, "the dashboard's API could not be loaded"),
    });
    this.#stopping = stopping;
    this.#dashboardThread = options.dashboardThread;
  }

  /**
   * Called when the service stops: ends responses that would stay open until their clients disconnect. `isReplaced`: another process
   * serves at the same address.
   */
  endStreams(isReplaced = false): void {
    this.#stopping.abort(isReplaced ? REPLACED : undefined);
    this.#dashboardThread.stop();
  }
}
