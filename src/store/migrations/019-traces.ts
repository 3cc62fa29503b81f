/** `events.traceparent`: the trace of the request that caused the event. */
export const traces = {
  name: "019-traces",
  isAdditive: true,
  sql: "ALTER TABLE events ADD COLUMN traceparent TEXT",
  sqlite: [],
  postgres: [],
} as const;
