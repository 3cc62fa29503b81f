/** The dashboard's API, loaded at its first request: a service that only delivers never pays its 50 MB. */
import type { FastifyInstance } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Catalog } from "../../operations/catalog.ts";
import type { Deps } from "../../operations/deps.ts";
import type { ImportItem } from "../../operations/import-items.ts";
import { errorReply } from "../errors.ts";
import type { RequestLog } from "../public/delivery.ts";

export const ADMIN_PREFIX = "/dashboard/api/";

export interface AdminOptions {
  deps: Deps;
  /** What readers see; lists are cut from it. */
  catalog: Catalog;
  /** Consecutive failures that disable a webhook. */
  disableAfter: number;
  /**
   * What a file holds that was dropped: it lies at `path`, `name` is its own, with its folders, and `folder` the one that
   * all lay in, if there is one.
   */
  readImport: (
    file: { path: string; name: string; folder: string | null },
    options: {
      websiteUrl: string | null;
      /** Of one JSON document. */
      mostJsonBytes: number;
      clock: Deps["clock"];
      onProgress: (bytesRead: number, bytesTotal: number | null) => void;
    },
  ) => AsyncIterable<ImportItem>;
  /** Connections over which a file is coming in: that takes as long as it takes. */
  uploads: WeakSet<Socket>;
  /** The address under which others reach the service, where that is known. */
  publicUrl: string | null;
  log: RequestLog;
  /** What failed after its answer was given. */
  onError: (error: unknown, message: string) => void;
}

export class AdminApi {
  readonly #options: AdminOptions;
  readonly #stopping = new AbortController();
  #loaded: Promise<FastifyInstance> | undefined;

  constructor(options: AdminOptions) {
    this.#options = options;
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    this.#loaded ??= import("./admin.ts").then(({ buildAdmin }) => buildAdmin(this.#options, this.#stopping.signal));
    this.#loaded.then(
      (admin) => admin.routing(req, res),
      (error: unknown) => {
        this.#loaded = undefined;
        this.#options.onError(error, "the dashboard's API could not be loaded");
        const { status, body } = errorReply(error, "");
        res.writeHead(status, { "Content-Type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
      },
    );
  }

  /** Ends the answers that go on for as long as somebody looks: the service stops. */
  endStreams(): void {
    this.#stopping.abort();
  }

  /** When everything that goes on after an answer is done. */
  async close(): Promise<void> {
    await (await this.#loaded)?.close();
  }
}
