/** Running replays: durable, so that a restart resumes them where they stopped. */
import type { Millis } from "../../domain/system/time.ts";
import type { ReplayKind } from "../../domain/webhooks/replay.ts";
import type { Row } from "../row.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface ReplayJob {
  id: string;
  websiteId: string;
  endpointId: string;
  kind: ReplayKind;
  /** Number of the next delivery to process; in a range, of the next event. */
  next: number;
  /** Number of the last event of a range; null: until nothing is left. */
  until: number | null;
  /** Deliveries exhausted since then are still to be parked, from `next` on; null: that is done. */
  exhaustedSince: Millis | null;
  createdAt: Millis;
}

const COLUMNS = "id, website_id, endpoint_id, kind, next_no, until_no, exhausted_since, created_at";

type JobRow = Row<`SELECT ${typeof COLUMNS} FROM replay_jobs`>;

export async function insertReplayJob(db: Writer, job: ReplayJob): Promise<void> {
  await db.run(
    `INSERT INTO replay_jobs (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    job.id,
    job.websiteId,
    job.endpointId,
    job.kind,
    job.next,
    job.until,
    job.exhaustedSince,
    job.createdAt,
  );
}

/** The unfinished jobs, oldest first. */
export async function openReplayJobs(db: Snapshot): Promise<ReplayJob[]> {
  const rows = await db.all(`SELECT ${COLUMNS} FROM replay_jobs WHERE finished_at IS NULL ORDER BY created_at, id`);
  return rows.map(fromRow);
}

export async function findReplayJobAnywhere(
  db: Snapshot,
  id: string,
): Promise<(ReplayJob & { isFinished: boolean }) | undefined> {
  const row = await db.get(`SELECT ${COLUMNS}, finished_at FROM replay_jobs WHERE id = ?`, id);
  if (row === undefined) return undefined;
  const { finished_at, ...job } = row;
  return { ...fromRow(job), isFinished: finished_at !== null };
}

function fromRow(row: JobRow): ReplayJob {
  const { next_no: next, until_no: until, ...rest } = row;
  return { ...toCamelCase(rest), next, until };
}

export async function advanceReplayJob(db: Writer, id: string, next: number): Promise<void> {
  await db.run("UPDATE replay_jobs SET next_no = ? WHERE id = ?", next, id);
}

/** Starts sending: exhausted deliveries have been parked. */
export async function beginSending(db: Writer, id: string): Promise<void> {
  await db.run("UPDATE replay_jobs SET next_no = 0, exhausted_since = NULL WHERE id = ?", id);
}

/** When somebody last chose to send nothing of what the endpoint had missed; null: never. */
export async function declinedAt(db: Snapshot, endpointId: string): Promise<Millis | null> {
  const row = await db.get(
    "SELECT MAX(created_at) AS at FROM replay_jobs WHERE endpoint_id = ? AND kind = 'none'",
    endpointId,
  );
  return row?.at ?? null;
}

export async function finishReplayJob(db: Writer, id: string, now: Millis): Promise<void> {
  await db.run("UPDATE replay_jobs SET finished_at = ? WHERE id = ?", now, id);
}

/** Ends the endpoint's jobs: what they have not reached stays parked. Only `none` continues to remove deliveries. */
export async function endReplayJobs(db: Writer, endpointId: string, now: Millis): Promise<void> {
  await db.run(
    "UPDATE replay_jobs SET finished_at = ? WHERE endpoint_id = ? AND kind <> 'none' AND finished_at IS NULL",
    now,
    endpointId,
  );
}
