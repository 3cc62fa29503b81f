/** Publishes approved articles as a CLI command does: a separate process on the same database. One job on standard input. */
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { openApp } from "../src/app/app.ts";
import { readConfig } from "../src/process/settings/config.ts";
import { publishArticle } from "../src/operations/articles/write/articles.ts";
import type { PublisherJob, PublisherResult } from "./webhook-jobs.ts";

const ACTOR = { id: "bench", mayApprove: true };

createInterface({ input: process.stdin }).once("line", (line) => void publish(JSON.parse(line) as PublisherJob));

async function publish({ folder, environment, ids, perSecond }: PublisherJob): Promise<void> {
  await using app = await openApp(readConfig(environment, folder));
  const cpuBefore = process.cpuUsage();
  const published: PublisherResult["published"] = [];
  const pending: Promise<void>[] = [];
  const startedAt = nowMs();
  for (const [index, id] of ids.entries()) {
    const dueAt = perSecond === undefined ? nowMs() : startedAt + (index * 1_000) / perSecond;
    while (nowMs() < dueAt) await wait(1);
    const done = publishArticle(app, id, ACTOR).then(() => void published.push([id, dueAt, nowMs()]));
    if (perSecond === undefined) await done;
    else pending.push(done);
  }
  await Promise.all(pending);
  const { user, system } = process.cpuUsage(cpuBefore);
  process.stdout.write(
    `${JSON.stringify({ published, cpuSeconds: (user + system) / 1e6 } satisfies PublisherResult)}\n`,
  );
}

/** Milliseconds of the machine's monotonic clock, which all processes share. */
function nowMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
