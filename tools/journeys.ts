/**
 * `npm run journeys` prints how many files of src/ each of ARCHITECTURE.md's five journeys passes through, on SQLite: those in which
 * a function runs, by V8's coverage of every process and thread, less what the start of the service or of the command runs.
 * `--files` lists them, and names after it choose journeys: `npm run journeys -- --files import`.
 */
import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { cliJson, runCli } from "../test/helpers/cli-in-process.ts";
import { type Folder, tempFolder } from "../test/helpers/folder.ts";
import { Client, record, records } from "../test/helpers/http.ts";
import { leash } from "../test/helpers/processes.ts";
import { until } from "../test/helpers/until.ts";
import { Browser, PASSWORD, tokenOf } from "../test/people/dashboard.ts";
import type { Call, ToProbe } from "./coverage-probe.ts";

const ROOT = join(import.meta.dirname, "..");
const SOURCE = pathToFileURL(join(ROOT, "src/"));
const PROGRAM = join(ROOT, "bin", "rostrum.js");
const ARTICLES = join(ROOT, "demo", "articles");

/** Repetitions of what a service does: what runs in each of them belongs to the journey, and what timers run to none. */
const TIMES = 3;
/** How long a service is watched without a webhook: its timers run during the journey of one, too. */
const TIMERS_MS = 2_000;

const KEEP_ALIVE_MS = 60_000;

type Running = ChildProcessByStdio<null, Readable, Readable>;
/** Calls of each function, by its file and name. */
type Calls = Map<string, number>;

/** A website with articles of the demonstration in a data folder of its own, and commands and services that are counted. */
class Stage implements AsyncDisposable {
  readonly #folder: Folder;
  readonly #opened = new AsyncDisposableStack();
  readonly #settings: Record<string, string>;

  private constructor(folder: Folder) {
    this.#folder = this.#opened.use(folder);
    this.#settings = {
      ROSTRUM_DATA_DIR: folder.at("data"),
      ROSTRUM_WEBHOOK_ALLOW_HTTP: "1",
      ROSTRUM_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
    };
    mkdirSync(this.#counted);
  }

  static async open(): Promise<Stage> {
    const stage = new Stage(await tempFolder());
    await stage.json("website", "create", "--name", "Tea", "--url", "https://tea.example");
    return stage;
  }

  get #counted(): string {
    return this.#folder.at("counted");
  }

  /** Runs a command without counting. @returns its JSON output. */
  json(...args: string[]): Promise<Record<string, unknown>> {
    return cliJson(args, { env: this.#settings, cwd: this.#folder.path });
  }

  /** Imports the articles of the demonstration. @returns their ids. */
  async import(status: string, website = "Tea"): Promise<string[]> {
    await this.json("import", ARTICLES, "--website", website, "--status", status);
    return (await this.list("article", "list", "--website", website)).map(({ id }) => String(id));
  }

  /** Whether no delivery of the webhook is waiting. */
  async isDelivered(webhook: string): Promise<boolean> {
    const deliveries = await this.list("webhook", "deliveries", webhook);
    return deliveries.length > 0 && deliveries.every(({ state }) => state === "delivered");
  }

  async list(...args: string[]): Promise<Record<string, unknown>[]> {
    const { stdout } = await runCli([...args, "--json"], { env: this.#settings, cwd: this.#folder.path });
    return records(JSON.parse(stdout));
  }

  use<T extends Disposable>(resource: T): T {
    return this.#opened.use(resource);
  }

  /** What a command calls, less what loading it, and opening and closing the database, call. */
  async countCommand(...args: string[]): Promise<Calls> {
    const baseline = await this.#runCounted(["--input-type=module", "--eval", openOnly(args)]);
    const all = await this.#runCounted([PROGRAM, ...args]);
    return new Map([...all].filter(([call, count]) => count > (baseline.get(call) ?? 0)));
  }

  async #runCounted(args: string[]): Promise<Calls> {
    const child = this.#start(args);
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "close"), text(child.stdout)]);
    assert.equal(code, 0, errors);
    return this.#takeCalls();
  }

  async serve(): Promise<{ url: string; count: (journey: () => Promise<unknown>) => Promise<Calls> }> {
    const child = this.#start([PROGRAM, "serve"]);
    this.#opened.defer(async () => {
      child.kill("SIGKILL");
      await once(child, "close");
    });
    const tell = async (message: ToProbe) => {
      child.send(message);
      await once(child, "message");
    };
    const url = await servedUrl(child);
    return {
      url,
      count: async (journey) => {
        await tell("begin");
        await journey();
        await tell("write");
        return this.#takeCalls();
      },
    };
  }

  #start(args: string[]): Running {
    const probe = pathToFileURL(join(import.meta.dirname, "coverage-probe.ts"));
    probe.searchParams.set("folder", this.#counted);
    return leash(
      spawn(process.execPath, ["--import", probe.href, ...args], {
        cwd: this.#folder.path,
        env: { PATH: "/usr/bin:/bin", PORT: "0", ...this.#settings },
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      }) as Running,
    );
  }

  #takeCalls(): Calls {
    const calls: Calls = new Map();
    for (const path of globSync(join(this.#counted, "*"))) {
      for (const line of readFileSync(path, "utf8").trim().split("\n")) {
        for (const [file, name, count] of JSON.parse(line) as Call[]) {
          const key = `${file} ${name}`;
          calls.set(key, (calls.get(key) ?? 0) + count);
        }
      }
      rmSync(path);
    }
    return calls;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync();
  }
}

/** By what the measured table calls them. */
export const JOURNEYS = {
  "read, from memory": async (stage) => {
    const { ids, get, count } = await openReadApi(stage);
    return inEach(ids, async (id) => {
      // An article is kept from the second request on.
      for (let times = 0; times < 3; times++) await get(id);
      return count(() => get(id));
    });
  },
  "read, otherwise": async (stage) => {
    const { ids, get, count } = await openReadApi(stage);
    return inEach(ids, (id) => count(() => get(id)));
  },
  "publish by command": async (stage) => {
    const [id = ""] = await stage.import("approved");
    return stage.countCommand("article", "publish", id);
  },
  "webhook with its publication": async (stage) => {
    const [first = "", ...ids] = await stage.import("approved");
    await using receiver = createServer((request, response) => request.resume().once("end", () => response.end()));
    // On a busy machine deliveries are further apart than Node keeps a connection, and opening one runs three more files.
    receiver.keepAliveTimeout = KEEP_ALIVE_MS;
    await once(receiver.listen(0, "127.0.0.1"), "listening");
    const { port } = receiver.address() as AddressInfo;
    const webhook = await stage.json("webhook", "create", "--website", "Tea", "--url", `http://127.0.0.1:${port}/`);
    const { count } = await stage.serve();
    const deliver = async (id: string) => {
      const publication = await stage.countCommand("article", "publish", id);
      await until("the webhook has arrived", () => stage.isDelivered(String(webhook["id"])));
      return publication;
    };
    await deliver(first);
    // What a publication alone causes in the service, such as a look for work at the next of its timers.
    await stage.json("website", "create", "--name", "Coffee");
    const [silent = ""] = await stage.import("approved", "Coffee");
    const others = await count(async () => {
      await stage.countCommand("article", "publish", silent);
      await wait(TIMERS_MS);
    });
    return await inEach(ids, async (id) => {
      let publication: Calls = new Map();
      const delivery = await count(async () => {
        publication = await deliver(id);
      });
      return new Map([...publication, ...[...delivery].filter(([call]) => !others.has(call))]);
    });
  },
  "import a blog by command": (stage) => stage.countCommand("import", ARTICLES, "--website", "Tea"),
  "approve in the dashboard": async (stage) => {
    const [first = "", ...ids] = await stage.import("pending");
    const { link } = await stage.json("user", "create", "--email", "ada@tea.example", "--role", "approver");
    const { url, count } = await stage.serve();
    using browser = new Browser(url);
    await browser.json("POST", "/welcome", { token: tokenOf(link), password: PASSWORD });
    const approve = async (id: string) => {
      const { line } = await browser.json("GET", `/articles/${id}`);
      const { version } = record(line);
      return count(() => browser.json("POST", `/articles/${id}/approve`, { version }));
    };
    await approve(first);
    return await inEach(ids, approve);
  },
} as const satisfies Record<string, (stage: Stage) => Promise<Calls>>;

export type Journey = keyof typeof JOURNEYS;

/** @returns the files of src/ that the journey passes through. */
export async function measureJourney(name: Journey): Promise<string[]> {
  await using stage = await Stage.open();
  const calls = await JOURNEYS[name](stage);
  return [...new Set(calls.keys().map((call) => call.slice(0, call.indexOf(" "))))].toSorted();
}

/** The read API with a key that it knows, and articles that nobody has read. */
async function openReadApi(stage: Stage) {
  const [first = "", ...ids] = await stage.import("published");
  const { key } = await stage.json("key", "create", "--website", "Tea", "--name", "site");
  const { url, count } = await stage.serve();
  const client = stage.use(new Client(url));
  const get = async (id: string) => {
    const { status } = await client.send(`/api/public/articles/${id}`, { headers: { "X-API-Key": String(key) } });
    assert.equal(status, 200);
  };
  await get(first);
  return { ids, get, count };
}

/** Counts for several articles. @returns the calls that each of them makes. */
async function inEach(ids: string[], count: (id: string) => Promise<Calls>): Promise<Calls> {
  let common: Calls | undefined;
  for (const id of ids.slice(0, TIMES)) {
    const calls = await count(id);
    common = new Map([...(common ?? calls)].filter(([call]) => calls.has(call)));
  }
  return common ?? new Map();
}

/** A program that opens and closes the database as the command does, and loads as much. */
function openOnly(args: readonly string[]): string {
  const help = JSON.stringify([...(args[0] === "article" ? args.slice(0, 2) : args.slice(0, 1)), "--help"]);
  return `const load = (path) => import(new URL(path, ${JSON.stringify(SOURCE.href)}));
    await (await load("main.ts")).main(${help});
    const { readConfig } = await load("process/settings/config.ts");
    const app = await (await load("app/app.ts")).openApp(readConfig(process.env, process.cwd()));
    await app[Symbol.asyncDispose]();`;
}

/** Resolves with the address that the service logs once it serves. */
async function servedUrl(child: Running): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { msg, url } = record(JSON.parse(line));
    if (msg === "serving") resolve(String(url));
  });
  child.once("exit", () => reject(new Error("the service has ended")));
  return promise;
}

if (import.meta.main) {
  const words = process.argv.slice(2);
  const names = words.filter((word) => !word.startsWith("--"));
  for (const name of Object.keys(JOURNEYS) as Journey[]) {
    if (names.length > 0 && !names.some((word) => name.includes(word))) continue;
    const files = await measureJourney(name);
    const folders = new Set(files.map((file) => dirname(file)));
    process.stdout.write(
      `${name.padEnd(30)} ${`${files.length}`.padStart(3)} files in ${`${folders.size}`.padStart(2)} folders\n`,
    );
    if (words.includes("--files")) process.stdout.write(files.map((file) => `  ${file}\n`).join(""));
  }
}
