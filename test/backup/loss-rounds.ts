/**
 * A machine is lost again and again: the service, under a load of writes, is killed, its data folder is deleted, and everything is
 * restored from the continuous backup. What the writers know is compared with what came back:
 *
 * - what was acknowledged more than the allowed loss before the kill is there;
 * - what is there was asked for, and everything acknowledged before the latest of it was asked for is there, too: the state is one
 *   that the service had, with at most what was asked for and not yet answered in it;
 * - each picture that is there has its file, byte for byte;
 * - no event's number is given to two events;
 * - `--at` a moment during the load: nothing that was asked for later, and all that was acknowledged in time.
 */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Bucket } from "../helpers/bucket.ts";
import { cliJson, type CliOptions, runCli, serveCli, type ServerProcess } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { png } from "../helpers/pictures.ts";
import { until } from "../helpers/until.ts";

const WRITERS = 3;
const MIN_LOAD_MS = 300;
const MAX_LOAD_MS = 5_000;
/** Every so many rounds a moment is restored as well. */
const ROUNDS_PER_MOMENT = 4;
/** One of so many changes is a picture. */
const CHANGES_PER_PICTURE = 8;
const RETRY_MS = 100;
/** Long enough for the gate of quality. */
const TEXT =
  "Green tea is picked in the morning, when the leaves are still fresh, and is steamed within hours, so that its colour stays. Then it is rolled, dried, sorted and packed, in that order, for";

export interface LossOptions {
  rounds: number;
  /** Where the copies go. */
  kind: "folder" | "bucket";
  allowedLossMs: number;
  onRound?: (facts: RoundFacts) => void;
}

export interface RoundFacts {
  acknowledged: number;
  /** Acknowledged, and not there any more. */
  lost: number;
  /** How long before the kill the first of the lost was acknowledged; 0: none was lost. */
  lossMs: number;
  /** That are there. */
  pictures: number;
  /** From the start of the command to the first answer to a reader. */
  backMs: number;
  problems: string[];
}

interface Change {
  kind: "article" | "publication" | "picture";
  /** The title of the article, or the picture's name. */
  name: string;
  sentAt: number;
  acknowledgedAt: number | null;
}

interface Restored {
  has(change: Change): boolean;
  unknown(changes: readonly Change[]): string[];
}

export async function runLossRounds(options: LossOptions): Promise<RoundFacts[]> {
  await using folder = await tempFolder();
  await using bucket = new Bucket("copies");
  const settings = await bucket.start();
  const url = options.kind === "folder" ? `file:${folder.at("copies")}` : "s3://copies/rostrum";
  const data = folder.at("data");
  const env = { ...settings, ROSTRUM_BACKUP_URL: url, ROSTRUM_SECRET_KEY: randomBytes(32).toString("hex"), TZ: "UTC" };
  const command: CliOptions = { data, cwd: folder.path, env };
  const eventIds = new Map<number, string>();
  /** What is known to be there. */
  let changes: Change[] = [];
  const facts: RoundFacts[] = [];
  let serving = await serveCli(command);
  try {
    const access = await createAccess(command);
    for (let round = 1; round <= options.rounds; round++) {
      await copied(serving);
      const load = new Load(serving.url, access, `${round}`, eventIds);
      // The first request loads the management API.
      await until("a change is acknowledged", () => load.acknowledged > 0, 180_000);
      const startedAt = Date.now();
      await sleep(MIN_LOAD_MS + Math.random() * (MAX_LOAD_MS - MIN_LOAD_MS));
      serving.child.kill("SIGKILL");
      const killedAt = Date.now();
      await serving.ended;
      await load.stop();
      changes.push(...load.changes);
      const problems = [...load.problems];
      rmSync(data, { recursive: true });
      if (round % ROUNDS_PER_MOMENT === 0) {
        const at = Math.round(startedAt + Math.random() * (killedAt - startedAt));
        problems.push(...(await checkMoment({ ...command, data: folder.at("moment") }, at, changes, options)));
      }
      const restoring = performance.now();
      const { code, stderr } = await runCli(["restore"], command);
      if (code !== 0) throw new Error(`restore ended with ${code}: ${stderr}`);
      const restored = readRestored(data);
      problems.push(...checkState(restored, changes));
      const pictures = readPictures(data);
      problems.push(...pictures.withoutFile.map((name) => `the picture ${name} has no file`));
      const acknowledged = changes.filter(({ acknowledgedAt }) => acknowledgedAt !== null);
      const lost = acknowledged.filter((change) => !restored.has(change));
      const lossMs = Math.max(0, ...lost.map(({ acknowledgedAt }) => killedAt - (acknowledgedAt ?? 0)));
      if (lossMs > options.allowedLossMs) {
        problems.push(`${lost.length} acknowledged changes are lost, the first of ${lossMs} ms before the kill`);
      }
      changes = changes.filter((change) => restored.has(change));
      serving = await serveCli(command);
      const answer = await fetch(`${serving.url}/api/public/articles`, { headers: { "X-API-Key": access.key } });
      if (answer.status !== 200) problems.push(`a reader gets ${answer.status}`);
      const backMs = Math.round(performance.now() - restoring);
      const done = {
        acknowledged: load.acknowledged,
        lost: lost.length,
        lossMs,
        pictures: pictures.count,
        backMs,
        problems,
      };
      facts.push(done);
      options.onRound?.(done);
    }
  } finally {
    await serving[Symbol.asyncDispose]();
  }
  return facts;
}

interface Access {
  token: string;
  key: string;
}

async function createAccess(command: CliOptions): Promise<Access> {
  await cliJson(["website", "create", "--name", "W"], command);
  const token = await cliJson(["token", "create", "--website", "W", "--name", "t", "--scope", "publish"], command);
  const key = await cliJson(["key", "create", "--website", "W", "--name", "k"], command);
  return { token: String(token["token"]), key: String(key["key"]) };
}

async function copied({ url }: ServerProcess): Promise<void> {
  await until(
    "everything is copied",
    async () => {
      const health = (await (await fetch(`${url}/readyz`)).json()) as { backup?: { lag_seconds: number } };
      return health.backup?.lag_seconds === 0;
    },
    120_000,
  );
}

/** Writers, and a reader of events, until the service is gone. */
class Load {
  readonly changes: Change[] = [];
  readonly problems: string[] = [];
  readonly #url: string;
  readonly #access: Access;
  readonly #name: string;
  readonly #eventIds: Map<number, string>;
  readonly #running: Promise<void>[];
  #isOver = false;
  #count = 0;

  constructor(url: string, access: Access, name: string, eventIds: Map<number, string>) {
    this.#url = url;
    this.#access = access;
    this.#name = name;
    this.#eventIds = eventIds;
    this.#running = [...Array.from({ length: WRITERS }, () => this.#write()), this.#readEvents()];
  }

  get acknowledged(): number {
    return this.changes.filter(({ acknowledgedAt }) => acknowledgedAt !== null).length;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #write(): Promise<void> {
    while (!this.#isOver) {
      const number = ++this.#count;
      const name = `${this.#name}-${number}`;
      if (number % CHANGES_PER_PICTURE === 0) {
        const body = png(8 + (number % 40), 8 + Math.floor(number / 40), Number(this.#name) % 256);
        await this.#change({ kind: "picture", name: `${name}.png` }, `/assets?name=${name}.png`, body);
        continue;
      }
      const made = await this.#change({ kind: "article", name }, "/articles", {
        title: name,
        markdown: `${TEXT} ${name}.`,
      });
      const { id } = (made?.["article"] ?? {}) as { id?: string };
      if (id === undefined) continue;
      await this.#change({ kind: "publication", name }, `/articles/${id}/approve-and-publish`, {});
    }
  }

  async #change(
    what: Pick<Change, "kind" | "name">,
    path: string,
    body: Buffer | object,
  ): Promise<Record<string, unknown> | undefined> {
    const change: Change = { ...what, sentAt: Date.now(), acknowledgedAt: null };
    this.changes.push(change);
    const isFile = Buffer.isBuffer(body);
    try {
      const response = await fetch(`${this.#url}/api/management${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${this.#access.token}`,
          "content-type": isFile ? "application/octet-stream" : "application/json",
          "if-match": "*",
        },
        body: isFile ? new Uint8Array(body) : JSON.stringify(body),
      });
      const answer = (await response.json()) as Record<string, unknown>;
      if (response.ok) change.acknowledgedAt = Date.now();
      else if (response.status === 429) await sleep(RETRY_MS);
      else this.problems.push(`${what.kind} ${what.name}: ${response.status} ${JSON.stringify(answer)}`);
      return answer;
    } catch {
      // The service is gone, or about to be.
      await sleep(RETRY_MS);
      return undefined;
    }
  }

  async #readEvents(): Promise<void> {
    while (!this.#isOver) {
      try {
        const after = Math.max(0, ...this.#eventIds.keys());
        const response = await fetch(`${this.#url}/api/public/events?after=${after}&limit=100`, {
          headers: { "X-API-Key": this.#access.key },
        });
        const { data } = (await response.json()) as { data?: { events?: { sequence: number; id: string }[] } };
        for (const { sequence, id } of data?.events ?? []) {
          const known = this.#eventIds.get(sequence);
          if (known !== undefined && known !== id)
            this.problems.push(`the events ${known} and ${id} have number ${sequence}`);
          this.#eventIds.set(sequence, id);
        }
      } catch {
        // As above.
      }
      await sleep(100);
    }
  }
}

function openRestored(data: string): DatabaseSync {
  return new DatabaseSync(join(data, "rostrum.db"), { readOnly: true });
}

function keyOf({ kind, name }: Change): string {
  return `${kind} ${name}`;
}

function readRestored(data: string): Restored {
  using database = openRestored(data);
  const articles = database.prepare("SELECT title, status FROM articles").all();
  const pictures = database.prepare("SELECT name FROM assets").all();
  const keys = new Set([
    ...articles.map(({ title }) => `article ${String(title)}`),
    ...articles.filter(({ status }) => status === "published").map(({ title }) => `publication ${String(title)}`),
    ...pictures.map(({ name }) => `picture ${String(name)}`),
  ]);
  return {
    has: (change) => keys.has(keyOf(change)),
    unknown: (changes) => [...keys.difference(new Set(changes.map(keyOf)))],
  };
}

/** Whether the service had this state. */
function checkState(restored: Restored, changes: readonly Change[]): string[] {
  const problems = restored.unknown(changes).map((key) => `nobody asked for the ${key}`);
  const latest = Math.max(0, ...changes.filter((change) => restored.has(change)).map(({ sentAt }) => sentAt));
  for (const change of changes) {
    const { kind, name, acknowledgedAt } = change;
    if (acknowledgedAt === null || acknowledgedAt >= latest || restored.has(change)) continue;
    problems.push(`the ${kind} ${name} is missing, but later changes are there`);
  }
  return problems;
}

/** `withoutFile`: the names of those whose file is missing or another one. */
function readPictures(data: string): { count: number; withoutFile: string[] } {
  using database = openRestored(data);
  const rows = database.prepare("SELECT id, website_id, hash, name FROM assets").all();
  const damaged = rows.filter(({ id, website_id, hash }) => {
    const path = join(data, "assets", `${String(website_id)}/${String(hash)}.${String(id)}`);
    return !existsSync(path) || createHash("sha256").update(readFileSync(path)).digest("hex") !== hash;
  });
  return { count: rows.length, withoutFile: damaged.map(({ name }) => String(name)) };
}

async function checkMoment(
  command: CliOptions & { data: string },
  at: number,
  changes: readonly Change[],
  { kind, allowedLossMs }: LossOptions,
): Promise<string[]> {
  const { code, stderr } = await runCli(["restore", "--at", new Date(at).toISOString()], command);
  if (code !== 0) return [`restore --at ended with ${code}: ${stderr}`];
  const restored = readRestored(command.data);
  // A bucket tells the time of a copy to the second.
  const end = kind === "bucket" ? at + 1_000 : at;
  const problems = changes.flatMap((change) => {
    const isThere = restored.has(change);
    const { sentAt, acknowledgedAt, name } = change;
    if (isThere && sentAt > end) return [`${change.kind} ${name} is there, ${sentAt - at} ms before it was asked for`];
    if (!isThere && acknowledgedAt !== null && acknowledgedAt < at - allowedLossMs) {
      return [`${change.kind} ${name} is missing ${at - acknowledgedAt} ms after it was acknowledged`];
    }
    return [];
  });
  rmSync(command.data, { recursive: true });
  return problems.map((problem) => `--at ${new Date(at).toISOString()}: ${problem}`);
}
