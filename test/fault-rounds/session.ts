/** Some rounds of faults on one set of nodes, and the judge's verdict. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { cliJson } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { startPostgres } from "../helpers/postgres.ts";
import { startTcpProxy, type TcpProxy } from "../helpers/tcp-proxy.ts";
import { NodeClient } from "./client.ts";
import { befall, type Fault, isOfOneNode, type Site } from "./faults.ts";
import { type Change, isAnswer, judge, type Violation } from "./judge.ts";
import { ServiceNode } from "./nodes.ts";
import { startReceiver } from "./receiver.ts";
import { Website } from "./website.ts";

export interface SessionOptions {
  faults: readonly Fault[];
  nodes: number;
  engine: "postgres" | "sqlite";
  random: () => number;
  onRound: (round: Round) => void;
}

export interface Round {
  fault: Fault;
  /**
   * The longest wait of a webhook since the acknowledgement of its change or the fault, whichever was later; after a fault of the
   * database, since its repair.
   */
  webhookMs: number;
  /** Time from the repair until each node has acknowledged a change. */
  nodesMs: number;
}

export interface SessionResult {
  rounds: Round[];
  violations: Violation[];
  changes: number;
  acknowledged: number;
  unknown: number;
  arrivals: number;
  /** Webhooks whose event had arrived before. */
  repeats: number;
  reads: number;
  /** How many of them were conclusive about the article. */
  answeredReads: number;
  refusals: ReadonlyMap<string, number>;
  logged: string[];
}

const SECRET_KEY = "a key that all nodes share, and no test needs to hide";
const PASSWORD = "seven old lanterns";
const READER = "reader";
const UNRELIABLE = "unreliable";
const UNRELIABLE_SHARE = 0.05;
/** Changes by each node before the first fault, so that its content processes are running. */
const WARM_CHANGES = 5;
const PEACE_MS = 1_500;
const BACK_WITHIN_MS = 60_000;
const SETTLES_WITHIN_MS = 90_000;
/** Time limit of the first requests, which are not measured: three nodes start on a few cores. */
const SET_UP_WITHIN_MS = 60_000;
const DISK_SIZE = { postgres: "700m", sqlite: "48m" };

export async function runSession(options: SessionOptions): Promise<SessionResult> {
  await using owned = new AsyncDisposableStack();
  const folder = owned.use(await tempFolder());
  const disk = folder.at("disk");
  // PostgreSQL runs as another user, who must be able to read it.
  chmodSync(folder.path, 0o711);
  mkdirSync(disk);
  if (options.faults.includes("disk full")) {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_SIZE[options.engine]},mode=1777`, "tmpfs", disk]);
    owned.defer(() => void execFileSync("umount", ["--lazy", disk]));
  }
  const database = options.engine === "postgres" ? await openDatabase(options, disk, owned) : undefined;
  const env = {
    ROSTRUM_SECRET_KEY: SECRET_KEY,
    ROSTRUM_WEBHOOK_ALLOW_HTTP: "1",
    ROSTRUM_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
    ROSTRUM_WEBHOOK_RETRY_SECONDS: "1,2,4,8,16",
  };
  const urlOf = (index: number) =>
    database === undefined
      ? { DATABASE_URL: `sqlite:${disk}/rostrum.db` }
      : { DATABASE_URL: `postgres://rostrum@127.0.0.1:${database.proxies[index]?.port}/${database.name}` };
  const hasClock = options.faults.some((fault) => fault.startsWith("clock"));
  const nodes: ServiceNode[] = [];
  for (let index = 0; index < (database === undefined ? 1 : options.nodes); index++) {
    const hasOwnClock = hasClock && index === options.nodes - 1;
    const node = owned.use(
      await ServiceNode.make({ folder, name: `node-${index}`, env: { ...env, ...urlOf(index) }, hasOwnClock }),
    );
    await node.start();
    nodes.push(node);
  }

  const cli = { data: folder.at("cli"), cwd: folder.path, env: { ...env, ...urlOf(0) } };
  const websiteId = String((await cliJson(["website", "create", "--name", "W"], cli))["id"]);
  const key = String(
    (await cliJson(["key", "create", "--website", websiteId, "--name", "k", "--scope", "published"], cli))["key"],
  );
  const { link } = await cliJson(["user", "create", "--email", "ada@example.com", "--role", "owner"], cli);
  const cookie = await signIn(nodes, String(link));
  const website = owned.use(
    new Website(
      nodes.map(({ port }) => port),
      { websiteId, key, cookie },
      options.random,
    ),
  );
  const receiver = owned.use(
    await startReceiver(
      (endpoint) => (endpoint === UNRELIABLE && options.random() < UNRELIABLE_SHARE ? 500 : 204),
      (arrival) => website.heard(arrival, arrival.endpoint === READER),
    ),
  );
  for (const endpoint of [READER, UNRELIABLE]) {
    const { status, text } = await website.clients[0]!.send("/dashboard/api/webhooks", {
      method: "POST",
      headers: { "Sec-Fetch-Site": "same-origin", Cookie: cookie },
      body: { website_id: websiteId, url: `http://127.0.0.1:${receiver.port}/${endpoint}` },
      withinMs: SET_UP_WITHIN_MS,
    });
    if (status !== 201) throw new Error(`no webhook: ${status} ${text}`);
    receiver.secrets.set(endpoint, (JSON.parse(text) as { secret: string }).secret);
  }

  const site: Site = {
    nodes,
    clockNode: nodes.length - 1,
    database,
    disk,
    random: options.random,
  };
  website.start();
  const isWarm = (node: number) =>
    website.changes.filter((one) => one.node === node && one.outcome === "acknowledged").length >= WARM_CHANGES;
  if (!(await comesTrue(BACK_WITHIN_MS, () => nodes.keys().every(isWarm)))) throw new Error("the nodes do not work");
  owned.defer(() => website.stop());
  const rounds: Round[] = [];
  const violations: Violation[] = [];
  for (const fault of options.faults) {
    if (fault === "failover" && database !== undefined && database.standby === undefined) {
      database.standby = owned.use(await database.server.startReplica());
      await database.server.makeSynchronous();
    }
    await sleep(PEACE_MS);
    const round = await runRound(fault, site, website);
    rounds.push(round);
    options.onRound(round);
    if (!Number.isFinite(round.webhookMs + round.nodesMs)) {
      violations.push({ rule: "lost", detail: `not recovered within ${BACK_WITHIN_MS} ms after ${fault}` });
    }
  }
  await sleep(PEACE_MS);
  await website.stop();
  await comesTrue(SETTLES_WITHIN_MS, () =>
    website.changes.every(
      (one) =>
        one.outcome !== "acknowledged" ||
        [READER, UNRELIABLE].every((endpoint) =>
          website.arrivals.some(
            (arrival) =>
              arrival.status < 300 &&
              arrival.endpoint === endpoint &&
              arrival.articleId === one.articleId &&
              arrival.kind === one.kind &&
              (arrival.token === one.token || one.token === null),
          ),
        ),
    ),
  );
  await website.settleReads();
  violations.push(...judge(await website.observations([READER, UNRELIABLE])));
  const { changes, arrivals, reads } = website;
  const count = (outcome: Change["outcome"]) => changes.filter((one) => one.outcome === outcome).length;
  return {
    rounds,
    violations,
    changes: changes.length,
    acknowledged: count("acknowledged"),
    unknown: count("unknown"),
    arrivals: arrivals.length,
    repeats: arrivals.length - new Set(arrivals.map(({ endpoint, eventId }) => `${endpoint} ${eventId}`)).size,
    reads: reads.length,
    answeredReads: reads.filter(isAnswer).length,
    refusals: website.refusals,
    logged: nodes.flatMap((node) => node.faults()),
  };
}

async function openDatabase({ faults, nodes }: SessionOptions, disk: string, owned: AsyncDisposableStack) {
  const tmpdir = process.env["TMPDIR"];
  if (faults.includes("disk full")) process.env["TMPDIR"] = disk;
  // A standby asks for the log again after so long: with PostgreSQL's own 5 s commits would wait as long after a restart.
  const server = owned.use(
    await startPostgres({ durable: true, settings: { wal_retrieve_retry_interval: "500ms", max_wal_size: "192MB" } }),
  );
  if (tmpdir === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = tmpdir;
  const hasStandby = !faults.includes("disk full");
  const standby = hasStandby ? owned.use(await server.startReplica()) : undefined;
  if (hasStandby) await server.makeSynchronous();
  const name = new URL(await server.createDatabase()).pathname.slice(1);
  const proxies: TcpProxy[] = [];
  for (let index = 0; index < nodes; index++) proxies.push(owned.use(await startTcpProxy({ port: server.port })));
  return { server, standby, proxies, owned, name };
}

async function runRound(fault: Fault, site: Site, website: Website): Promise<Round> {
  const startedAt = performance.now();
  const repairedAt = await befall(fault, site);
  const since = isOfOneNode(fault) ? startedAt : repairedAt;
  const nodesMs = () =>
    Math.max(
      ...site.nodes.keys().map((node) => {
        const first = website.changes.find(
          (one) => one.node === node && one.outcome === "acknowledged" && (one.endedAt ?? 0) >= repairedAt,
        );
        return (first?.endedAt ?? Number.POSITIVE_INFINITY) - repairedAt;
      }),
    );
  await comesTrue(BACK_WITHIN_MS, () => Number.isFinite(nodesMs()));
  const until = performance.now();
  const webhookMs = () => {
    let longest = 0;
    for (const change of website.changes) {
      const { outcome, endedAt, notBefore } = change;
      if (outcome !== "acknowledged" || endedAt === null || endedAt > until || endedAt < startedAt - BACK_WITHIN_MS) {
        continue;
      }
      const arrivedAt = website.arrivalOf(change, READER) ?? Number.POSITIVE_INFINITY;
      if (arrivedAt < since) continue;
      longest = Math.max(longest, arrivedAt - Math.max(endedAt, since, notBefore ?? 0));
    }
    return longest;
  };
  await comesTrue(BACK_WITHIN_MS, () => Number.isFinite(webhookMs()));
  return { fault, webhookMs: webhookMs(), nodesMs: nodesMs() };
}

/** @returns whether it happened in time. */
async function comesTrue(withinMs: number, condition: () => boolean): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await sleep(50);
  }
  return true;
}

/** @returns the cookie of the owner, who sets a password by the link. */
async function signIn(nodes: readonly ServiceNode[], link: string): Promise<string> {
  using client = new NodeClient(nodes[0]?.port ?? 0);
  const { status, cookie, text } = await client.send("/dashboard/api/welcome", {
    method: "POST",
    headers: { "Sec-Fetch-Site": "same-origin" },
    body: { token: link.split("#")[1], password: PASSWORD },
    withinMs: SET_UP_WITHIN_MS,
  });
  if (status >= 300 || cookie === undefined) throw new Error(`the owner could not sign in: ${status} ${text}`);
  return cookie;
}
