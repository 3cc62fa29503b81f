/**
 * Makes spans: of requests, of the transactions that they cause, of events, and of the attempts to deliver them. Their names
 * and attributes are those of OpenTelemetry's semantic conventions; no title, text, secret or address's path is in them.
 *
 * The current span is that of the asynchronous context. What another thread or process continues is in a `traceparent`: of a
 * request's headers, or of an event. Loaded only if traces are exported.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { AppError } from "../domain/system/errors.ts";
import {
  formatTraceparent,
  isSampled,
  parseTraceparent,
  SAMPLED,
  type TraceContext,
} from "../domain/system/trace-context.ts";
import type { NewEvent } from "../domain/webhooks/event.ts";
import type { Recorded } from "../operations/webhooks/record-attempts.ts";
import { type Database, replaceMethods } from "../store/store.ts";
import { type Attributes, type Span, SPAN_KINDS } from "./span.ts";
import type { SamplerConfig } from "./telemetry-config.ts";

interface TracerOptions {
  sampler: SamplerConfig;
  randomBytes: (size: number) => Buffer;
  /** How far this machine's clock is ahead of the one that all times of the service go by. */
  clockSkewMs: () => number | null;
  onSpan: (span: Span) => void;
}

interface Active {
  /** Null: what runs here is of no trace that is recorded. */
  context: TraceContext | null;
  /** Spans of what a transaction has made, which count once it is committed. */
  pending: Span[] | null;
}

type TracedEvent = Pick<NewEvent, "id" | "kind" | "websiteId" | "articleId" | "traceparent">;

export class Tracer {
  readonly #options: TracerOptions;
  readonly #active = new AsyncLocalStorage<Active>();
  readonly #clock = new FineClock();

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  /** Milliseconds since 1970, with fractions, by the clock of all times of the service. */
  now(): number {
    return this.#clock.now() - (this.#options.clockSkewMs() ?? 0);
  }

  /** Begins a span in the trace of `parent`, or in a new one; the sampler decides whether it is recorded. */
  begin(parent: TraceContext | undefined): TraceContext {
    const traceId = parent?.traceId ?? this.#newId(16);
    return { traceId, spanId: this.#newId(8), flags: this.#flags(traceId, parent) };
  }

  /** Records a span that `begin` has begun. */
  end(context: TraceContext, span: Omit<Span, "traceId" | "spanId" | "endMs">): void {
    const { traceId, spanId } = context;
    this.#options.onSpan({ traceId, spanId, endMs: this.now(), ...span });
  }

  /** Runs what the request or job does, so that its transactions and events continue this trace. */
  run<T>(traceparent: unknown, work: () => T): T {
    const context = typeof traceparent === "string" ? parseTraceparent(traceparent) : undefined;
    return context !== undefined && isSampled(context) ? this.#active.run({ context, pending: null }, work) : work();
  }

  /** The same database, whose writes are spans if a request or a job that is traced makes them. */
  traced(store: Database): Database {
    const attributes = { "db.system.name": store.engine === "sqlite" ? "sqlite" : "postgresql" };
    return replaceMethods(store, {
      write: async (work, options) => {
        const parent = this.#active.getStore()?.context ?? null;
        const context = parent && this.begin(parent);
        const startMs = this.now();
        const pending: Span[] = [];
        const end = (more: Attributes, isError: boolean) => {
          if (context === null || parent === null) return;
          const { spanId: parentSpanId } = parent;
          const all = { ...attributes, ...more };
          this.end(context, {
            parentSpanId,
            name: "transaction",
            kind: SPAN_KINDS.client,
            startMs,
            attributes: all,
            isError,
          });
        };
        try {
          const result = await this.#active.run({ context, pending }, () =>
            store.write((db) => {
              // What an earlier try has made was rolled back.
              pending.length = 0;
              return work(db);
            }, options),
          );
          end({}, false);
          for (const span of pending) this.#options.onSpan(span);
          return result;
        } catch (error) {
          end({ "error.type": toErrorType(error) }, !(error instanceof AppError));
          throw error;
        }
      },
    });
  }

  /** A span of the event, in the transaction that saves it. @returns the `traceparent` that its deliveries continue. */
  event({ id, kind, websiteId, articleId, traceparent }: TracedEvent): string {
    const active = this.#active.getStore();
    const parent = active?.context ?? (traceparent === null ? undefined : parseTraceparent(traceparent));
    const context = parent === undefined ? this.#beginWithEvent(id) : this.begin(parent);
    if (isSampled(context)) {
      const { traceId, spanId } = context;
      const startMs = this.now();
      const span: Span = {
        traceId,
        spanId,
        parentSpanId: parent?.spanId ?? null,
        name: `create ${kind}`,
        kind: SPAN_KINDS.producer,
        startMs,
        endMs: startMs,
        attributes: {
          "messaging.system": "rostrum",
          "messaging.operation.name": "create",
          "messaging.operation.type": "create",
          "messaging.destination.name": kind,
          "messaging.message.id": `msg_${id}`,
          "rostrum.website.id": websiteId,
          "rostrum.article.id": articleId,
        },
        isError: false,
      };
      if (active?.pending == null) this.#options.onSpan(span);
      else active.pending.push(span);
    }
    return formatTraceparent(context);
  }

  /** What deliveries of an event continue that a process without traces has made, such as a command. */
  traceOfEvent(eventId: string): string {
    return formatTraceparent(this.#beginWithEvent(eventId));
  }

  /** Records an attempt to deliver an event, and what was made of its answer, once that is durable. */
  attempt({ record: { claim, attempt, url: address }, result }: Recorded): void {
    const context = parseTraceparent(attempt.requestHeaders["traceparent"] ?? "");
    if (context === undefined || !isSampled(context)) return;
    const { traceId, spanId } = context;
    const url = new URL(address);
    const endMs = attempt.startedAt + attempt.timings.total;
    const isError = attempt.outcome !== "success";
    this.#options.onSpan({
      traceId,
      spanId,
      parentSpanId: claim.traceparent === null ? null : (parseTraceparent(claim.traceparent)?.spanId ?? null),
      name: "POST",
      kind: SPAN_KINDS.client,
      startMs: attempt.startedAt,
      endMs,
      attributes: {
        "http.request.method": "POST",
        "http.request.resend_count": attempt.number > 1 ? attempt.number - 1 : undefined,
        "http.response.status_code": attempt.status ?? undefined,
        // The path and the query may be secrets.
        "url.full": `${url.origin}/REDACTED`,
        "server.address": url.hostname,
        "server.port": Number(url.port || (url.protocol === "https:" ? 443 : 80)),
        "error.type": isError ? String(attempt.status ?? attempt.outcome) : undefined,
        "messaging.message.id": `msg_${claim.eventId}`,
        "rostrum.webhook.id": claim.endpointId,
        "rostrum.delivery.id": claim.deliveryId,
      },
      isError,
    });
    this.end(
      { ...context, spanId: this.#newId(8) },
      {
        parentSpanId: spanId,
        name: "receipt",
        kind: SPAN_KINDS.internal,
        startMs: endMs,
        attributes: { "rostrum.delivery.result": result },
        isError: false,
      },
    );
  }

  /** The trace of an event that no traced request caused has the event's id. */
  #beginWithEvent(eventId: string): TraceContext {
    const traceId = eventId.replaceAll("-", "");
    return { traceId, spanId: this.#newId(8), flags: this.#flags(traceId, undefined) };
  }

  #flags(traceId: string, parent: TraceContext | undefined): number {
    const { isParentBased, ratio } = this.#options.sampler;
    if (isParentBased && parent !== undefined) return parent.flags;
    return isWithin(traceId, ratio) ? SAMPLED : 0;
  }

  #newId(bytes: number): string {
    return this.#options.randomBytes(bytes).toString("hex");
  }
}

/** The last digits of a trace id are random: all services decide alike about one trace. */
function isWithin(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-12), 16) < ratio * 2 ** 48;
}

function toErrorType(error: unknown): string {
  if (error instanceof AppError) return error.code;
  return error instanceof Error ? error.name : "_OTHER";
}

/** Differs less from the machine's clock than that is exact. */
const MAX_DRIFT_MS = 2;

/** The machine's clock with fractions of milliseconds. */
class FineClock {
  #offset = Number.NaN;

  now(): number {
    const [monotonic, wall] = [performance.now(), Date.now()];
    const now = this.#offset + monotonic;
    if (Math.abs(now - wall) < MAX_DRIFT_MS) return now;
    this.#offset = wall - monotonic;
    return wall;
  }
}
