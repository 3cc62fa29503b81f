/** A piece of work of a trace, once it has ended: plain data, so that threads can pass it on. */
export interface Span {
  traceId: string;
  spanId: string;
  /** Null: the first of its trace. */
  parentSpanId: string | null;
  /** One of few: what differs from span to span is an attribute. */
  name: string;
  kind: SpanKind;
  /** Milliseconds since 1970, with fractions. */
  startMs: number;
  endMs: number;
  attributes: Attributes;
  isError: boolean;
}

/** Those that are undefined are left out. */
export type Attributes = Record<string, string | number | undefined>;

/** As OTLP numbers them. */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3, producer: 4 } as const;
type SpanKind = (typeof SPAN_KINDS)[keyof typeof SPAN_KINDS];
