/** `rostrum serve` processes on one database, each behind a proxy of its own that can fail. */
import { type ServerProcess, serveCli } from "../../helpers/cli.ts";
import { Client, type Reply, type SendOptions } from "../../helpers/http.ts";
import { wrongClock } from "../../helpers/wrong-clock.ts";
import { startTcpProxy, type TcpProxy } from "../../helpers/tcp-proxy.ts";
import { LOOPBACK } from "../../helpers/webhooks.ts";

const SECRET_KEY = "a key that all nodes share, and no test needs to hide";
const HOUR_MS = 3_600_000;

/** Settings that all processes on the database share. */
export const SHARED = { ...LOOPBACK, ROSTRUM_SECRET_KEY: SECRET_KEY };

export interface NodeOptions {
  name: string;
  /** URL of PostgreSQL itself, past the proxies. */
  databaseUrl: string;
  /** For what the process leaves behind. */
  folder: string;
  /** How far its clock is fast, in milliseconds; default 0. */
  clockOffsetMs?: number;
}

export class Node implements AsyncDisposable {
  readonly name: string;
  /** Between the process and PostgreSQL. */
  readonly proxy: TcpProxy;
  readonly #options: NodeOptions;
  #running: { server: ServerProcess; client: Client } | undefined;

  private constructor(options: NodeOptions, proxy: TcpProxy) {
    this.name = options.name;
    this.proxy = proxy;
    this.#options = options;
  }

  /** Resolves once it serves. */
  static async start(options: NodeOptions): Promise<Node> {
    const { port } = new URL(options.databaseUrl);
    const node = new Node(options, await startTcpProxy({ port: Number(port) }));
    try {
      await node.start();
      return node;
    } catch (error) {
      await node[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** What the current process has logged. */
  get lines(): readonly string[] {
    return this.#running?.server.lines ?? [];
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** @throws network errors, also when the process is not running. */
  async send(path: string, options: SendOptions = {}): Promise<Reply> {
    if (this.#running === undefined) throw new Error(`${this.name} does not run`);
    return this.#running.client.send(path, options);
  }

  /** A new process. Resolves once it serves. */
  async start(): Promise<void> {
    const { databaseUrl, folder, clockOffsetMs = 0 } = this.#options;
    const url = Object.assign(new URL(databaseUrl), { port: String(this.proxy.port) });
    const server = await serveCli({
      cwd: folder,
      data: folder,
      env: { ...SHARED, DATABASE_URL: url.href, ...wrongClock(clockOffsetMs) },
      withinMs: HOUR_MS,
    });
    this.#running = { server, client: new Client(server.url) };
  }

  /** SIGKILL. Resolves when the process has ended. */
  async kill(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.server[Symbol.asyncDispose]();
    running?.client[Symbol.dispose]();
  }

  /** Suspends the whole process until it is resumed. */
  stop(): void {
    this.#running?.server.child.kill("SIGSTOP");
  }

  resume(): void {
    this.#running?.server.child.kill("SIGCONT");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.proxy[Symbol.asyncDispose]();
  }
}

/** `node-1`, `node-2`, … on one database. */
export async function startNodes(
  count: number,
  options: Omit<NodeOptions, "name">,
): Promise<AsyncDisposable & { nodes: Node[] }> {
  await using opened = new AsyncDisposableStack();
  const started = await Promise.allSettled(
    Array.from({ length: count }, (_, index) => Node.start({ ...options, name: `node-${index + 1}` })),
  );
  const nodes = started.flatMap((one) => (one.status === "fulfilled" ? [opened.use(one.value)] : []));
  const failed = started.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  const owned = opened.move();
  return { nodes, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
