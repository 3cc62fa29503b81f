/** Rostrum, and the bare server that sends the same bytes. */
import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { BareAnswer } from "./bare.ts";
import type { Place } from "./place.ts";
import { CORE, freePort, startChild } from "./processes.ts";

export const ROSTRUM = join(import.meta.dirname, "..", "bin", "rostrum.js");
const READY_WITHIN_MS = 60_000;

export interface Server extends AsyncDisposable {
  port: number;
  pid: number;
}

export interface RostrumOptions {
  /** Where the data is. */
  place: Pick<Place, "folder" | "environment">;
  key: string;
  isPinned?: boolean;
  /** Core it is pinned to; that of servers by default. */
  core?: number;
  /** The Node that runs bin/rostrum.js. */
  node?: string;
  environment?: Record<string, string>;
  /** The file that gets its log; nothing does by default. */
  log?: number;
}

/** Starts `rostrum serve`. @returns the server, with the seconds until its first 200. */
export async function startRostrum(options: RostrumOptions): Promise<Server & { startSeconds: number }> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = startChild([options.node ?? process.execPath, ROSTRUM, "serve"], {
    directory: options.place.folder,
    environment: {
      ...options.place.environment,
      HOST: "127.0.0.1",
      PORT: String(port),
      ROSTRUM_RATE_LIMIT: "0",
      ROSTRUM_DRAIN_SECONDS: "0",
      ...options.environment,
    },
    stdio: ["ignore", options.log ?? "ignore", "inherit"],
    ...(options.isPinned === false ? {} : { core: options.core ?? CORE.server }),
  });
  const stop = () => child.stop();
  try {
    while ((await statusOf(port, options.key)) !== 200) {
      if (child.process.exitCode !== null) throw new Error(`rostrum serve ended with ${child.process.exitCode}`);
      if (performance.now() - startedAt > READY_WITHIN_MS) throw new Error("rostrum serve does not answer");
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const startSeconds = (performance.now() - startedAt) / 1_000;
  return { port, pid: child.pid, startSeconds, [Symbol.asyncDispose]: stop };
}

/** Starts the bare server as anybody would, without options. `core` null: chosen by the operating system. */
export async function startBare(answers: readonly BareAnswer[], core: number | null = CORE.server): Promise<Server> {
  const child = startChild([process.execPath, join(import.meta.dirname, "bare.ts")], {
    ...(core === null ? {} : { core }),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const { stdin, stdout } = child.process;
  if (stdin === null || stdout === null) throw new Error("the bare server has no pipes");
  const answered = once(createInterface({ input: stdout }), "line");
  stdin.write(`${JSON.stringify(answers)}\n`);
  const [port] = await answered;
  return { port: Number(port), pid: child.pid, [Symbol.asyncDispose]: () => child.stop() };
}

export interface Reply {
  status: number;
  /** Alternating names and values. */
  headers: string[];
  body: Buffer;
}

export function get(port: number, path: string, headers: Record<string, string>): Promise<Reply> {
  return new Promise((resolve, reject) => {
    request({ port, host: "127.0.0.1", path, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.rawHeaders, body: Buffer.concat(parts) }),
      );
    })
      .on("error", reject)
      .end();
  });
}

export function headerOf({ headers }: Pick<Reply, "headers">, name: string): string {
  const at = headers.findIndex((one, index) => index % 2 === 0 && one.toLowerCase() === name.toLowerCase());
  return at < 0 ? "" : (headers[at + 1] ?? "");
}

/** Records Rostrum's response for the bare server to send. */
export async function recordAnswer(rostrum: Server, key: string, path: string): Promise<BareAnswer> {
  const ask = (headers: Record<string, string>) => get(rostrum.port, path, { "X-API-Key": key, ...headers });
  // The second response is the one that all later requests get.
  await ask({});
  const identity = await ask({});
  const gzip = await ask({ "Accept-Encoding": "gzip" });
  const notModified = await ask({ "If-None-Match": headerOf(identity, "ETag") });
  if (identity.status !== 200 || gzip.status !== 200 || notModified.status !== 304) {
    throw new Error(`${path} answers ${identity.status}, ${gzip.status} and ${notModified.status}`);
  }
  return {
    path,
    etag: headerOf(identity, "ETag"),
    identity: identity.body.toString("base64"),
    gzip: gzip.body.toString("base64"),
  };
}

async function statusOf(port: number, key: string): Promise<number> {
  try {
    return (await get(port, "/api/public/articles", { "X-API-Key": key })).status;
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ECONNREFUSED" || error.code === "ECONNRESET")) {
      return 0;
    }
    throw error;
  }
}
