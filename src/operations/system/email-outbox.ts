/**
 * The outbox: emails are written in the transaction of the change that they report, and sent afterwards by whichever
 * process comes first. There is no email without its change, and none is lost, however long the mail server is
 * unavailable.
 *
 *     written ──claimed──▶ sending ──sent──▶ deleted
 *        ▲                    │  └──── rejected for good, or expired ──▶ deleted, and logged
 *        └─── some time later ┘ failed
 *
 * An email that always fails for a reason of its own becomes a dead letter, and does not block the others. A claim
 * expires by itself. If a process dies between sending an email and deleting it, the email is sent again with the same
 * Message-ID.
 */
import type { Millis } from "../../domain/system/time.ts";
import { AppError } from "../../domain/system/errors.ts";
import type { Mail, MailOutcome } from "../../domain/system/email.ts";
import { DAY_MS, HOUR_MS } from "../../domain/system/time.ts";
import {
  claimMail,
  deleteMail,
  insertMail,
  nextMails,
  postponeMail,
  type StoredMail,
} from "../../store/system/email-outbox.ts";
import type { Writer } from "../../store/store.ts";
import type { Deps, MailDeps, PollingDeps } from "./deps.ts";
import { type OnError, setAside, catchFailure } from "./set-aside.ts";
import { tryLoadKey } from "./secret-check.ts";

/** Delays after the first, second, … failed attempt; then always the last. */
const WAITS_MS = [10_000, 60_000, 5 * 60_000, 15 * 60_000, HOUR_MS] as const;
/** Index of the longest delay while the mail server is unavailable. */
const MAX_REST = 2;
/** How long an email is worth sending, unless its writer says otherwise. */
const USEFUL_MS = 3 * DAY_MS;
/** Longer than an attempt takes. */
const CLAIM_MS = 2 * 60_000;
const AT_ONCE = 20;
const ASK_EVERY_MS = 60_000;
const LOG_AGAIN_AFTER_MS = 5 * 60_000;
/** How long sends in progress may take to finish when the service stops. */
const GRACE_MS = 5_000;

type WriteDeps = Pick<Deps, "clock" | "newId" | "secrets" | "mail">;

/** Call it in the transaction of the change. @returns false if email is not configured, or its key is unavailable. */
export async function writeMails(
  db: Writer,
  deps: WriteDeps,
  mails: readonly Mail[],
  { websiteId, expiresAt }: { websiteId: string | null; expiresAt?: Millis },
): Promise<boolean> {
  const box = deps.mail === null ? null : tryLoadKey(deps);
  if (box === null) return false;
  const now = deps.clock();
  for (const mail of mails) {
    const id = deps.newId();
    await insertMail(db, {
      id,
      websiteId,
      content: box.seal(JSON.stringify(mail), id),
      createdAt: now,
      expiresAt: expiresAt ?? now + USEFUL_MS,
      tries: 0,
      readyAt: now,
    });
  }
  return true;
}

export interface OutboxOptions {
  deps: PollingDeps & Pick<Deps, "secrets"> & { mail: MailDeps };
  onError: OnError;
  onTried?: (outcome: MailOutcome["kind"]) => void;
}

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #stopping = new AbortController();
  /** The commit counter (`ChangeFeed.commitCounter`) at the last query; NaN forces one. */
  #seen = Number.NaN;
  #nextAt: Millis = 0;
  /** The mail server is not tried before this time. */
  #awayUntil: Millis = 0;
  #failures = 0;
  /** Emails that were sent and may still be in the store. */
  readonly #sent = new Set<string>();
  #lastLoggedAt: Millis = Number.NEGATIVE_INFINITY;
  #isStopping = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Sends the emails that are due. Call it about once a second; it queries nothing while nothing can have changed. */
  async poll(): Promise<void> {
    const { store, clock } = this.#options.deps;
    const now = clock();
    const commitCounter = store.commitCounter();
    if (this.#isStopping || now < this.#awayUntil || (commitCounter === this.#seen && now < this.#nextAt)) return;
    const mails = await store.read((db) => nextMails(db, AT_ONCE));
    const due = mails.filter(({ readyAt }) => readyAt <= now);
    this.#seen = commitCounter;
    // More may be due than were read; failed ones are due later.
    const nextAt = due.length > 0 ? now : (mails[0]?.readyAt ?? Number.POSITIVE_INFINITY);
    this.#nextAt = Math.min(nextAt, now + ASK_EVERY_MS);
    for (const mail of due) {
      if (this.#isStopping || clock() < this.#awayUntil) return;
      await catchFailure(
        () => this.#try(mail),
        (error) => this.#setAside(mail, error),
      );
    }
  }

  /** Starts no more sends, and aborts those in progress after GRACE_MS. */
  stop(): void {
    this.#isStopping = true;
    setTimeout(() => this.#stopping.abort(), GRACE_MS).unref();
  }

  /** Gives up on an email that always fails: deletes it or, if that fails too, never tries it again. */
  async #setAside({ id, websiteId }: StoredMail, error: unknown): Promise<void> {
    const { deps, onError } = this.#options;
    const letter = { kind: "mail", subjectId: id, websiteId, error } as const;
    await setAside(deps, letter, `mail ${id} always fails, and was given up`, onError, (db) => deleteMail(db, id));
    this.#sent.delete(id);
  }

  async #try(mail: StoredMail): Promise<void> {
    const { store, clock, mail: server } = this.#options.deps;
    const isOurs = await store.write((db) => claimMail(db, mail, clock() + CLAIM_MS), { notify: false });
    if (!isOurs) return;
    const outcome = await this.#send(mail, server);
    this.#options.onTried?.(outcome.kind);
    if (outcome.kind === "sent") this.#sent.add(mail.id);
    if (outcome.kind !== "failed" || !outcome.isAway) this.#failures = 0;
    if (outcome.kind !== "sent") this.#logFailure(mail, outcome);
    // An unavailable server is not this email's fault: once the server is back, it is among the first.
    const again =
      outcome.kind === "failed" && outcome.isAway
        ? this.#awayUntil
        : clock() + (WAITS_MS[Math.min(mail.tries, WAITS_MS.length - 1)] ?? HOUR_MS);
    const isOver = outcome.kind !== "failed";
    await store.write((db) => (isOver ? deleteMail(db, mail.id) : postponeMail(db, mail.id, again)), { notify: false });
    this.#sent.delete(mail.id);
  }

  async #send(mail: StoredMail, server: MailDeps): Promise<MailOutcome> {
    const { clock, secrets } = this.#options.deps;
    if (this.#sent.has(mail.id)) return { kind: "sent" };
    if (clock() >= mail.expiresAt) return { kind: "refused", error: "for too long it could not be sent" };
    let content: Mail;
    try {
      // Sealed only by `writeMails`.
      content = JSON.parse(secrets().open(mail.content, mail.id)) as Mail;
    } catch (error) {
      // Another process may have the right key.
      if (error instanceof AppError) return { kind: "failed", error: error.message, isAway: false };
      throw error;
    }
    return server.send(content, mail.id, this.#stopping.signal);
  }

  #logFailure({ id }: StoredMail, outcome: Exclude<MailOutcome, { kind: "sent" }>): void {
    const now = this.#options.deps.clock();
    const error = new Error(outcome.error);
    if (outcome.kind === "refused") this.#options.onError(error, `mail ${id} was given up`);
    else if (!outcome.isAway) this.#options.onError(error, `mail ${id} was not accepted; it is retried`);
    else {
      this.#awayUntil = now + (WAITS_MS[Math.min(this.#failures++, MAX_REST)] ?? 0);
      if (this.#isStopping || now - this.#lastLoggedAt < LOG_AGAIN_AFTER_MS) return;
      this.#lastLoggedAt = now;
      this.#options.onError(error, "the mail server accepts no mails; they are kept and retried");
    }
  }
}
