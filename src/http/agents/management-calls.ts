/** Calls the management API for agents' tools, with their request's token, but never more than the scope `draft`. */
import type { FastifyRequest } from "fastify";
import { locateQuote } from "../../operations/articles/review/quotes.ts";
import { MANAGEMENT_PREFIX, REQUEST_ID } from "../admin/admin-options.ts";
import type { Admin, AdminServer } from "../admin/routes.ts";
import { getClientAddress } from "../connection/proxies.ts";
import { NO_PUBLISHING, OF_COUNTED } from "../management/token-access.ts";

type Method = "GET" | "POST" | "PATCH" | "DELETE";

export type Json = Record<string, unknown>;

/** A refusal of the management API. `facts`: its body. */
export class RefusedCall extends Error {
  readonly status: number;
  readonly facts: Json;

  constructor(status: number, facts: Json) {
    super(String(facts["message"]));
    this.status = status;
    this.facts = facts;
  }
}

export class ManagementCalls {
  readonly #app: AdminServer;
  readonly #admin: Admin;
  readonly #request: FastifyRequest;

  constructor(app: AdminServer, admin: Admin, request: FastifyRequest) {
    this.#app = app;
    this.#admin = admin;
    this.#request = request;
  }

  /** `path`: parts of the address, which are escaped. @throws RefusedCall. */
  async send(
    method: Method,
    path: readonly string[],
    {
      query = {},
      body,
      etag,
    }: { query?: Readonly<Record<string, string | undefined>>; body?: Json; etag?: string } = {},
  ): Promise<Json> {
    const { id, headers, raw } = this.#request;
    const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const reply = await this.#app.inject({
      method,
      url: `${MANAGEMENT_PREFIX}${path.map(encodeURIComponent).join("/")}?${new URLSearchParams(given).toString()}`,
      headers: {
        authorization: headers.authorization,
        [NO_PUBLISHING]: OF_COUNTED,
        [REQUEST_ID]: id,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(etag !== undefined && { "if-match": `"${etag}"` }),
        ...(typeof headers.traceparent === "string" && { traceparent: headers.traceparent }),
      },
      remoteAddress: getClientAddress(raw, this.#admin.publicUrl),
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    const answer: Json = reply.json();
    if (reply.statusCode < 300) return answer;
    const wait = reply.headers["retry-after"];
    throw new RefusedCall(reply.statusCode, {
      ...answer,
      ...(wait !== undefined && { retry_after_seconds: Number(wait) }),
    });
  }

  /** Call it for an article that the token may read. @throws AppError `invalid`, `not_found`. */
  locateQuote(id: string, quote: string): ReturnType<typeof locateQuote> {
    return locateQuote(this.#admin.deps, id, quote);
  }

  report(error: unknown, tool: string): void {
    this.#admin.onError(error, `the agents' tool ${tool} failed`);
  }
}
