/** Processes of the service, as `rostrum serve` starts them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ServerProcess, serveCli } from "../helpers/cli.ts";
import type { Folder } from "../helpers/folder.ts";
import { freePort } from "../helpers/postgres-server.ts";
import { until } from "../helpers/until.ts";
import { NodeClient } from "./client.ts";

const HOUR_MS = 3_600_000;
const STARTS_WITHIN_MS = 60_000;
const ANSWERS_WITHIN_MS = 1_000;
/** Where Debian's package faketime installs it. */
export const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

export interface NodeOptions {
  folder: Folder;
  name: string;
  env: Record<string, string>;
  /** Whether its clock can be set. */
  hasOwnClock: boolean;
}

export class ServiceNode implements AsyncDisposable {
  readonly port: number;
  readonly #options: NodeOptions;
  readonly #client: NodeClient;
  #process: ServerProcess | undefined;
  #isFrozen = false;

  static async make(options: NodeOptions): Promise<ServiceNode> {
    return new ServiceNode(options, await freePort());
  }

  private constructor(options: NodeOptions, port: number) {
    this.port = port;
    this.#options = options;
    this.#client = new NodeClient(port);
    if (options.hasOwnClock) this.setClock(0);
  }

  /** Resolves when it is ready. */
  async start(): Promise<void> {
    const { folder, name, env, hasOwnClock } = this.#options;
    const clock = {
      LD_PRELOAD: FAKETIME,
      FAKETIME_TIMESTAMP_FILE: this.#clockFile,
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
    this.#process = await serveCli({
      data: folder.at(name),
      cwd: folder.path,
      withinMs: HOUR_MS,
      env: {
        ...env,
        PORT: String(this.port),
        NODE_OPTIONS: `--import=${join(import.meta.dirname, "hang-dispatcher.mjs")}`,
        FAULT_ROUNDS_HANG: this.#hangFile,
        ...(hasOwnClock ? clock : {}),
      },
    });
    await until(`${name} is ready`, () => this.isReady(), STARTS_WITHIN_MS);
  }

  async isReady(): Promise<boolean> {
    return (await this.#ready())?.status === 200;
  }

  /** How often the thread that delivers webhooks was started again; undefined: no answer. */
  async dispatcherRestarts(): Promise<number | undefined> {
    const answer = await this.#ready();
    if (answer === undefined) return undefined;
    const { dispatcher } = JSON.parse(answer.text) as { dispatcher?: { restarts: number } };
    return dispatcher?.restarts;
  }

  /** Resolves when it has ended. */
  async kill(): Promise<void> {
    this.#process?.child.kill("SIGKILL");
    await this.#process?.ended;
  }

  freeze(): void {
    this.#isFrozen = true;
    this.#process?.child.kill("SIGSTOP");
  }

  thaw(): void {
    this.#isFrozen = false;
    this.#process?.child.kill("SIGCONT");
  }

  /** The process notices the new time within a second. */
  setClock(seconds: number): void {
    writeFileSync(this.#clockFile, `${seconds < 0 ? "" : "+"}${seconds}\n`);
  }

  hangDispatcher(): void {
    writeFileSync(this.#hangFile, "");
  }

  /** Lines of its log that indicate a fault. */
  faults(): string[] {
    return (this.#process?.lines ?? []).filter((line) => /"level":[56]0/.test(line));
  }

  get hasEnded(): boolean {
    const child = this.#process?.child;
    return child !== undefined && (child.exitCode !== null || child.signalCode !== null);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isFrozen) this.thaw();
    this.#client[Symbol.dispose]();
    await this.#process?.[Symbol.asyncDispose]();
  }

  async #ready() {
    try {
      return await this.#client.send("/readyz", { withinMs: ANSWERS_WITHIN_MS });
    } catch {
      return undefined;
    }
  }

  get #clockFile(): string {
    return this.#options.folder.at(`${this.#options.name}.clock`);
  }

  get #hangFile(): string {
    return this.#options.folder.at(`${this.#options.name}.hang`);
  }
}
