/** Forwards events from the feed to the developer's URL, one by one, until stopped. */
import { setTimeout as wait } from "node:timers/promises";
import { AppError } from "../../domain/system/errors.ts";
import type { EventKind } from "../../domain/webhooks/event.ts";
import type { Io } from "../command.ts";
import type { EventFeed, FeedAnswer, FeedEvent } from "./feed.ts";
import { forward, type ForwardOptions } from "./forward.ts";

const POLL_EVERY_MS = 1_000;
/** An event can contain an article of 10 MB three times. */
const EVENTS_AT_ONCE = 20;

export interface Follower {
  io: Pick<Io, "out" | "err">;
  feed: EventFeed;
  address: string;
  /** Null: unknown, so the key decides. */
  websiteId: string | null;
  /** Undefined: all kinds. */
  kinds: readonly EventKind[] | undefined;
  signal: AbortSignal;
  forward: ForwardOptions;
}

/** The newest sequence; null when stopped. @throws AppError: so early, no service is more likely a mistake. */
export async function newestSequence(follower: Follower): Promise<number | null> {
  const { feed, address, signal } = follower;
  // The very first event tells which website the key is for.
  const answer = await feed.read(0, { limit: 1, ifNew: false });
  if (signal.aborted) return null;
  if (answer.type === "unavailable") {
    throw new AppError("not_found", `${address} cannot be followed: ${answer.reason}. Check --url.`);
  }
  refuse(follower, answer);
  return answer.type === "page" ? answer.latest : null;
}

/** Forwards new events until stopped. @throws AppError when the key is rejected or is for another website. */
export async function follow(follower: Follower, start: number): Promise<void> {
  const { io, feed, address, signal } = follower;
  let after = start;
  let isAtEnd = false;
  let isLost = false;
  while (!signal.aborted) {
    const answer = await feed.read(after, { limit: EVENTS_AT_ONCE, ifNew: isAtEnd });
    if (signal.aborted) return;
    refuse(follower, answer);
    if (answer.type === "unavailable") {
      if (!isLost) io.err(`${address} does not answer: ${answer.reason}. Trying again every second.\n`);
      isLost = true;
      await pause(answer.waitMs ?? POLL_EVERY_MS, signal);
      continue;
    }
    if (isLost) io.err(`${address} answers again.\n`);
    isLost = false;
    if (answer.type === "page") {
      for (const event of answer.events) {
        if (!(await deliver(follower, event))) return;
        after = event.sequence;
      }
      if (answer.latest < after) {
        // The database was replaced or restored: waiting for the old sequence would miss its new events.
        io.err(`The newest event is ${answer.latest}, before ${after}: following from there.\n`);
        after = answer.latest;
      }
      isAtEnd = !answer.hasMore || answer.events.length === 0;
    }
    if (isAtEnd) await pause(POLL_EVERY_MS, signal);
  }
}

/** @returns false when stopped before the event was accepted. */
async function deliver({ io, kinds, forward: options }: Follower, event: FeedEvent): Promise<boolean> {
  if (kinds !== undefined && !kinds.includes(event.kind)) return true;
  if (event.isContentRemoved) {
    io.err(`${event.sequence}  ${event.kind}  left out: its content was removed\n`);
    return true;
  }
  const accepted = await forward(event, options);
  if (accepted === null) return false;
  io.out(`${event.sequence}  ${event.kind}  ${accepted.status}  ${accepted.ms} ms\n`);
  return true;
}

function refuse({ address, websiteId }: Follower, answer: FeedAnswer): void {
  if (answer.type === "refused") {
    throw new AppError("unauthenticated", `${address} refuses the key: ${answer.reason}`);
  }
  if (answer.type !== "page" || websiteId === null) return;
  const other = answer.events.find((event) => event.websiteId !== websiteId);
  if (other !== undefined) {
    throw new AppError(
      "forbidden",
      `The key is for the website ${other.websiteId}, not for ${websiteId}: use a key of that website.`,
    );
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return wait(ms, undefined, { signal }).catch(() => undefined);
}
