/** Does what systemd does for deploy/rostrum.service and rostrum.socket: holds the port, starts, notes and kills. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { isRunning } from "../../src/process/identity.ts";
import type { Folder } from "../helpers/folder.ts";
import { ended, leash } from "../helpers/processes.ts";
import { finishes, until } from "../helpers/until.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const NOTIFY = "/usr/bin/systemd-notify";
const PERL = "/usr/bin/perl";

export const WITHOUT_NOTIFY =
  existsSync(NOTIFY) && existsSync(PERL) ? false : "needs systemd-notify and perl (Debian: systemd, perl-base)";

/** Prints the messages that reach the socket, which Node cannot open: each as a line, with commas. */
const RECEIVE = `use Socket; $| = 1;
socket(my $in, AF_UNIX, SOCK_DGRAM, 0) or die; bind($in, sockaddr_un($ARGV[0])) or die $!;
print "bound\\n";
while (defined recv($in, my $text, 4096, 0)) { $text =~ tr/\\n/,/; print "$text\\n"; }`;

/** libuv's handle of a socket that is bound and not listening: Node would accept connections. */
interface BoundSocket {
  fd: number;
  getsockname(out: Partial<AddressInfo>): number;
  close(): void;
}

const { _createServerHandle: bind } = net as unknown as {
  _createServerHandle: (address: string, port: number, family: 4) => BoundSocket;
};

interface Options {
  /** Where the sockets are, and the service's data. */
  folder: Folder;
  env?: Record<string, string>;
  /** WatchdogSec=, in milliseconds. */
  watchdogMs?: number;
  /** The folder of the program; a link to it may change. */
  program?: string;
}

export class Systemd implements AsyncDisposable {
  readonly url: string;
  readonly metricsUrl: string;
  /** Log lines, and what the service writes on standard error, of all its processes. */
  readonly output: string[] = [];
  readonly messages: string[] = [];
  mainPid: number | undefined;
  readonly #options: Options;
  readonly #sockets: BoundSocket[];
  readonly #receiver: ChildProcess;
  readonly #started = new Set<ChildProcess>();
  #fedAt = 0;
  #watching: NodeJS.Timeout | undefined;

  static async open(options: Options): Promise<Systemd> {
    const path = options.folder.at("notify");
    const receiver = leash(spawn(PERL, ["-e", RECEIVE, path], { stdio: ["ignore", "pipe", "inherit"] }));
    const systemd = new Systemd(options, receiver);
    await until("the socket of notifications is there", () => systemd.messages.includes("bound"));
    return systemd;
  }

  private constructor(options: Options, receiver: ChildProcess) {
    this.#options = options;
    this.#receiver = receiver;
    this.#sockets = [bind("127.0.0.1", 0, 4), bind("127.0.0.1", 0, 4)];
    const [url = "", metricsUrl = ""] = this.#sockets.map((socket) => {
      const address: Partial<AddressInfo> = {};
      socket.getsockname(address);
      return `http://127.0.0.1:${address.port}`;
    });
    this.url = url;
    this.metricsUrl = metricsUrl;
    if (receiver.stdout) createInterface({ input: receiver.stdout }).on("line", (line) => this.#onMessage(line));
  }

  /** What a command of the service's unit gets. */
  get environment(): Record<string, string> {
    return {
      PATH: "/usr/bin:/bin",
      ROSTRUM_DATA_DIR: this.#options.folder.at("data"),
      ROSTRUM_RATE_LIMIT: "0",
      NOTIFY_SOCKET: this.#options.folder.at("notify"),
      MALLOC_ARENA_MAX: "1",
      ...this.#options.env,
    };
  }

  /** `systemctl start`: resolves when the service says that it is ready. */
  async start(): Promise<void> {
    const { watchdogMs } = this.#options;
    const before = this.messages.length;
    const passed = { LISTEN_FDS: String(this.#sockets.length), LISTEN_FDNAMES: "rostrum.socket:rostrum.socket" };
    const watchdog = watchdogMs === undefined ? {} : { WATCHDOG_USEC: String(watchdogMs * 1_000) };
    const set = `export LISTEN_PID=$$${watchdogMs === undefined ? "" : " WATCHDOG_PID=$$"}; exec "$@"`;
    const child = leash(
      spawn("/bin/sh", ["-c", set, "sh", ...this.command("serve")], {
        env: { ...this.environment, ...passed, ...watchdog },
        stdio: ["ignore", "pipe", "pipe", ...this.#sockets.map(({ fd }) => fd)],
      }),
    );
    this.#started.add(child);
    this.mainPid = child.pid;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on("line", (line) => this.output.push(line));
    }
    await until("the service is ready", () => {
      if (child.exitCode !== null)
        throw new Error(`the service ended with ${child.exitCode}: ${this.output.join("\n")}`);
      return this.messages.slice(before).some((message) => message.split(",").includes("READY=1"));
    });
    if (watchdogMs !== undefined) this.#watch(watchdogMs);
  }

  /** A command as the unit would run it. */
  command(...args: string[]): string[] {
    const { program = ROOT } = this.#options;
    return [
      process.execPath,
      "--max-semi-space-size=4",
      "--v8-pool-size=1",
      join(program, "bin", "rostrum.js"),
      ...args,
    ];
  }

  /** `systemctl stop`: resolves when no process of the service is left. */
  async stop(): Promise<void> {
    clearInterval(this.#watching);
    if (this.mainPid !== undefined) process.kill(this.mainPid, "SIGTERM");
    await until("the main process has ended", () => this.mainPid === undefined || !isRunning(String(this.mainPid)));
    // A predecessor may still send its last responses.
    for (const child of this.#started) await finishes("the service ends", over(child));
    this.#started.clear();
  }

  /** `systemctl reload`: ExecReload= of the unit. */
  async reload(): Promise<void> {
    const [program = "", ...args] = this.command("serve", "--takeover");
    const child = leash(spawn(program, args, { env: this.environment, stdio: ["ignore", "pipe", "pipe"] }));
    const closed = once(child, "exit");
    const said = text(child.stderr);
    const [code] = (await closed) as [number | null];
    if (code !== 0) throw new Error(`the takeover ended with ${code}: ${await said}`);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  #onMessage(line: string): void {
    this.messages.push(line);
    const assignments = new Map(line.split(",").map((one) => one.split(/=(.*)/s) as [string, string]));
    if (assignments.has("MAINPID")) this.mainPid = Number(assignments.get("MAINPID"));
    if (assignments.has("WATCHDOG")) this.#fedAt = performance.now();
  }

  /** Kills a service that has not fed its watchdog, and starts it again: Restart=always. */
  #watch(watchdogMs: number): void {
    clearInterval(this.#watching);
    this.#fedAt = performance.now();
    this.#watching = setInterval(() => {
      if (performance.now() - this.#fedAt < watchdogMs) return;
      clearInterval(this.#watching);
      if (this.mainPid !== undefined) process.kill(this.mainPid, "SIGKILL");
      void this.start();
    }, 50);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#watching);
    if (this.mainPid !== undefined && isRunning(String(this.mainPid))) process.kill(this.mainPid, "SIGKILL");
    for (const child of this.#started) {
      child.kill("SIGKILL");
      await over(child);
    }
    for (const socket of this.#sockets) socket.close();
    this.#receiver.kill();
    await ended(this.#receiver);
  }
}

async function over(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await ended(child);
}
