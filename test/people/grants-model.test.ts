/**
 * Whoever sees a link can use it, and whoever opens an account may plant what opens it again. Whatever people invite, accept,
 * change and remove, in whatever order: nobody holds more than somebody who could grant it has granted to their own address.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { type Account, getAccountState } from "../../src/domain/people/account.ts";
import { CLI_ORIGIN, type Origin } from "../../src/domain/system/audit.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import { type Grant, ROLES, type Role, roleOn } from "../../src/domain/people/permissions.ts";
import { secretBox } from "../../src/domain/system/secret-box.ts";
import { changePassword, requestReset } from "../../src/operations/people/accounts.ts";
import type { Deps } from "../../src/operations/system/deps.ts";
import {
  addMember,
  changeRole,
  inviteAgain,
  listMembers,
  removeMember,
  setMemberDisabled,
} from "../../src/operations/people/members.ts";
import { findSignedIn, startSession } from "../../src/operations/people/sessions.ts";
import { signIn } from "../../src/operations/people/sign-in.ts";
import { createWebsite } from "../../src/operations/website/websites.ts";
import { acceptLink } from "../../src/operations/people/one-time-links.ts";
import { findAccountByEmail } from "../../src/store/people/accounts.ts";
import { findPasskey, insertPasskey } from "../../src/store/people/passkeys.ts";
import type { Store } from "../../src/store/store.ts";
import { ENGINE, openTestStore } from "../helpers/database.ts";
import { cases, fc } from "../helpers/properties.ts";
import type { Passwords } from "../../src/operations/system/passwords.ts";
import { quickPasswords } from "../helpers/quick-passwords.ts";

const CLIENT = { address: "192.0.2.1", userAgent: "" };

/** Each reads the mailbox of their own address, and always chooses the same password. */
interface Person {
  email: string;
  password: string;
  /** The strongest that was ever granted to their address. */
  granted: Grant[];
  /** Of links that they were shown or sent. */
  links: string[];
  sessions: string[];
  passkeys: string[];
}

type Step =
  | { kind: "add"; by: number; to: number; site: number; role: Role }
  | { kind: "again" | "remove" | "disable" | "enable"; by: number; member: number }
  | { kind: "change"; by: number; member: number; role: Role }
  | { kind: "accept" | "sign-in" | "plant" | "use-passkey" | "new-password"; by: number; which: number; to: number }
  | { kind: "leave"; by: number; site: number }
  | { kind: "command"; to: number; role: Role }
  | { kind: "reset"; to: number };

const PEOPLE = ["owner", "one", "two", "both", "stranger", "other"] as const;
const person = fc.nat(PEOPLE.length - 1);
/** Mostly the one who is nobody yet: it is about several who invite the same address. */
const invitee = fc.oneof({ weight: 4, arbitrary: fc.constant(4) }, { weight: 1, arbitrary: person });
/** Of links and memberships; the newest is 0. */
const which = fc.nat(4);
const role = fc.constantFrom(...ROLES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("add" as const), by: person, to: invitee, site: fc.nat(2), role }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("again", "again", "remove", "disable", "enable"),
      by: person,
      member: which,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("change" as const), by: person, member: which, role }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("accept", "accept", "accept", "sign-in", "plant", "use-passkey", "new-password"),
      by: person,
      which,
      to: invitee,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("command" as const), to: invitee, role }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reset" as const), to: invitee }) },
);

/** What is kept of people; each before those that it refers to. */
const TABLES = ["devices", "passkeys", "one_time_links", "sessions", "memberships", "accounts", "mails", "audit_log"];

let runs = 0;

type ModelDeps = Deps & { passwords: Passwords; later: (work: Promise<void>) => void };

class World {
  readonly people: Person[] = [];
  readonly #deps: ModelDeps;
  readonly #sites: readonly (string | null)[];
  readonly #domain = `${++runs}.example.com`;
  /** What the operations have written for mailboxes; read as the outbox reads it. */
  #mailsRead = new Set<string>();

  constructor(store: Store, sites: readonly string[], hasMail: boolean) {
    const box = secretBox(Buffer.alloc(32, 1), randomBytes);
    let ids = 0;
    // All that these operations use.
    this.#deps = {
      store,
      clock: Date.now,
      newId: () => `${this.#domain} ${++ids}`,
      randomBytes,
      secrets: () => box,
      mail: hasMail ? { base: "https://example.com", send: () => assert.fail("nothing is sent") } : null,
      passwords: quickPasswords(randomBytes),
      later: (work: Promise<void>) => void work.catch(() => undefined),
    } as unknown as ModelDeps;
    this.#sites = [null, ...sites];
  }

  /** The owner of all, those of one website each, one of both, and two who are nobody yet. */
  async begin(): Promise<void> {
    const [, one, two] = this.#sites;
    const begin = [[null], [one], [two], [one, two], [], []];
    for (const [index, sites] of begin.entries()) {
      const name = PEOPLE[index] ?? "";
      const email = `${name}@${this.#domain}`;
      this.people.push({ email, password: `the words of ${name}`, granted: [], links: [], sessions: [], passkeys: [] });
      for (const websiteId of sites) {
        await this.#grant(CLI_ORIGIN, index, websiteId ?? null, "owner");
      }
      if (sites.length > 0) await this.#accept(index, 0);
    }
  }

  /** Takes the step; a refusal is expected, too. */
  async take(one: Step): Promise<void> {
    try {
      await this.#take(one);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }

  async #take(one: Step): Promise<void> {
    const deps = this.#deps;
    switch (one.kind) {
      case "add":
        for (const origin of await this.#origins(one.by)) {
          await this.#grant(origin, one.to, this.#sites[one.site] ?? null, one.role, this.people[one.by]);
        }
        return;
      case "command":
        await this.#grant(CLI_ORIGIN, one.to, null, one.role);
        return;
      case "leave":
        await this.#leave(this.#person(one.by), this.#sites[one.site] ?? null);
        return;
      case "reset": {
        const { token } = await requestReset(deps, this.#person(one.to).email, { withoutTotp: true }, CLI_ORIGIN);
        this.#person(one.to).links.push(token);
        return;
      }
      case "accept":
        await this.#accept(one.by, one.which);
        return;
      case "sign-in": {
        await this.#signIn(this.#person(one.by), this.#person(one.to).email);
        return;
      }
      case "plant":
        for (const { actor } of await this.#origins(one.by)) {
          const id = `passkey ${deps.newId()}`;
          const key = { id, accountId: actor, publicKey: "", counter: 0, transports: [], name: "", createdAt: 0 };
          await deps.store.write((db) => insertPasskey(db, { ...key, lastUsedAt: null }));
          this.#person(one.by).passkeys.push(id);
        }
        return;
      case "use-passkey":
        await this.#usePasskeys(this.#person(one.by));
        return;
      case "new-password":
        for (const token of this.#person(one.by).sessions) {
          const signedIn = await findSignedIn(deps, token);
          if (signedIn === undefined) continue;
          const current = this.#person(one.to).password;
          const next = this.#person(one.by).password;
          const { account, session } = signedIn;
          await changePassword(
            deps,
            { account, sessionId: session.id, device: undefined },
            { current, next },
            CLI_ORIGIN,
          );
        }
        return;
      default:
        await this.#manage(one);
    }
  }

  async #manage(one: Extract<Step, { member: number }>): Promise<void> {
    const members = await this.#members();
    const member = members.at(-1 - (one.member % Math.max(1, members.length)));
    if (member === undefined) return;
    const owner = this.people.find(({ email }) => email === member.email);
    for (const origin of await this.#origins(one.by)) {
      if (one.kind === "remove") await removeMember(this.#deps, member.id, origin);
      else if (one.kind === "disable" || one.kind === "enable") {
        await setMemberDisabled(this.#deps, member.id, one.kind === "disable", origin);
      } else if (one.kind === "change") {
        await changeRole(this.#deps, member.id, one.role, origin);
        owner?.granted.push({ websiteId: member.websiteId, role: one.role });
      } else {
        const { token } = await inviteAgain(this.#deps, member.id, origin);
        if (token !== null) this.people[one.by]?.links.push(token);
        await this.#readMails();
      }
    }
  }

  /** The operator removes a membership. Whoever can still sign in as somebody else keeps what that account was trusted for. */
  async #leave(person: Person, websiteId: string | null): Promise<void> {
    const member = (await this.#members()).find((one) => one.email === person.email && one.websiteId === websiteId);
    if (member === undefined) return;
    await removeMember(this.#deps, member.id, CLI_ORIGIN);
    const signedIn = await Promise.all(person.sessions.map((token) => findSignedIn(this.#deps, token)));
    if (signedIn.some((one) => one !== undefined && one.account.email !== person.email)) return;
    person.granted = person.granted.filter((one) => one.websiteId !== websiteId);
  }

  /** What was granted, whoever sees the link. An operator passes it on to the invited person. */
  async #grant(origin: Origin, to: number, websiteId: string | null, granted: Role, inviter?: Person): Promise<void> {
    const invitee = this.#person(to);
    const input = { email: invitee.email, name: "", role: granted, websiteId };
    const { token } = await addMember(this.#deps, input, origin);
    invitee.granted.push({ websiteId, role: granted });
    if (token !== null) (inviter ?? invitee).links.push(token);
    await this.#readMails();
  }

  async #accept(by: number, index: number): Promise<void> {
    const { links, password, sessions } = this.#person(by);
    const token = links.at(-1 - (index % Math.max(1, links.length)));
    if (token === undefined) return;
    const { started } = await acceptLink(this.#deps, { token, password }, CLIENT);
    if (started !== null) sessions.push(started.token);
  }

  async #signIn({ password, sessions }: Person, email: string): Promise<void> {
    const started = await signIn(this.#deps, { email, password }, CLIENT);
    assert.ok(started !== "needs-code");
    sessions.push(started.token);
  }

  /** Of all people, those who have one. */
  async #accounts(): Promise<(Account | undefined)[]> {
    return this.#deps.store.read((db) => Promise.all(this.people.map(({ email }) => findAccountByEmail(db, email))));
  }

  /** Whether the password of that person is the account's. */
  async #opens({ password }: Person, account: Account | undefined): Promise<boolean> {
    if (account === undefined || getAccountState(account) !== "active") return false;
    return this.#deps.passwords.verify(password, account.passwordHash);
  }

  async #usePasskeys({ passkeys, sessions }: Person): Promise<void> {
    const deps = this.#deps;
    if (passkeys.length === 0) return;
    await deps.store.write(async (db) => {
      for (const id of passkeys) {
        const passkey = await findPasskey(db, id);
        if (passkey === undefined) continue;
        const whose = { accountId: passkey.accountId, device: null };
        sessions.push((await startSession(db, deps, whose, CLIENT, "passkey")).token);
      }
    });
  }

  async #readMails(): Promise<void> {
    const box = this.#deps.secrets();
    const rows = await this.#deps.store.read((db) =>
      db.all("SELECT id, content FROM mails WHERE id LIKE ?", `${this.#domain} %`),
    );
    for (const { id, content } of rows.filter((row) => !this.#mailsRead.has(row.id))) {
      this.#mailsRead.add(id);
      const { to, text } = JSON.parse(box.open(content, id)) as { to: string; text: string };
      const token = /welcome#([\w-]{43})/.exec(text)?.[1];
      if (token !== undefined) this.people.find(({ email }) => email === to)?.links.push(token);
    }
  }

  /** Of every account that they are signed in to. */
  async #origins(index: number): Promise<Origin[]> {
    const ids = new Set<string>();
    for (const token of this.#person(index).sessions) {
      const signedIn = await findSignedIn(this.#deps, token);
      if (signedIn !== undefined) ids.add(signedIn.account.id);
    }
    return [...ids].map((actor) => ({ actor, address: null }));
  }

  /** Each holds, by whatever they can sign in with, no more than what was granted to their address. */
  async check(): Promise<void> {
    // Signing in changes none of what decides who can.
    const accounts = await this.#accounts();
    for (const one of this.people) {
      await this.#usePasskeys(one);
      const earlier = one.sessions;
      one.sessions = [];
      const opened = new Set<string>();
      for (const token of earlier) opened.add((await this.#checkSession(one, token)) ?? "");
      for (const account of accounts) {
        // Another session of an account would show the same memberships.
        if (account === undefined || opened.has(account.id) || !(await this.#opens(one, account))) continue;
        await this.#signIn(one, account.email);
        await this.#checkSession(one, one.sessions.pop() ?? "");
      }
    }
  }

  /** Keeps the session if it is live. @returns its account; undefined if it has ended. */
  async #checkSession(one: Person, token: string): Promise<string | undefined> {
    const signedIn = await findSignedIn(this.#deps, token);
    if (signedIn === undefined) return undefined;
    one.sessions.push(token);
    for (const { websiteId, role: held } of signedIn.memberships) {
      const most = roleOn(one.granted, websiteId);
      assert.ok(
        most !== null && ROLES.indexOf(held) <= ROLES.indexOf(most),
        `${one.email} is ${held} of ${websiteId ?? "every website"} as ${signedIn.account.email}`,
      );
    }
    return signedIn.account.id;
  }

  /** Whatever has happened, the owner of everything, or the operator, can help the person whom the address belongs to. */
  async recover(index: number): Promise<void> {
    const { email, links } = this.#person(index);
    const mine = (await this.#members()).filter((member) => member.email === email);
    if (mine.length === 0) return;
    for (const { id } of mine) await setMemberDisabled(this.#deps, id, false, CLI_ORIGIN);
    const pending = mine.find(({ acceptedAt }) => acceptedAt === null);
    if (pending === undefined) return;
    links.push((await inviteAgain(this.#deps, pending.id, CLI_ORIGIN)).token ?? "");
    await this.#accept(index, 0);
    const account = await this.#deps.store.read((db) => findAccountByEmail(db, email));
    assert.equal(account?.trustedFor, "every");
    const now = (await this.#members()).filter((member) => member.email === email);
    assert.ok(now.every(({ acceptedAt }) => acceptedAt !== null));
    for (const other of this.people.filter((one) => one.email !== email)) {
      assert.equal(await this.#opens(other, account), false, `${other.email} still signs in as ${email}`);
    }
  }

  /** The next one finds nobody: it is as quick as the first. */
  async end(): Promise<void> {
    await this.#deps.store.write(async (db) => {
      for (const table of TABLES) await db.run(`DELETE FROM ${table}`);
    });
  }

  async #members() {
    return (await listMembers(this.#deps, null)).filter(({ email }) => email.endsWith(`@${this.#domain}`));
  }

  #person(index: number): Person {
    const found = this.people[index];
    assert.ok(found !== undefined);
    return found;
  }
}

async function withSites(work: (store: Store, sites: string[]) => Promise<void>): Promise<void> {
  await using opened = await openTestStore();
  let ids = 0;
  const deps = { store: opened.store, clock: Date.now, newId: () => `website-${++ids}`, randomBytes };
  const sites: string[] = [];
  for (const name of ["One", "Two"]) {
    sites.push((await createWebsite(deps, { name, url: null, urlPattern: null }, CLI_ORIGIN)).id);
  }
  await work(opened.store, sites);
}

describe("nobody holds more than somebody with the right to do so has granted to their address", () => {
  for (const hasMail of [false, true]) {
    test(`whatever people do, ${hasMail ? "with mails" : "without mails"}`, () =>
      withSites(async (store, sites) => {
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), fc.nat(5), async (steps, lost) => {
            const world = new World(store, sites, hasMail);
            await world.begin();
            for (const one of steps) {
              await world.take(one);
              await world.check();
            }
            await world.recover(lost);
            await world.check();
            await world.end();
          }),
          { numRuns: cases(60) },
        );
      }));

    test(`every order of three invitations to one address, each accepted at once, late or never, ${hasMail ? "with mails" : "without mails"}`, () =>
      withSites(async (store, sites) => {
        const invitations = [invite(1, 1), invite(2, 2), invite(0, 0), invite(3, 1)];
        for (const [index, order] of permutations(invitations, 3).entries()) {
          for (const early of earlyOnes(index, hasMail)) {
            const world = new World(store, sites, hasMail);
            await world.begin();
            const steps: Step[] = [];
            for (const [index, one] of order.entries()) {
              steps.push(one);
              if ((early >> index) & 1) steps.push(...acceptedBy(one.by));
            }
            for (const one of steps) {
              await world.take(one);
              if (one.kind === "accept") await world.check();
            }
            for (const by of [1, 2, 3, 4]) {
              for (const index of [0, 1, 2, 3]) await world.take(accept(by, index));
            }
            await world.check();
            await world.recover(4);
            await world.check();
            await world.end();
          }
        }
      }));
  }

  test("every order of two invitations to one address, their acceptance, and one inviter's loss of the other's website", () =>
    withSites(async (store, sites) => {
      const narrow: Step[] = [invite(1, 1)];
      const wide: Step[] = [invite(3, 2)];
      const [narrowAccepted, wideAccepted] = [acceptedBy(1), acceptedBy(3)];
      const all = [narrow, wide, narrowAccepted, wideAccepted, [{ kind: "leave", by: 3, site: 1 } as const]];
      for (const order of permutations(all, all.length)) {
        if (order.indexOf(narrowAccepted) < order.indexOf(narrow)) continue;
        if (order.indexOf(wideAccepted) < order.indexOf(wide)) continue;
        const world = new World(store, sites, false);
        await world.begin();
        for (const one of order.flat()) {
          await world.take(one);
          if (one.kind === "accept") await world.check();
        }
        await world.recover(4);
        await world.check();
        await world.end();
      }
    }));
});

/**
 * Of an order's invitations which are accepted at once, as bits. Half of them with mails and the other half without, the
 * other way round for the next order: on SQLite each is tried with every order.
 */
function earlyOnes(order: number, hasMail: boolean): number[] {
  if (ENGINE === "postgres") return [0b000, 0b111];
  return [0b000, 0b001, 0b010, 0b100, 0b111].filter((_bits, at) => (at + order) % 2 === (hasMail ? 0 : 1));
}

function invite(by: number, site: number) {
  return { kind: "add", by, to: 4, site, role: "owner" } as const;
}

function accept(by: number, index: number): Step {
  return { kind: "accept", by, which: index, to: by };
}

/** The inviter uses the link, plants a passkey, and the one who is invited tries, too. */
function acceptedBy(by: number): Step[] {
  return [accept(by, 0), { kind: "plant", by, which: 0, to: 4 }, accept(4, 0)];
}

function permutations<T>(all: readonly T[], length: number): T[][] {
  if (length === 0) return [[]];
  const found: T[][] = [];
  for (const one of all) {
    const others = all.filter((other) => other !== one);
    for (const rest of permutations(others, length - 1)) found.push([one, ...rest]);
  }
  return found;
}
