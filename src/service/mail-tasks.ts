/** Sends e-mails at intervals: those that are queued, and those about what is in people's inboxes. */
import type { App } from "../app/app.ts";
import type { Counter } from "../http/operators/metrics.ts";
import type { Log } from "../process/log.ts";
import { type Repeated, runEvery } from "../process/interval.ts";

const SEND_MAILS_EVERY_MS = 1_000;

interface MailTasks {
  tasks: Repeated[];
  stop(): void;
}

export async function startMailTasks(app: App, log: Pick<Log, "error">, tries: Counter): Promise<MailTasks> {
  const { store, clock, secrets, mail } = app;
  if (mail === null) return { tasks: [], stop: () => undefined };
  const { Outbox } = await import("../operations/system/email-outbox.ts");
  const { NotificationMailer } = await import("../operations/people/notification-mails.ts");
  const onError = (error: unknown, message: string) => log.error(error, message);
  const onTried = (outcome: string) => tries.add(1, outcome);
  const outbox = new Outbox({ deps: { store, clock, secrets, mail }, onError, onTried });
  const mailer = new NotificationMailer({ ...app, mail }, onError);
  return {
    tasks: [
      runEvery(SEND_MAILS_EVERY_MS, () => outbox.poll(), log),
      runEvery(SEND_MAILS_EVERY_MS, async () => void (await mailer.poll()), log),
    ],
    stop: () => outbox.stop(),
  };
}
