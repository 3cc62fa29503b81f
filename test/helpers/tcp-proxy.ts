import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Number of open client connections. Frozen ones count until `cut()` because their closing goes unnoticed. */
  readonly connections: number;
  /**
   * How connections are handled:
   * - `pass`: they are forwarded.
   * - `refuse`: new ones are reset; existing ones stay open.
   * - `freeze`: half-open. Nothing is forwarded and nothing is closed, on either side; new ones are accepted and hang. Frozen
   *   connections stay open and dead in every later mode.
   */
  mode: "pass" | "refuse" | "freeze";
  /** Sets `mode = "pass"` after `freeze`. */
  thaw(): void;
  /** Resets every open connection, on both sides. */
  cut(): void;
  /** Delays each chunk in each direction; 0: no delay. Applies to existing connections too. */
  slow(msPerChunk: number): void;
  /** Changes the target of new connections. Existing ones keep theirs. */
  retarget(port: number, host?: string): void;
}

/** A proxy to a TCP server that can fail like a network. If the target refuses, the client's connection is reset. */
export async function startTcpProxy(target: { host?: string; port: number }): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let to = { host: target.host ?? "127.0.0.1", port: target.port };
  let mode: TcpProxy["mode"] = "pass";
  let msPerChunk = 0;

  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (client) => {
    if (mode === "refuse") {
      client.on("error", () => undefined);
      client.resetAndDestroy();
      return;
    }
    const pair: Pair = new Pair(
      client,
      () => msPerChunk,
      () => pairs.delete(pair),
    );
    pairs.add(pair);
    if (mode === "freeze") pair.freeze();
    else pair.join(connect({ ...to, allowHalfOpen: true, noDelay: true }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const cut = () => {
    for (const pair of pairs) pair.cut();
  };
  return {
    port,
    get connections() {
      return pairs.size;
    },
    get mode() {
      return mode;
    },
    set mode(next) {
      mode = next;
      if (next !== "freeze") return;
      for (const pair of pairs) pair.freeze();
    },
    thaw() {
      mode = "pass";
    },
    cut,
    slow(ms) {
      msPerChunk = ms;
    },
    retarget(nextPort, host = to.host) {
      to = { host, port: nextPort };
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      cut();
      await closed;
    },
  };
}

/** A client's connection and its connection to the target. */
class Pair {
  readonly #client: Socket;
  readonly #delay: () => number;
  readonly #whenGone: () => void;
  readonly #waits = new Set<NodeJS.Timeout>();
  #upstream: Socket | undefined;
  #isFrozen = false;

  constructor(client: Socket, delay: () => number, whenGone: () => void) {
    this.#client = client;
    this.#delay = delay;
    this.#whenGone = whenGone;
    this.#watch(client);
  }

  join(upstream: Socket): void {
    this.#upstream = upstream;
    this.#watch(upstream);
    this.#forward(this.#client, upstream);
    this.#forward(upstream, this.#client);
  }

  freeze(): void {
    this.#isFrozen = true;
    this.#stopWaiting();
    this.#client.pause();
    this.#upstream?.pause();
  }

  cut(): void {
    this.#stopWaiting();
    reset(this.#client);
    if (this.#upstream !== undefined) reset(this.#upstream);
  }

  #watch(socket: Socket): void {
    // Errors are handled in "close".
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (this.#client.closed && this.#upstream?.closed !== false) this.#whenGone();
    });
  }

  #forward(from: Socket, to: Socket): void {
    let isBusy = false;
    let hasEnded = false;
    const goOn = () => {
      isBusy = false;
      if (this.#isFrozen) return;
      if (hasEnded) to.end();
      else from.resume();
    };
    const pass = (chunk: string | Buffer) => {
      if (to.write(chunk)) goOn();
      else to.once("drain", goOn);
    };
    from.on("data", (chunk) => {
      from.pause();
      isBusy = true;
      const delay = this.#delay();
      if (delay > 0) this.#wait(delay, () => pass(chunk));
      else pass(chunk);
    });
    // A paused socket still emits "end", which must not overtake the delayed chunk.
    from.on("end", () => {
      hasEnded = true;
      if (!isBusy && !this.#isFrozen) to.end();
    });
    from.on("close", (hadError) => {
      if (hadError && !this.#isFrozen) reset(to);
    });
    from.resume();
  }

  #wait(ms: number, then: () => void): void {
    const timer = setTimeout(() => {
      this.#waits.delete(timer);
      then();
    }, ms);
    this.#waits.add(timer);
  }

  #stopWaiting(): void {
    for (const timer of this.#waits) clearTimeout(timer);
    this.#waits.clear();
  }
}

/** libuv cannot reset a socket that is shutting down: the handle would stay open, and the process would never end. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
