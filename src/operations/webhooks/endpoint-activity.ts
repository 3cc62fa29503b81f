/** What an endpoint was sent in the last days: attempts, their answers, and how long these took. */
import type { Outcome } from "../../domain/webhooks/attempt.ts";
import { DAY_MS, HOUR_MS, type Millis } from "../../domain/system/time.ts";
import { type AttemptGroup, findCreatedAt, groupAttempts } from "../../store/webhooks/attempts.ts";
import type { Deps } from "../system/deps.ts";
import { loadEndpoint } from "./endpoints.ts";

export interface EndpointActivity {
  /** Oldest first, without gaps; the last one is the current one. */
  steps: { start: Millis; delivered: number; failed: number; averageMs: number | null }[];
  /** The most frequent first. */
  answers: { outcome: Outcome; status: number | null; attempts: number }[];
}

export const STEP_MS = 4 * HOUR_MS;
const DAYS = 7;
/** Bounds the query; some 30 ms. */
const MAX_DELIVERIES = 5_000;

/** For the last seven days; fewer if there were very many deliveries. @throws AppError `not_found`. */
export function loadActivity(deps: Pick<Deps, "store" | "clock">, id: string): Promise<EndpointActivity> {
  return deps.store.read(async (db) => {
    await loadEndpoint(db, id);
    const last = floor(deps.clock());
    const earliest = last + STEP_MS - DAYS * DAY_MS;
    const oldest = await findCreatedAt(db, id, MAX_DELIVERIES);
    // What began before the oldest delivery that is counted would seem to have had fewer.
    const since = Math.min(last, Math.max(earliest, oldest === null ? 0 : floor(oldest) + STEP_MS));
    return summarise(await groupAttempts(db, id, { since, stepMs: STEP_MS, limit: MAX_DELIVERIES }), since, last);
  });
}

function summarise(groups: readonly AttemptGroup[], since: Millis, last: Millis): EndpointActivity {
  const steps = Array.from({ length: (last - since) / STEP_MS + 1 }, (_, no) => {
    const start = since + no * STEP_MS;
    const all = groups.filter(({ step }) => step === start);
    const delivered = count(all.filter(({ outcome }) => outcome === "success"));
    const attempts = count(all);
    const totalMs = all.reduce((sum, { total_ms: ms }) => sum + ms, 0);
    return {
      start,
      delivered,
      failed: attempts - delivered,
      averageMs: attempts === 0 ? null : Math.round(totalMs / attempts),
    };
  });
  const answers = new Map<string, EndpointActivity["answers"][number]>();
  for (const { outcome, status, attempts } of groups) {
    const key = `${outcome} ${status}`;
    answers.set(key, { outcome, status, attempts: (answers.get(key)?.attempts ?? 0) + attempts });
  }
  return { steps, answers: [...answers.values()].toSorted((one, other) => other.attempts - one.attempts) };
}

function count(groups: readonly AttemptGroup[]): number {
  return groups.reduce((sum, { attempts }) => sum + attempts, 0);
}

function floor(at: Millis): Millis {
  return at - (at % STEP_MS);
}
