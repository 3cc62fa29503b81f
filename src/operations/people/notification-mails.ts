/** Sends one e-mail for a burst, or one a day, as each person chose. The first process that locks the person does. */
import { getAccountState } from "../../domain/people/account.ts";
import { mailDueAt } from "../../domain/people/notification.ts";
import type { Millis } from "../../domain/system/time.ts";
import { notificationMail } from "../../domain/people/notification-mail.ts";
import { findAccount } from "../../store/people/accounts.ts";
import { listBursts, lockBurst, takeBurst } from "../../store/people/notifications.ts";
import type { Writer } from "../../store/store.ts";
import { writeMails } from "../system/email-outbox.ts";
import { tryLoadKey } from "../system/secret-check.ts";
import type { Deps, MailDeps, PollingDeps } from "../system/deps.ts";
import { type OnError, catchFailure } from "../system/set-aside.ts";
import { getSettings } from "./notifications.ts";
import { isProtected } from "./second-factors.ts";
import { sealUnsubscribeToken } from "./unsubscribe.ts";

/** Maximum interval between queries: on PostgreSQL some commits do not change the commit counter. */
const ASK_EVERY_MS = 60_000;
/** Minimum interval between queries, so that a busy service does not run one after each commit. */
const MIN_INTERVAL_MS = 10_000;

type MailerDeps = PollingDeps & Pick<Deps, "newId" | "secrets"> & { mail: MailDeps };

export class NotificationMailer {
  readonly #deps: MailerDeps;
  readonly #onError: OnError;
  /** The commit counter at the last query; NaN forces one. */
  #seen = Number.NaN;
  #askedAt: Millis = Number.NEGATIVE_INFINITY;
  /** When the next e-mail is due, or the next query. */
  #nextAt: Millis = 0;

  constructor(deps: MailerDeps, onError: OnError) {
    this.#deps = deps;
    this.#onError = onError;
  }

  /** Writes the e-mails that are due. Call it about once a second. @returns how many. */
  async poll(): Promise<number> {
    const { store, clock } = this.#deps;
    const now = clock();
    const commitCounter = store.commitCounter();
    if (now < this.#nextAt && (commitCounter === this.#seen || now - this.#askedAt < MIN_INTERVAL_MS)) return 0;
    const bursts = await store.read(async (db) => {
      const all = await listBursts(db);
      return Promise.all(all.map(async (burst) => ({ burst, settings: await getSettings(db, burst.accountId) })));
    });
    this.#seen = commitCounter;
    this.#askedAt = now;
    this.#nextAt = now + ASK_EVERY_MS;
    let written = 0;
    for (const { burst, settings } of bursts) {
      await catchFailure(
        async () => {
          const at = mailDueAt(settings, burst.firstAt, burst.lastAt);
          if (at > now) {
            this.#nextAt = Math.min(this.#nextAt, at);
            return;
          }
          if (await store.write((db) => this.#writeMail(db, burst.accountId))) written++;
        },
        (error) => {
          this.#onError(
            error,
            `the notifications of account ${burst.accountId} could not be e-mailed; they will be retried`,
          );
          return Promise.resolve();
        },
      );
    }
    return written;
  }

  /** @returns whether there was anything to write. */
  async #writeMail(db: Writer, accountId: string): Promise<boolean> {
    const { clock, mail } = this.#deps;
    const burst = await lockBurst(db, accountId);
    if (burst === undefined) return false;
    const settings = await getSettings(db, accountId);
    if (mailDueAt(settings, burst.firstAt, burst.lastAt) > clock()) return false;
    const account = await findAccount(db, accountId);
    const news = await takeBurst(db, { accountId, hasSecondFactor: await isProtected(db, accountId) });
    const told = news.filter(({ kind }) => !settings.muted.includes(kind));
    if (account === undefined || getAccountState(account) !== "active" || settings.mail === "never") return false;
    if (told.length === 0) return false;
    const box = tryLoadKey(this.#deps);
    if (box === null) return false;
    const isDaily = settings.mail === "daily";
    const scope = isDaily ? "daily" : [...new Set(told.map(({ kind }) => kind))];
    const token = sealUnsubscribeToken(box, { accountId, email: account.email, scope });
    const content = notificationMail(told, { base: mail.base, isDaily, token });
    return writeMails(db, this.#deps, [{ to: account.email, ...content }], { websiteId: null });
  }
}
