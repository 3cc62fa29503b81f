/**
 * Bugs planted to test that the checker finds them. Each is in the dependencies of the dispatcher and the operations, or in the
 * driver beneath the store: the product itself is never changed.
 */
import type { EventKind } from "../../src/domain/webhooks/event.ts";
import { composeMessage, signedHeaders } from "../../src/domain/webhooks/webhook-message.ts";
import type { App } from "../../src/app/app.ts";
import type { PostMessage } from "../../src/operations/system/deps.ts";
import type { Value, Writer } from "../../src/store/store.ts";
import { wrapExec } from "./driver.ts";
import { wrapStore } from "../helpers/wrap-store.ts";
import { mapSql } from "./kill-points.ts";

export const PLANTS = [
  "drop the lease fence",
  "forget the counter",
  "skip the fsync",
  "send before commit",
  "acknowledge before commit",
  "deliver out of order",
  "serialise the body anew",
  "sign another body",
  "sign another time",
  "leave the leases of the dead",
  "leave the delivery open",
  "count early retries",
  "bring a retry forward again and again",
] as const;
export type Plant = (typeof PLANTS)[number];

export interface PlantTools {
  /** By endpoint. */
  secrets: Record<string, string>;
  acknowledge: (eventId: string, kind: EventKind) => void;
}

type PlantDeps = Pick<App, "store" | "post" | "clock" | "randomBytes">;

/** Adds the bug to the parts. */
export function planted<T extends PlantDeps>(deps: T, plant: Plant | null, tools: PlantTools): T {
  if (plant === null) return deps;
  const rewrite = REWRITES[plant];
  const ownTokens = new Map<number, string>();
  const repost = REPOSTS[plant];
  return {
    ...deps,
    store: wrapStore(deps.store, {
      write: (work, options) =>
        deps.store.write(async (db) => {
          const events: NewEventRow[] = [];
          const changed = rewrite === undefined ? db : mapSql(db, rewrite);
          const seen = plant === "drop the lease fence" ? trustOwnLeases(changed, ownTokens) : changed;
          const result = await work(noteEvents(seen, events));
          for (const event of events) {
            if (plant === "acknowledge before commit") tools.acknowledge(event.id, event.kind);
            if (plant === "send before commit") await sendNow(db, deps, event, tools);
          }
          return result;
        }, options),
    }),
    ...(repost === undefined ? {} : { post: (message, signal) => deps.post(repost(message, tools), signal) }),
  };
}

/** Keeps SQLite from waiting for the disk, in databases that are opened after this call. */
export function skipFsync(): void {
  wrapExec((run, sql) => run(sql.replace("PRAGMA synchronous = FULL", "PRAGMA synchronous = OFF")));
}

/** Leaves other statements unchanged. If none matches, there is no bug to catch, and its test fails. */
const REWRITES: { [P in Plant]?: (sql: string) => string } = {
  "forget the counter": (sql) =>
    sql.replace(/consecutive_failures = (\?|v\.consecutive_failures)/, "consecutive_failures = 0 * $1"),
  "deliver out of order": (sql) =>
    sql.replace(/CASE WHEN EXISTS \([^)]*\) THEN NULL ELSE CAST\(\? AS BIGINT\) END/, "CAST(? AS BIGINT)"),
  "leave the delivery open": (sql) =>
    sql.replace("SET attempts = ?, state = ?,", "SET attempts = ?, state = COALESCE(NULLIF('pending', ?), 'pending'),"),
  "count early retries": (sql) =>
    sql.replace("tries, lease_token, planned_at,", "tries, lease_token, CAST(NULL AS BIGINT) AS planned_at,"),
  "bring a retry forward again and again": (sql) =>
    sql.replace("SELECT v.tries, v.ready_at, v.planned_at,", "SELECT v.tries, v.ready_at, v.ready_at,"),
};

const REPOSTS: { [P in Plant]?: (message: PostMessage, tools: PlantTools) => PostMessage } = {
  "serialise the body anew": (message, tools) =>
    signed(
      { ...message, body: JSON.stringify({ ...JSON.parse(toText(message.body)), attempt_at: Date.now() }) },
      tools,
    ),
  "sign another body": (message, tools) => {
    const other = signed({ ...message, body: `${toText(message.body)} ` }, tools);
    return { ...other, body: message.body };
  },
  "sign another time": (message, tools) => {
    const { headers } = message;
    const hourAgo = Number(headers["webhook-timestamp"]) - 3_600;
    return signed({ ...message, headers: { ...headers, "webhook-timestamp": String(hourAgo) } }, tools);
  },
};

function toText(body: PostMessage["body"]): string {
  return Buffer.from(body).toString();
}

/** Signs the changed message with the endpoint's secret. */
function signed(message: PostMessage, { secrets }: PlantTools): PostMessage {
  const { headers, endpointId, body } = message;
  const time = Number(headers["webhook-timestamp"]);
  const signature = signedHeaders(String(headers["webhook-id"]), time, body, [secrets[endpointId] ?? ""]);
  return { ...message, headers: { ...headers, ...signature } };
}

/** Answers every query for a delivery's lease with the one that was claimed here, in `claim` (src/store/webhooks/claims.ts). */
function trustOwnLeases(db: Writer, ownTokens: Map<number, string>): Writer {
  return {
    ...mapSql(db, (sql) => sql),
    run: (sql: string, ...params: Value[]) => {
      if (/^\s*UPDATE delivery_queue SET lease_token = \?/.test(sql)) {
        const [token, , , ...nos] = params;
        for (const no of nos) ownTokens.set(Number(no), String(token));
      }
      return db.run(sql, ...params);
    },
    all: async <Sql extends string>(sql: Sql, ...params: Value[]) => {
      const found = await db.all(sql, ...params);
      if (!/^\s*SELECT delivery_no, tries, lease_token, [^()]* FROM delivery_queue/.test(sql)) return found;
      // The columns are those that the SQL names.
      const rows = found as { delivery_no: number; lease_token: string | null }[];
      for (const row of rows) row.lease_token = ownTokens.get(row.delivery_no) ?? row.lease_token;
      return found;
    },
  };
}

interface NewEventRow {
  id: string;
  kind: EventKind;
  sequence: number;
  payload: string;
}

/** Columns of `insertEvent` (src/store/webhooks/events.ts): website_id, sequence, id, kind, article_id, created_at, payload. */
function noteEvents(db: Writer, events: NewEventRow[]): Writer {
  return {
    ...mapSql(db, (sql) => sql),
    run: (sql: string, ...params: Value[]) => {
      if (/^\s*INSERT INTO events\b/.test(sql)) {
        const [, sequence, id, kind, , , payload] = params;
        events.push({
          id: String(id),
          kind: String(kind) as EventKind,
          sequence: Number(sequence),
          payload: String(payload),
        });
      }
      return db.run(sql, ...params);
    },
  };
}

/** Sends the event to its first endpoint, as if it had been claimed. */
async function sendNow(db: Writer, deps: PlantDeps, event: NewEventRow, { secrets }: PlantTools): Promise<void> {
  const endpoint = await db.get("SELECT id, url FROM endpoints ORDER BY created_at, id");
  if (endpoint === undefined) return;
  const { headers } = composeMessage(
    {
      eventId: event.id,
      sequence: event.sequence,
      attempt: 1,
      body: event.payload,
      form: "full",
      headers: {},
      secrets: [secrets[endpoint.id] ?? ""],
      traceparent: null,
    },
    deps.clock(),
    deps.randomBytes(8),
  );
  await deps.post({ endpointId: endpoint.id, url: endpoint.url, ca: null, headers, body: event.payload });
}
