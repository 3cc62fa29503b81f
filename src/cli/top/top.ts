import { setTimeout as wait } from "node:timers/promises";
import { readConfig } from "../../process/settings/config.ts";
import { AppError } from "../../domain/system/errors.ts";
import { type Command, type Io, parseOptions, UsageError } from "../command.ts";
import { getLocalUrl } from "../system/databases.ts";
import { parseWhole } from "../webhooks/input.ts";
import { type Figures, toFigures, watch, type Watched } from "./figures.ts";
import { toLines } from "./report.ts";
import { scrape } from "./scrape.ts";

const DEFAULT_INTERVAL_S = 2;
const MAX_INTERVAL_S = 3_600;

export const top: Command = {
  summary: "watch requests, deliveries, queues, processes and the disk",
  help: `Usage: rostrum top [--url URL]... [--interval SECONDS] [--once | --json]

Shows what the service does, every two seconds, until q or Ctrl-C is pressed: requests and their latencies, webhooks, what
waits, the disk, and the memory and CPU of each process. Rates and latencies are those of the last ten seconds. It reads the
service's metrics, and goes on while the service restarts. Without a terminal it prints one report.

Without --url it watches the service that runs on the data of these settings: on SQLite wherever that listens, on PostgreSQL the
process of this machine, on ROSTRUM_METRICS_PORT or PORT.

  --url URL           the address of a process, or of its metrics; may be given several times, once for each process
  --interval SECONDS  how often, from 1 to ${MAX_INTERVAL_S}
  --once              print one report after an interval, and end
  --json              the same as JSON`,
  async run(args, io) {
    const { values } = parseOptions(args, {
      url: { type: "string", multiple: true },
      interval: { type: "string" },
      once: { type: "boolean" },
      json: { type: "boolean" },
    });
    const seconds = parseWhole(values.interval ?? String(DEFAULT_INTERVAL_S), 1, MAX_INTERVAL_S, "interval");
    const addresses = values.url?.map(parseAddress) ?? [ownAddress(io)];
    const stop = new AbortController();
    void io.whenStopped().then(() => stop.abort());
    const watcher = new Watcher(addresses, 1_000 * seconds, stop.signal);
    await watcher.start();
    const isOnce = values.once === true || values.json === true || io.columns === null;
    if (!isOnce) await show(watcher, io, stop);
    else if (await watcher.next()) {
      const figures = watcher.figures();
      const text = () => toLines(figures, io.columns).map((line) => `${line.text.trimEnd()}\n`);
      io.out(values.json === true ? `${JSON.stringify(figures)}\n` : text().join(""));
    }
  },
};

async function show(watcher: Watcher, io: Io, stop: AbortController): Promise<void> {
  using screen = await io.openScreen();
  const draw = () => screen.draw(toLines(watcher.figures(), screen.columns()));
  void screen.quit.then(() => stop.abort());
  screen.onResize(draw);
  do draw();
  while (await watcher.next());
}

class Watcher {
  readonly #addresses: readonly URL[];
  readonly #intervalMs: number;
  readonly #signal: AbortSignal;
  #processes: readonly Watched[];

  constructor(addresses: readonly URL[], intervalMs: number, signal: AbortSignal) {
    this.#addresses = addresses;
    this.#intervalMs = intervalMs;
    this.#signal = signal;
    this.#processes = addresses.map((address) => ({ address: name(address), samples: [], reason: null }));
  }

  /** @throws AppError when no process answers: so early, a mistake is more likely than a restart. */
  async start(): Promise<void> {
    await this.#scrape();
    const reasons = this.#processes.map(({ address, reason }) => (reason === null ? null : `${address}: ${reason}`));
    if (this.#signal.aborted || reasons.includes(null)) return;
    throw new AppError(
      "not_found",
      `There are no metrics. ${reasons.join("; ")}. Start the service, or name its address with --url.`,
    );
  }

  /** Waits for the interval, and takes the next samples. @returns false if it was stopped. */
  async next(): Promise<boolean> {
    await wait(this.#intervalMs, undefined, { signal: this.#signal }).catch(() => undefined);
    if (!this.#signal.aborted) await this.#scrape();
    return !this.#signal.aborted;
  }

  figures(): Figures {
    return toFigures(this.#processes, Date.now());
  }

  async #scrape(): Promise<void> {
    this.#processes = await Promise.all(
      this.#addresses.map(async (address, index) => {
        const known = this.#processes[index] ?? { address: name(address), samples: [], reason: null };
        const found = await scrape(address, this.#signal);
        if ("reason" in found) return { ...known, reason: found.reason };
        return watch(known, { at: performance.now(), metrics: found.metrics });
      }),
    );
  }
}

const METRICS_PATH = "/metrics";

function name(address: URL): string {
  return address.pathname === METRICS_PATH ? address.host : address.host + address.pathname;
}

/** Of a process or of its metrics. @throws UsageError. */
function parseAddress(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--url is "${text}"; write it like http://127.0.0.1:4000.`);
  }
  if (url.username !== "" || url.password !== "") throw new UsageError("--url may not contain a user or a password.");
  if (!url.pathname.endsWith(METRICS_PATH)) url.pathname = `${withoutSlash(url.pathname)}${METRICS_PATH}`;
  return url;
}

function withoutSlash(path: string): string {
  return path.endsWith("/") ? withoutSlash(path.slice(0, -1)) : path;
}

/** @throws AppError when no service runs on the data. */
function ownAddress({ environment, directory }: Io): URL {
  const config = readConfig(environment, directory);
  const address = new URL(METRICS_PATH, getLocalUrl(config));
  if (config.metricsPort !== null && config.metricsPort !== 0) address.port = String(config.metricsPort);
  return address;
}
