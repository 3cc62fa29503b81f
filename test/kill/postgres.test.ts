/** The kill loop on PostgreSQL, where several nodes share the work and the database itself can fail (docs/operate.md). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findPostgres } from "../helpers/postgres-programs.ts";
import { type ClusterOptions, type ClusterOutcome, runCluster } from "./cluster-loop.ts";
import { describeCluster } from "./describe-cluster.ts";

const NODES = 3;
/** On one cluster, whose start and end take as long as five of these. More by hand: `npm run test:kill -- --engine postgres`. */
const TROUBLES = [
  ...Array.from({ length: 5 }, () => "kill" as const),
  ...(["crash", "terminate", "freeze", "freeze one", "stall", "slow", "failover"] as const),
];
/** Four times what they take on two cores. */
const MAX_MS = 240_000;

/** Different in each run, because scheduling by the operating system differs anyway. */
const seed = Number(process.env["ROSTRUM_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const skip = findPostgres() === undefined && "there is no PostgreSQL here";

describe(`of ${NODES} nodes nothing that was acknowledged is lost, and no two send at once`, { skip }, () => {
  test(
    "when nodes are killed, and PostgreSQL crashes, stands still, ends connections or is replaced, or the network fails",
    { timeout: MAX_MS },
    async (t) => {
      const outcome = await run(t.diagnostic.bind(t), { troubles: TROUBLES });
      assert.ok(outcome.takeUps.length > 0, "no attempt was interrupted by a kill");
    },
  );

  test("when a synchronous standby takes over that DATABASE_URL names, too", { timeout: MAX_MS }, async (t) => {
    await run(t.diagnostic.bind(t), { troubles: ["failover"], hasManyHosts: true });
  });
});

async function run(
  tell: (line: string) => void,
  options: Pick<ClusterOptions, "troubles" | "hasManyHosts">,
): Promise<ClusterOutcome> {
  const outcome = await runCluster({ ...options, seed, nodes: NODES });
  const { violations, errors, journal } = outcome;
  for (const line of describeCluster([outcome])) tell(`seed ${seed}: ${line}`);
  assert.equal(journal.marks.length, options.troubles.length);
  assert.deepEqual({ violations, errors }, { violations: [], errors: [] }, `seed ${seed}`);
  return outcome;
}
