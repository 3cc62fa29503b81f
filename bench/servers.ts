/** Rostrum, and the bare server that sends the same bytes. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { BareAnswer, BareSettings, BareVariant } from "./bare.ts";
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
    stdio: ["ignore", "ignore", "inherit"],
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

/**
 * Starts the bare server with the flags and the allocator settings that Rostrum's launcher uses for itself, plus `flags`.
 * `core` null: chosen by the operating system.
 */
export async function startBare(
  settings: BareSettings,
  like: Server,
  core: number | null = CORE.server,
  flags: readonly string[] = [],
): Promise<Server> {
  const child = startChild([process.execPath, ...flagsOf(like.pid), ...flags, join(import.meta.dirname, "bare.ts")], {
    ...(core === null ? {} : { core }),
    environment: allocatorOf(like.pid),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const { stdin, stdout } = child.process;
  if (stdin === null || stdout === null) throw new Error("the bare server has no pipes");
  const answered = once(createInterface({ input: stdout }), "line");
  stdin.write(`${JSON.stringify(settings)}\n`);
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

function flagsOf(pid: number): string[] {
  const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return args.slice(0, Math.max(0, args.indexOf(ROSTRUM)));
}

function allocatorOf(pid: number): Record<string, string> {
  const settings = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  return Object.fromEntries(
    settings.flatMap((setting) => {
      const [name = "", value = ""] = setting.split("=");
      return name.startsWith("MALLOC_") ? [[name, value]] : [];
    }),
  );
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
  const variant = ({ headers, body }: Reply) => ({ headers: ownHeaders(headers), body: body.toString("base64") });
  return {
    path,
    etag: headerOf(identity, "ETag"),
    identity: variant(identity),
    gzip: variant(gzip),
    notModified: ownHeaders(notModified.headers),
  };
}

/** The answer as a minimal server sends it. */
export function withoutHeaders({ path, etag, identity, gzip }: BareAnswer): BareAnswer {
  return { path, etag, identity: typeAndLength(identity), gzip: typeAndLength(gzip), notModified: [] };
}

function typeAndLength({ headers, body }: BareVariant): BareVariant {
  const isKept = (_: string, at: number) => /^content-(?:type|length|encoding)$/i.test(headers[at - (at % 2)] ?? "");
  return { headers: headers.filter(isKept), body };
}

/** Without the headers that node:http writes by itself, and without the request id, which differs in each response. */
function ownHeaders(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? "";
    if (!/^(?:date|connection|keep-alive|x-request-id)$/i.test(name)) kept.push(name, headers[at + 1] ?? "");
  }
  return kept;
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
