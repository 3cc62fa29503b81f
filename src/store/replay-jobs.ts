/** Replays that are under way: durable, so that a restart goes on where it stopped. */
import type { Millis } from "../domain/article.ts";
import type { Reader, Writer } from "./store.ts";

/**
 * What is sent again: of the parked deliveries the `latest` of each article, `all`, or `none` of them; or the events of
 * a `range`, whatever became of them.
 */
const REPLAY_KINDS = ["latest", "all", "none", "range"] as const;
export type ReplayKind = (typeof REPLAY_KINDS)[number];

export interface ReplayJob {
  id: string;
  websiteId: string;
  endpointId: string;
  kind: ReplayKind;
  /** Of the next delivery to look at; in a range, of the next event. */
  next: number;
  /** Of the last event of a range; null: until nothing is left. */
  until: number | null;
  createdAt: Millis;
}

interface JobRow {
  id: string;
  website_id: string;
  endpoint_id: string;
  kind: ReplayKind;
  next_no: number;
  until_no: number | null;
  created_at: number;
}

const COLUMNS = "id, website_id, endpoint_id, kind, next_no, until_no, created_at";

export async function insertReplayJob(db: Writer, job: ReplayJob): Promise<void> {
  await db.run(
    `INSERT INTO replay_jobs (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    job.id,
    job.websiteId,
    job.endpointId,
    job.kind,
    job.next,
    job.until,
    job.createdAt,
  );
}

/** Those that are not finished, the oldest first. */
export async function openReplayJobs(db: Reader): Promise<ReplayJob[]> {
  const rows = await db.all<JobRow>(
    `SELECT ${COLUMNS} FROM replay_jobs WHERE finished_at IS NULL ORDER BY created_at, id`,
  );
  return rows.map((row) => ({
    id: row.id,
    websiteId: row.website_id,
    endpointId: row.endpoint_id,
    kind: row.kind,
    next: row.next_no,
    until: row.until_no,
    createdAt: row.created_at,
  }));
}

export async function advanceReplayJob(db: Writer, id: string, next: number): Promise<void> {
  await db.run("UPDATE replay_jobs SET next_no = ? WHERE id = ?", next, id);
}

export async function finishReplayJob(db: Writer, id: string, now: Millis): Promise<void> {
  await db.run("UPDATE replay_jobs SET finished_at = ? WHERE id = ?", now, id);
}

/**
 * Ends the endpoint's jobs, as when it is stopped: what they have not come to stays parked. What nobody wants is still
 * taken away.
 */
export async function endReplayJobs(db: Writer, endpointId: string, now: Millis): Promise<void> {
  await db.run(
    "UPDATE replay_jobs SET finished_at = ? WHERE endpoint_id = ? AND kind <> 'none' AND finished_at IS NULL",
    now,
    endpointId,
  );
}
