/** A person with a browser: keeps the cookie, and sends what a page of the dashboard sends. */
import assert from "node:assert/strict";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import type { Role } from "../../src/domain/people/permissions.ts";
import { makeSetUpLink } from "../../src/operations/people/invitations.ts";
import { addMember } from "../../src/operations/people/members.ts";
import { Client, type Json, record, type Reply, type SendOptions } from "../helpers/http.ts";
import type { TestService } from "../helpers/service.ts";

export const API = "/dashboard/api";
export const PASSWORD = "seven old lanterns";

export class Browser implements Disposable {
  readonly #client: Client;
  readonly #headers: Record<string, string>;
  /** As it was set, without its attributes. */
  cookie: string | undefined;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.#client = new Client(url);
    this.#headers = headers;
  }

  async send(method: string, path: string, body?: Json, headers: SendOptions["headers"] = {}): Promise<Reply> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const reply = await this.#client.send(API + path, {
      method,
      headers: {
        "Sec-Fetch-Site": "same-origin",
        Cookie: this.cookie,
        // Node leaves the length of what is sent with DELETE out.
        ...(text === undefined
          ? {}
          : { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(text)) }),
        ...this.#headers,
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    });
    const [set] = reply.headers["set-cookie"] ?? [];
    if (set !== undefined) this.cookie = set.includes("Max-Age=0") ? undefined : set.split(";")[0];
    return reply;
  }

  /** As it is, the way that a page sends what was dropped onto it. */
  sendFile(path: string, body: string | Buffer, headers: SendOptions["headers"] = {}): Promise<Reply> {
    const own = { "Sec-Fetch-Site": "same-origin", "Content-Type": "application/octet-stream", Cookie: this.cookie };
    return this.#client.send(API + path, { method: "POST", headers: { ...own, ...this.#headers, ...headers }, body });
  }

  /** Of an answer that must be of that status. */
  async json(method: string, path: string, body?: Json, status = 200): Promise<Json> {
    const reply = await this.send(method, path, body);
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
    return reply.text === "" ? {} : record(reply.json());
  }

  signIn(email: string, password = PASSWORD, code?: string): Promise<Reply> {
    return this.send("POST", "/session", { email, password, ...(code === undefined ? {} : { code }) });
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }
}

export interface People extends Disposable {
  /** A browser that nobody has signed in with. */
  browser(headers?: Record<string, string>): Browser;
  /** The first owner, signed in. Asked again, the same person in another browser. */
  owner(): Promise<Browser>;
  /** Somebody of that role, signed in; null: of every website. */
  person(role: Role, websiteId?: string | null, email?: string): Promise<Browser>;
}

export const OWNER = "owner@example.com";

export function people({ url, app }: Pick<TestService, "url" | "app">): People {
  const opened = new DisposableStack();
  const browser = (headers?: Record<string, string>) => opened.use(new Browser(url, headers));
  return {
    browser,
    owner: async () => {
      const owner = browser();
      const token = await makeSetUpLink(app);
      if (token === null) assert.equal((await owner.signIn(OWNER)).status, 200);
      else await owner.json("POST", "/welcome", { token, email: OWNER, name: "Olga", password: PASSWORD });
      return owner;
    },
    person: async (role, websiteId = null, email = `${role}@example.com`) => {
      const person = browser();
      const { token } = await addMember(app, { email, name: role, role, websiteId }, CLI_ORIGIN);
      await person.json("POST", "/welcome", { token, password: PASSWORD });
      return person;
    },
    [Symbol.dispose]: () => opened.dispose(),
  };
}

/** The token of a link. */
export function tokenOf(link: unknown): string {
  const [, token] = /\/dashboard\/welcome#([\w-]{43})$/.exec(String(link)) ?? [];
  assert.ok(token !== undefined, `no link: ${String(link)}`);
  return token;
}

/** Actions of the audit log, oldest first. */
export async function auditActions(owner: Browser): Promise<string[]> {
  const { entries } = await owner.json("GET", "/audit?limit=200");
  assert.ok(Array.isArray(entries));
  return entries.map((entry) => String(record(entry)["action"])).toReversed();
}
