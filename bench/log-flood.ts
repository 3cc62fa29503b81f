/** What clients that are refused again and again write to the log. */
import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mintKey } from "../src/domain/people/api-key.ts";
import type { Bench } from "./bench.ts";
import { startLoadGenerator } from "./load-job.ts";
import { noteTable, thousands } from "./report.ts";
import { seedArticles } from "./seed.ts";
import { get, startRostrum } from "./servers.ts";

const CONNECTIONS = 8;
const SECONDS = 4;
const GOAL_BYTES = 1_000_000;
const UNKNOWN_ARTICLE = "/api/public/articles/0190a000-0000-7000-8000-000000000000";

export const logFlood: Bench = async ({ place }) => {
  const where = await place("log-flood");
  const { key } = await seedArticles(where, 1);
  const unknownKey = mintKey(randomBytes);
  const withKey = { "X-API-Key": key };
  const refusals = [
    { status: 401, path: "/api/public/articles", headers: {} },
    { status: 404, path: UNKNOWN_ARTICLE, headers: withKey },
    { status: 400, path: "/api/public/articles?limit=0", headers: withKey },
    { status: 429, path: "/api/public/articles", headers: { "X-API-Key": unknownKey } },
  ];
  const file = join(where.folder, "log");
  const log = openSync(file, "w");
  const sizeOf = () => readFileSync(file).length;
  const rows: string[][] = [];
  let requests = 0;
  {
    await using rostrum = await startRostrum({ place: where, key, isPinned: false, log });
    await using load = startLoadGenerator({ isPinned: false });
    // From some unknown keys on, an address is told to wait.
    while ((await get(rostrum.port, "/api/public/articles", { "X-API-Key": unknownKey })).status !== 429);
    for (const { status, path, headers } of refusals) {
      const before = sizeOf();
      const job = { ports: [rostrum.port], connections: CONNECTIONS, seconds: SECONDS, headers, requests: [{ path }] };
      const done = await load.run(job, status);
      requests += done.requests;
      rows.push([String(status), thousands(done.requests), thousands(sizeOf() - before)]);
    }
  }
  closeSync(log);
  // With the sums that the end of the service writes.
  const bytes = sizeOf();
  const perMinute = (bytes * 60) / (SECONDS * refusals.length);
  return {
    figures: [
      {
        what: `log of ${CONNECTIONS} connections that are refused ${thousands(requests / (SECONDS * refusals.length))} times a second, bytes a minute`,
        value: thousands(perMinute),
        goal: `≤ ${thousands(GOAL_BYTES)}`,
        met: perMinute <= GOAL_BYTES,
      },
    ],
    notes: [
      `Each refusal for ${SECONDS} s; the lines of the start and of the end count, too, ${thousands(bytes)} bytes in all.`,
      noteTable(["status", "requests", "bytes of log"], rows),
    ],
  };
};
