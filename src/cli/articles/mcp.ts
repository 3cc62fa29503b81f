/** For agents that start a program: its standard streams lead to the service's `/mcp`, message by message. */
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { type Command, type Io, parseOptions, required, UsageError } from "../command.ts";
import { readTextFile } from "../files.ts";

type Json = Record<string, unknown>;

const MAX_TRIES = 5;
const INTERNAL_ERROR = -32_603;
const PARSE_ERROR = -32_700;
const VERSION_IN_META = "io.modelcontextprotocol/protocolVersion";

export const mcp: Command = {
  summary: "connect an agent on this machine to the articles of a service",
  help: `Usage: rostrum mcp --url URL --token-file FILE

Speaks the Model Context Protocol on standard input and output, for agents that start a program, and passes each message on to
URL/mcp. Agents that can send a header need no program: give them URL/mcp and the token (docs/agents.md).

  --url         where the service is, e.g. https://articles.example.com
  --token-file  a file with an access token (rostrum token create); whatever its scope, nothing is published`,
  async run(args, io) {
    const { values } = parseOptions(args, { url: { type: "string" }, "token-file": { type: "string" } });
    const url = parseUrl(required(values.url, "url"));
    const file = required(values["token-file"], "token-file");
    if (file === "-") throw new UsageError("--token-file must be a file: standard input is for messages.");
    const bridge = new Bridge(url, (await readTextFile(file, io)).trim(), io);
    const lines = createInterface({ input: io.stdin, crlfDelay: Infinity });
    void io.whenStopped().then(() => lines.close());
    const pending = new Set<Promise<void>>();
    for await (const line of lines) {
      if (line.trim() === "") continue;
      const work = bridge.pass(line).finally(() => pending.delete(work));
      pending.add(work);
    }
    await Promise.all(pending);
    return 0;
  },
};

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--url is "${text}"; it must begin with https:// or http://.`);
  }
  return new URL(`${url.pathname.replace(/\/$/, "")}/mcp`, url);
}

class Bridge {
  readonly #url: URL;
  readonly #token: string;
  readonly #io: Io;
  /** The protocol version that an earlier generation's `initialize` agreed on; undefined for the present generation. */
  #version: string | undefined;

  constructor(url: URL, token: string, io: Io) {
    this.#url = url;
    this.#token = token;
    this.#io = io;
  }

  /** Answers what the service answers, or why it does not. */
  async pass(line: string): Promise<void> {
    let message: Json;
    try {
      message = JSON.parse(line) as Json;
    } catch {
      return this.#write({ jsonrpc: "2.0", id: null, error: { code: PARSE_ERROR, message: "This is not JSON." } });
    }
    const id = message["id"];
    try {
      for (const answer of await this.#send(message, line)) {
        const { protocolVersion } = (answer["result"] ?? {}) as Json;
        if (message["method"] === "initialize" && typeof protocolVersion === "string") this.#version = protocolVersion;
        await this.#write(answer);
      }
    } catch (error) {
      const reason = error instanceof Error ? explain(error) : String(error);
      this.#io.err(`${reason}\n`);
      if (id !== undefined) await this.#write({ jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message: reason } });
    }
    return undefined;
  }

  /** @throws Error with what the service says. */
  async #send(message: Json, body: string): Promise<Json[]> {
    const headers = this.#headers(message);
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(this.#url, { method: "POST", headers, body });
      // Refused before anything was done.
      if (response.status === 429 && attempt < MAX_TRIES) {
        await response.body?.cancel();
        await setTimeout(1_000 * Number(response.headers.get("retry-after") ?? 1));
        continue;
      }
      return readAnswers(response);
    }
  }

  #headers({ method, params }: Json): Record<string, string> {
    const { _meta: meta, name } = (params ?? {}) as Json;
    const claimed = ((meta ?? {}) as Json)[VERSION_IN_META];
    const version = typeof claimed === "string" ? claimed : method === "initialize" ? undefined : this.#version;
    return {
      Authorization: `Bearer ${this.#token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(version !== undefined && { "MCP-Protocol-Version": version }),
      ...(typeof method === "string" && { "Mcp-Method": toHeader(method) }),
      ...(typeof name === "string" && { "Mcp-Name": toHeader(name) }),
    };
  }

  #write(message: Json): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#io.write(`${JSON.stringify(message)}\n`, () => resolve());
    return promise;
  }
}

async function readAnswers(response: Response): Promise<Json[]> {
  const text = await response.text();
  if (text === "") return [];
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const parts = isStream
    ? text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []))
    : [text];
  const answers = parts.filter((part) => part !== "").map((part) => JSON.parse(part) as Json);
  const [first] = answers;
  if (response.ok || first?.["jsonrpc"] === "2.0") return answers;
  throw new Error(
    typeof first?.["message"] === "string" ? first["message"] : `The service answered ${response.status}.`,
  );
}

/** As the protocol wants it for what a header cannot hold. */
function toHeader(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

function explain(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? `The service cannot be reached: ${cause.message}` : error.message;
}
