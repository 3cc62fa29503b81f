/** An agent: the official client of the protocol, on one of its versions. */
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { Client, ProtocolError, SdkHttpError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createToken } from "../../src/operations/people/access-tokens.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import type { TokenScope } from "../../src/domain/people/access-token.ts";
import { type Json, record } from "./http.ts";
import type { TestService } from "./service.ts";

export const PROTOCOLS = ["2025-11-25", "2026-07-28"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export interface Outcome {
  isError: boolean;
  facts: Json;
  /** Of an article. */
  text: string | undefined;
}

type Transport = Parameters<Client["connect"]>[0];

export class Agent implements AsyncDisposable {
  readonly client: Client;
  readonly token: { id: string; secret: string };

  private constructor(client: Client, token: { id: string; secret: string }) {
    this.client = client;
    this.token = token;
  }

  static async start(
    service: TestService,
    { scope = "draft", protocol = "2026-07-28" }: { scope?: TokenScope; protocol?: Protocol } = {},
  ): Promise<Agent> {
    const input = { name: `An agent with ${scope}`, scope, expiresAt: null };
    const { secret, token } = await createToken(service.app, service.website.id, input, CLI_ORIGIN);
    const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${secret}` } },
    });
    return Agent.connect(transport, protocol, { id: token.id, secret });
  }

  static async connect(transport: Transport, protocol: Protocol, token = { id: "", secret: "" }): Promise<Agent> {
    const options = protocol === "2026-07-28" ? { versionNegotiation: { mode: { pin: protocol } } } : {};
    const client = new Client({ name: "test", version: "1" }, options);
    await client.connect(transport);
    assert.equal(client.getNegotiatedProtocolVersion(), protocol);
    return new Agent(client, token);
  }

  /** Waits where the token's rate is used up, as agents do. */
  async try(name: string, args: Json = {}): Promise<Outcome> {
    for (;;) {
      try {
        return await this.tryOnce(name, args);
      } catch (error) {
        if (error instanceof ProtocolError)
          return { isError: true, facts: { message: error.message }, text: undefined };
        if (!(error instanceof SdkHttpError) || error.status !== 429) throw error;
        await setTimeout(1_000);
      }
    }
  }

  async tryOnce(name: string, args: Json = {}): Promise<Outcome> {
    const result = await this.client.callTool({ name, arguments: args });
    const texts = result.content.map((one) => (one.type === "text" ? one.text : ""));
    const isError = result.isError === true;
    const [first = ""] = texts;
    const facts = first.startsWith("{") ? record(JSON.parse(first)) : { message: first };
    return { isError, facts, text: texts[1] };
  }

  /** The outcome, which must not be a refusal. */
  async call(name: string, args: Json = {}): Promise<Outcome & { id: string; etag: string }> {
    const outcome = await this.try(name, args);
    assert.ok(!outcome.isError, `${name}: ${JSON.stringify(outcome.facts)}`);
    return { ...outcome, id: String(outcome.facts["id"]), etag: String(outcome.facts["etag"]) };
  }

  /** The refusal, which must be one. */
  async refused(name: string, args: Json = {}): Promise<Json> {
    const { isError, facts } = await this.try(name, args);
    assert.ok(isError, `${name}: ${JSON.stringify(facts)}`);
    return facts;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.client.close();
  }
}
