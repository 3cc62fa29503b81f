/** Makes spans of requests. Loaded only if traces are exported. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { formatTraceparent, isSampled, type TraceContext } from "../../domain/system/trace-context.ts";
import { SPAN_KINDS } from "../../telemetry/span.ts";
import type { Tracer } from "../../telemetry/tracer.ts";
import { Bucket } from "../read-api/rate-limit.ts";
import { API_PREFIX, READ_PATHS, matchRoute } from "../read-api/routes.ts";
import { readTrace } from "../request.ts";

/** Anyone may send a `traceparent`: without a limit, strangers would fill the queue of spans. */
const MAX_JOINED_PER_SECOND = 10;
const MAX_JOINED_AT_ONCE = 100;
/** The end of the `traceparent` of a trace that is not recorded. */
const UNSAMPLED = "-00";
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export class RequestTracer {
  readonly #tracer: Tracer;
  readonly #scheme: string;
  readonly #joined = new Bucket(MAX_JOINED_PER_SECOND, MAX_JOINED_AT_ONCE, performance.now());
  readonly #routes = new WeakMap<IncomingMessage, string | null>();

  /** `publicUrl`: where clients reach the service; null: unknown. */
  constructor(tracer: Tracer, publicUrl: string | null) {
    this.#tracer = tracer;
    this.#scheme = publicUrl?.startsWith("https:") === true ? "https" : "http";
  }

  /** Begins a span only in a trace that its client records: for reads and files, which are too many to begin traces. */
  join(req: IncomingMessage, res: ServerResponse): void {
    const { traceparent } = req.headers;
    // That of most others ends so: comparing costs a fraction of parsing it.
    if (typeof traceparent !== "string" || traceparent.endsWith(UNSAMPLED)) return;
    // Before a span is begun, whose id costs half of what a read does.
    if (!this.#joined.take(performance.now())) {
      req.headers["traceparent"] = traceparent.slice(0, -UNSAMPLED.length) + UNSAMPLED;
      return;
    }
    const parent = readTrace(req);
    const context = parent !== undefined && isSampled(parent) ? this.#tracer.begin(parent) : undefined;
    if (context === undefined || !isSampled(context)) this.#joined.giveBack();
    if (context !== undefined) this.#begin(req, res, context, parent);
  }

  /** Begins the span of a request, which its `traceparent` names from here on. */
  begin(req: IncomingMessage, res: ServerResponse): void {
    const parent = readTrace(req);
    const asked = this.#tracer.begin(parent);
    const isOver = parent !== undefined && isSampled(asked) && !this.#joined.take(performance.now());
    this.#begin(req, res, isOver ? { ...asked, flags: 0 } : asked, parent);
  }

  #begin(req: IncomingMessage, res: ServerResponse, context: TraceContext, parent: TraceContext | undefined): void {
    const { url = "" } = req;
    req.headers["traceparent"] = formatTraceparent(context);
    if (!isSampled(context)) return;
    const startMs = this.#tracer.now();
    res.once("close", () => {
      const route = this.#routes.get(req) ?? (url.startsWith(API_PREFIX) ? READ_PATHS[matchRoute(url)] : undefined);
      // A stream of live updates, which is no piece of work.
      if (this.#routes.get(req) === null) return;
      const { method = "" } = req;
      const known = METHODS.has(method) ? method : "_OTHER";
      const status = res.headersSent ? res.statusCode : undefined;
      const isError = status === undefined || status >= 500;
      this.#tracer.end(context, {
        parentSpanId: parent?.spanId ?? null,
        name: route === undefined ? known : `${known} ${route}`,
        kind: SPAN_KINDS.server,
        startMs,
        attributes: {
          "http.request.method": known,
          "http.route": route,
          "http.response.status_code": status,
          // The pattern, as paths may have titles and secrets in them.
          "url.path": route,
          "url.scheme": this.#scheme,
          "error.type": isError ? String(status ?? "closed") : undefined,
        },
        isError,
      });
    });
  }

  /** `route`: the pattern of its path; null: its response has no end. */
  setRoute(req: IncomingMessage, route: string | null | undefined): void {
    if (route !== undefined) this.#routes.set(req, route);
  }

  /** Runs what the request does, so that its transactions and events continue its trace. */
  run(req: Pick<IncomingMessage, "headers">, work: () => void): void {
    this.#tracer.run(req.headers["traceparent"], work);
  }
}
