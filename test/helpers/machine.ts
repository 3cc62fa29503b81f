/** A client of the management API. */
import assert from "node:assert/strict";
import { type ClientRequest, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { TokenScope } from "../../src/domain/people/access-token.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createToken } from "../../src/operations/people/access-tokens.ts";
import { assertDescribed, at, MANAGEMENT } from "../contract/described.ts";
import { Client, type Json, record, type Reply } from "./http.ts";
import type { TestService } from "./service.ts";

const MANAGEMENT_PREFIX = "/api/management";

export interface MachineOptions {
  etag?: string | undefined;
  key?: string;
  headers?: Record<string, string | undefined>;
}

export class Machine implements Disposable {
  readonly #client: Client;
  readonly #secret: string;
  readonly #url: string;
  /** Of the token. */
  readonly id: string;

  constructor(url: string, token: { id: string; secret: string }) {
    this.#client = new Client(url);
    this.#secret = token.secret;
    this.#url = url;
    this.id = token.id;
  }

  static async start(service: TestService, scope: TokenScope = "draft", name = `A ${scope} machine`): Promise<Machine> {
    const input = { name, scope, expiresAt: null };
    const { secret, token } = await createToken(service.app, service.website.id, input, CLI_ORIGIN);
    return new Machine(service.url, { id: token.id, secret });
  }

  /** Waits where the token's rate is used up, as clients do. */
  async send(method: string, path: string, body?: unknown, options: MachineOptions = {}): Promise<Reply> {
    for (;;) {
      const reply = await this.sendOnce(method, path, body, options);
      assertAsDescribed(method, path, reply);
      if (reply.status !== 429) return reply;
      await setTimeout(Number(reply.headers["retry-after"]) * 1000);
    }
  }

  sendOnce(method: string, path: string, body?: unknown, { etag, key, headers }: MachineOptions = {}): Promise<Reply> {
    const isJson = body !== undefined && typeof body !== "string";
    return this.#client.send(MANAGEMENT_PREFIX + path, {
      method,
      headers: {
        Authorization: `Bearer ${this.#secret}`,
        ...(isJson && { "Content-Type": "application/json" }),
        "If-Match": etag === undefined || etag === "*" ? etag : `"${etag}"`,
        "Idempotency-Key": key,
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }

  async json(
    method: string,
    path: string,
    body?: unknown,
    options: MachineOptions & { status?: number } = {},
  ): Promise<Json> {
    const { status = 200, ...others } = options;
    const reply = await this.send(method, path, body, others);
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
    return record(reply.json());
  }

  /** The article of the answer. */
  async article(
    method: string,
    path: string,
    body?: unknown,
    options: MachineOptions & { status?: number } = {},
  ): Promise<Json & { id: string; etag: string }> {
    const article = record((await this.json(method, path, body, options))["article"]);
    return { ...article, id: String(article["id"]), etag: String(article["etag"]) };
  }

  /** A POST that goes on until the caller ends it. */
  open(path: string, type: string, key?: string): ClientRequest {
    const headers = {
      Authorization: `Bearer ${this.#secret}`,
      "Content-Type": type,
      ...(key !== undefined && { "Idempotency-Key": key }),
    };
    return request(this.#url + MANAGEMENT_PREFIX + path, { method: "POST", agent: false, headers });
  }

  async upload(path: string, body: Buffer): Promise<Reply> {
    const headers = { Authorization: `Bearer ${this.#secret}`, "Content-Type": "application/octet-stream" };
    const reply = await this.#client.send(MANAGEMENT_PREFIX + path, { method: "POST", headers, body });
    assertAsDescribed("POST", path, reply);
    return reply;
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }
}

/** The reply is what openapi-management.json says, to the last field. */
function assertAsDescribed(method: string, path: string, reply: Reply): void {
  const what = `${method} ${path}: ${reply.status}`;
  const [address = ""] = (MANAGEMENT_PREFIX + path).split("?");
  const found = Object.entries(record(MANAGEMENT["paths"])).find(([pattern, operations]) => {
    const isMatching = new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(address);
    return isMatching && method.toLowerCase() in record(operations) && (pattern === address || !isNamed(address));
  });
  if (found === undefined) return;
  const operation = record(record(found[1])[method.toLowerCase()]);
  const described = record(operation["responses"])[String(reply.status)];
  assert.ok(described !== undefined, `${what} is not described`);
  const { $ref } = record(described) as { $ref?: string };
  const { content, headers } = record($ref === undefined ? described : at($ref, MANAGEMENT));
  for (const name of ["retry-after", "www-authenticate", "etag", "idempotency-replayed"]) {
    const names = Object.keys(record(headers)).map((one) => one.toLowerCase());
    if (reply.headers[name] !== undefined) assert.ok(names.includes(name), `${what}: ${name} is not described`);
  }
  const type = String(reply.headers["content-type"]).split(";")[0] ?? "";
  const { schema } = record(record(content)[type], what);
  const lines = type === "application/json" ? [reply.text] : reply.text.trim().split("\n");
  for (const line of lines) assertDescribed(schema, JSON.parse(line), what, MANAGEMENT);
}

/** Whether the address is that of a route of its own, which a pattern with an id matches, too. */
function isNamed(address: string): boolean {
  return address in record(MANAGEMENT["paths"]);
}
