/**
 * A lease expires while its holder's POST is under way, and another dispatcher takes the delivery over. No process dies, so both
 * get an answer; only that of the new lease may count.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { saveReceipt } from "../../src/operations/articles/lists/receipts.ts";
import { reclaimLeases } from "../../src/operations/webhooks/queue-maintenance.ts";
import { Dispatcher } from "../../src/webhooks/dispatch/dispatcher.ts";
import { until } from "../helpers/until.ts";
import { change } from "./changes.ts";
import { check } from "./checker.ts";
import type { Violation } from "./rules.ts";
import { isQueueEmpty, readFacts } from "./facts.ts";
import { type Plant, planted } from "./planted-bugs.ts";
import { ATTEMPTS, makeWorld } from "./world.ts";

/** Longer than a lease. */
const LATER_MS = 31_000;
/** Endpoints that get the publication. At `coalesced` the update replaces it. */
const RECEIVERS = 2;
/** Endpoints that get the update at once: `own` is not subscribed to publications, and `coalesced` drops the earlier one. */
const OTHERS = 2;
/** Within this time a result that should not count would release the next delivery. */
const NOTHING_COMES_MS = 200;
const ENDS_WITHIN_MS = 5_000;
const STOP_GRACE_MS = 2_000;

/** @returns the checker's violations, with the bug or without one. */
export async function runLapse(plant: Plant | null): Promise<Violation[]> {
  const [articleId, first, second] = [randomUUID(), randomUUID(), randomUUID()];
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using world = await makeWorld({
    behave: ({ eventId, epoch }) => ({
      status: 200,
      after: eventId === first ? (answers[epoch]?.promise ?? Promise.resolve()) : Promise.resolve(),
    }),
  });
  const { journal, settings, websiteId, secrets } = world;
  await using app = await openApp(readConfig(settings, "."));
  const makeDispatcher = (worker: string) =>
    new Dispatcher({
      // Each acts as a separate process.
      deps: planted(app, plant, { secrets, acknowledge: () => undefined }),
      policy: app.config.webhooks,
      saveReceipt,
      random: Math.random,
      worker,
      onRecorded: () => undefined,
      // A result that cannot be recorded is missing at the end.
      onError: () => undefined,
    });
  for (const eventId of [first, second]) {
    const noted = journal.ordered(eventId, articleId);
    noted.kind = await change(app, websiteId, { eventId, articleId, roll: 0 });
    noted.outcome = "acknowledged";
  }
  const underWay = (epoch: number) =>
    journal.arrivals.filter((one) => one.eventId === first && one.epoch === epoch).length;
  const holder = makeDispatcher("1-holder");
  const other = makeDispatcher("1-other");
  holder.start();
  await until("the holder sends", () => underWay(0) === RECEIVERS && journal.arrivals.length === RECEIVERS + OTHERS);
  journal.mark("lapse", "during the POST");
  await reclaimLeases({ ...app, clock: () => app.clock() + LATER_MS }, () => true);
  other.start();
  await until("the other one sends the same", () => underWay(1) === RECEIVERS);
  answers[0]?.resolve();
  await wait(NOTHING_COMES_MS);
  answers[1]?.resolve();
  // With a bug, deliveries may remain for ever, which the checker reports.
  await until("nothing is left", () => isQueueEmpty(app.store), ENDS_WITHIN_MS).catch(() => undefined);
  await holder.stop(STOP_GRACE_MS);
  await other.stop(STOP_GRACE_MS);
  return check(journal, await readFacts(app.store), { ...ATTEMPTS, takenUpWithinMs: Number.POSITIVE_INFINITY });
}
