/**
 * Checks whether the links of articles lead anywhere, for people who review them. Addresses are checked like those of
 * pictures; bodies are not read. Results stay in this process. Nobody learns from them what is in the service's
 * network: whatever the reason why no host responds, the result is the same and comes at the same time. It says that the
 * link is broken only if some host has responded lately: without internet, or behind a proxy, none does.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { FairQueue } from "../../domain/system/fair-queue.ts";
import type { LinkCheck } from "../../operations/system/deps.ts";
import { AppError } from "../../domain/system/errors.ts";
import { guardedRequest, redirectTarget, type UrlGuard } from "./guarded-request.ts";

const MAX_CACHED_BYTES = 8_000_000;
const CACHED_MS = 24 * 3_600_000;
/** A page that is missing may soon be there. */
const FAILURE_CACHED_MS = 10 * 60_000;
/** A check that was just made is not repeated. */
const MIN_AGE_MS = 2_000;
const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 5;
/** For this long, a host that has responded shows that this process reaches others. */
const REACHED_MS = 3_600_000;
/** Concurrent checks: of one website at most two, so that no host gets many requests at once. */
const SLOTS = { capacity: 8, perKey: 2, maxWaiting: 300 };

const WAITING: LinkCheck = { state: "waiting", reason: null, leadsTo: null, checkedAt: null };

export class LinkChecker implements Disposable {
  readonly #guard: UrlGuard;
  readonly #now: () => number;
  readonly #timeoutMs: number;
  readonly #stopping = new AbortController();
  /** By `toKey`. */
  readonly #cache = new LRUCache<string, LinkCheck>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ reason, leadsTo }, key) =>
      2 * (key.length + (reason ?? "").length + (leadsTo ?? "").length) + 200,
  });
  readonly #pending = new Set<string>();
  /** When a host responded last. */
  #reachedAt = Number.NEGATIVE_INFINITY;
  readonly #turns = new FairQueue(SLOTS);

  constructor(guard: UrlGuard, now: () => number, timeoutMs = TIMEOUT_MS) {
    this.#guard = guard;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
  }

  check(websiteId: string, link: string, again: boolean): LinkCheck {
    const url = link.replace(/#.*$/s, "");
    const key = toKey(websiteId, url);
    if (this.#pending.has(key)) return WAITING;
    const known = this.#cache.get(key);
    const isRecent = known !== undefined && this.#now() - (known.checkedAt ?? 0) < MIN_AGE_MS;
    if (known !== undefined && (!again || isRecent)) return this.#judge(known);
    if (this.#turns.isFull(websiteId)) {
      if (known !== undefined) return this.#judge(known);
      return { ...WAITING, state: "unclear", reason: "Too many links are waiting; check it again later" };
    }
    this.#pending.add(key);
    void this.#turns.run(websiteId, () => this.#checkNow(key, url));
    return WAITING;
  }

  [Symbol.dispose](): void {
    this.#stopping.abort();
  }

  /** With what is known about the network by now. */
  #judge(check: LinkCheck): LinkCheck {
    if (check.reason !== UNREACHABLE.reason || this.#now() - this.#reachedAt < REACHED_MS) return check;
    return { ...check, state: "unclear", reason: "No host responds; the service may have no internet" };
  }

  async #checkNow(key: string, url: string): Promise<void> {
    let found: Omit<LinkCheck, "checkedAt">;
    const { signal: stopping } = this.#stopping;
    const deadline = sleep(this.#timeoutMs, undefined, { ref: false, signal: stopping }).catch(() => undefined);
    try {
      found = await this.#follow(url, AbortSignal.any([stopping, AbortSignal.timeout(this.#timeoutMs)]));
    } catch (error) {
      const known = explain(error);
      if (known === null) await deadline;
      found = { ...(known ?? UNREACHABLE), leadsTo: null };
    }
    this.#pending.delete(key);
    const isGood = found.state === "reachable" || found.state === "redirected";
    const ttl = isGood ? CACHED_MS : FAILURE_CACHED_MS;
    this.#cache.set(key, { ...found, checkedAt: this.#now() }, { ttl });
  }

  async #follow(first: string, signal: AbortSignal): Promise<Omit<LinkCheck, "checkedAt">> {
    let address = first;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const leadsTo = redirects === 0 ? null : address;
      const url = this.#guard.parseUrl(address);
      let { status, target } = await this.#ask("HEAD", url, signal);
      // Not every host answers HEAD as it answers readers.
      if (status >= 400) ({ status, target } = await this.#ask("GET", url, signal));
      if (target === null)
        return { state: toState(status, redirects), reason: status < 400 ? null : `HTTP ${status}`, leadsTo };
      address = target.replace(/#.*$/s, "");
    }
    return { state: "broken", reason: "Too many redirects", leadsTo: null };
  }

  async #ask(
    method: "GET" | "HEAD",
    url: URL,
    signal: AbortSignal,
  ): Promise<{ status: number; target: string | null }> {
    const response = await guardedRequest(this.#guard, url, { method, accept: "text/html, */*;q=0.8", signal });
    response.destroy();
    this.#reachedAt = this.#now();
    return { status: response.statusCode ?? 0, target: redirectTarget(response, url) };
  }
}

/** Per website: what is known would tell one website which links another has, and a queue would hold up others. */
function toKey(websiteId: string, url: string): string {
  return `${websiteId} ${url}`;
}

function toState(status: number, redirects: number): LinkCheck["state"] {
  if (status === 404 || status === 410) return "broken";
  if (status >= 400) return "unclear";
  return redirects === 0 ? "reachable" : "redirected";
}

const UNREACHABLE = { state: "broken", reason: "The host cannot be reached" } as const;

/** Errors of certificates: readers would get them, too. */
const BAD_CERTIFICATES: ReadonlyMap<unknown, string> = new Map([
  ["CERT_HAS_EXPIRED", "The host’s certificate has expired"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "The host’s certificate is for another name"],
]);

/** Null if no host responded. */
function explain(error: unknown): Pick<LinkCheck, "state" | "reason"> | null {
  if (error instanceof AppError) return { state: "unclear", reason: error.message };
  const reason = error instanceof Error && "code" in error ? BAD_CERTIFICATES.get(error.code) : undefined;
  return reason === undefined ? null : { state: "broken", reason };
}
