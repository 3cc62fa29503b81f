/** Clients that send and never read, in a separate process: one JSON job on standard input; it exits when that ends. */
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { startChild } from "./processes.ts";

export interface UnreadingJob {
  port: number;
  connections: number;
  /** New connections per second. */
  perSecond: number;
  /** Requests per connection. */
  requests: number;
  key: string;
  /** Half of the connections request the first path, with the key. */
  paths: readonly [keyed: string, open: string];
}

export function startUnreading(job: UnreadingJob): AsyncDisposable {
  const child = startChild([process.execPath, import.meta.filename, "--child"], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const { stdin } = child.process;
  if (stdin === null) throw new Error("the clients have no pipe");
  stdin.write(`${JSON.stringify(job)}\n`);
  return {
    [Symbol.asyncDispose]: async () => {
      stdin.end();
      await child.stop();
    },
  };
}

function send({ port, connections, perSecond, requests, key, paths }: UnreadingJob): void {
  const pipelines = [`${paths[0]} HTTP/1.1\r\nX-API-Key: ${key}`, `${paths[1]} HTTP/1.1`].map((request) =>
    Buffer.from(`GET ${request}\r\nHost: 127.0.0.1\r\n\r\n`.repeat(requests)),
  );
  const startedAt = performance.now();
  let opened = 0;
  const timer = setInterval(() => {
    const due = Math.min(connections, ((performance.now() - startedAt) / 1_000) * perSecond);
    while (opened < due) {
      const socket = connect({ port, host: "127.0.0.1" });
      socket.on("error", () => undefined);
      socket.pause();
      socket.write(pipelines[opened % pipelines.length] ?? "");
      opened++;
    }
    if (opened >= connections) clearInterval(timer);
  }, 5);
}

if (process.argv.includes("--child")) {
  createInterface({ input: process.stdin })
    // The parent writes nothing else.
    .on("line", (line) => send(JSON.parse(line) as UnreadingJob))
    .on("close", () => process.exit());
}
