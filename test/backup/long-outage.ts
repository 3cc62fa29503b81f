/**
 * A bucket is away for many minutes while people go on working. The service says so and takes every change; once the bucket is back, everything
 * is copied; then the machine is lost, and everything that was acknowledged comes back.
 */
import { rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Bucket } from "../helpers/bucket.ts";
import { cliJson, type CliOptions, runCli, serveCli, type ServerProcess } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { png } from "../helpers/pictures.ts";
import { copied, health } from "./copying.ts";

const CHANGE_EVERY_MS = 500;
const CHANGES_PER_PICTURE = 60;
/** For what comes before the outage and after it. */
const REST_MS = 900_000;
const TEXT = "Tea is dried, sorted and packed, in that order. ".repeat(160);

export interface OutageFacts {
  acknowledged: number;
  slowestMs: number;
  /** What waited for the bucket in the write-ahead log, at most. */
  largestLogBytes: number;
  /** From the bucket's return until everything is copied. */
  caughtUpMs: number;
  problems: string[];
}

export async function runLongOutage(minutes: number): Promise<OutageFacts> {
  await using folder = await tempFolder();
  await using bucket = new Bucket("copies");
  const env = { ...(await bucket.start()), ROSTRUM_BACKUP_URL: "s3://copies/rostrum" };
  const command: CliOptions = { data: folder.at("data"), cwd: folder.path, env };
  const problems: string[] = [];
  const names: string[] = [];
  const facts = { acknowledged: 0, slowestMs: 0, largestLogBytes: 0, caughtUpMs: 0, problems };
  {
    await using server = await serveCli({ ...command, withinMs: minutes * 60_000 + REST_MS });
    await cliJson(["website", "create", "--name", "W"], command);
    const made = await cliJson(["token", "create", "--website", "W", "--name", "t", "--scope", "publish"], command);
    await copied(server);
    await bucket.stop();
    const until = Date.now() + minutes * 60_000;
    while (Date.now() < until) {
      const name = `${names.length + 1}`;
      const began = performance.now();
      const answer = await change(server, String(made["token"]), name);
      facts.slowestMs = Math.max(facts.slowestMs, Math.round(performance.now() - began));
      if (answer === null) names.push(name);
      else problems.push(answer);
      facts.largestLogBytes = Math.max(facts.largestLogBytes, statSync(folder.at("data/rostrum.db-wal")).size);
      await sleep(CHANGE_EVERY_MS);
    }
    const { status, backup } = await health(server);
    if (status !== "ready") problems.push(`the service is ${status}`);
    if (!/^The bucket "copies" at \S+ cannot be reached now/.test(backup.problem ?? "")) {
      problems.push(`the outage is not named, but: ${backup.problem}`);
    }
    await bucket.start();
    const backAt = performance.now();
    await copied(server, 600_000);
    facts.caughtUpMs = Math.round(performance.now() - backAt);
    server.child.kill("SIGKILL");
    await server.ended;
  }
  facts.acknowledged = names.length;
  rmSync(folder.at("data"), { recursive: true });
  const { code, stderr } = await runCli(["restore"], command);
  if (code !== 0) problems.push(`restore ended with ${code}: ${stderr}`);
  using database = new DatabaseSync(folder.at("data/rostrum.db"), { readOnly: true });
  const there = database
    .prepare("SELECT title AS name FROM articles UNION ALL SELECT replace(name, '.png', '') FROM assets")
    .all();
  const missing = new Set(names).difference(new Set(there.map(({ name }) => String(name))));
  if (missing.size > 0) problems.push(`${missing.size} acknowledged changes are missing`);
  return facts;
}

/** @returns what went wrong. */
async function change({ url }: ServerProcess, token: string, name: string): Promise<string | null> {
  const isPicture = Number(name) % CHANGES_PER_PICTURE === 0;
  const path = isPicture ? `assets?name=${name}.png` : "articles";
  const response = await fetch(`${url}/api/management/${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": isPicture ? "application/octet-stream" : "application/json",
    },
    body: isPicture
      ? new Uint8Array(png(8, 8, Number(name) % 256))
      : JSON.stringify({ title: name, markdown: `${TEXT} ${name}.` }),
  });
  const text = await response.text();
  return response.ok ? null : `${name}: ${response.status} ${text}`;
}
