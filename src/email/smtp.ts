/** Hands mails to a server. The only file that knows nodemailer. */
import { createRequire } from "node:module";
import type * as Nodemailer from "nodemailer";
import { AppError } from "../domain/system/errors.ts";
import { foreignLine } from "../domain/system/foreign-text.ts";
import type { Mail, MailOutcome } from "../domain/system/email.ts";

export interface SmtpSettings {
  /** `smtp://` or `smtps://`, with user and password where the server wants them. */
  url: string;
  /** The sender, as `Rostrum <rostrum@example.com>`. */
  from: string;
}

// An import of it imports all of node:http (http/server.ts): 8 MB and 0.2 s.
const { createTransport } = createRequire(import.meta.url)("nodemailer") as typeof Nodemailer;

const CONNECT_WITHIN_MS = 10_000;
/** Without a word from the server it has failed. */
const SILENT_MS = 20_000;
/** A whole mail, below the time for which it is claimed (operations/system/email-outbox.ts). */
const SEND_WITHIN_MS = 60_000;
/** Longest error text kept from a server, UTF-16 units. */
const MAX_ERROR = 1_000;

export class SmtpSender implements Disposable {
  readonly #transport: Nodemailer.Transporter;
  readonly #from: string;
  /** Without user and password. */
  readonly #host: string;

  constructor({ url, from }: SmtpSettings) {
    this.#from = from;
    this.#host = new URL(url).host;
    this.#transport = createTransport({
      url,
      connectionTimeout: CONNECT_WITHIN_MS,
      greetingTimeout: CONNECT_WITHIN_MS,
      dnsTimeout: CONNECT_WITHIN_MS,
      socketTimeout: SILENT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /** Never rejects. `id`: of the mail, the same at each try. */
  async send({ to, subject, text }: Mail, id: string, signal: AbortSignal): Promise<MailOutcome> {
    try {
      await this.#transport.sendMail({
        from: this.#from,
        // As an object: a comma in it must not make two addresses of one.
        to: { name: "", address: to },
        subject,
        text,
        messageId: `<${id}@${domainOf(this.#from)}>`,
        headers: { "Auto-Submitted": "auto-generated" },
        signal: AbortSignal.any([signal, AbortSignal.timeout(SEND_WITHIN_MS)]),
      });
      return { kind: "sent" };
    } catch (error) {
      return outcomeOf(error);
    }
  }

  /** Connects and signs in, and sends nothing. @returns a sentence. @throws AppError `conflict` when that fails. */
  async tryServer(): Promise<string> {
    try {
      await this.#transport.verify();
      return `${this.#host} takes mails, from ${this.#from}`;
    } catch (error) {
      const why = foreignLine(error instanceof Error ? error.message : String(error), MAX_ERROR);
      throw new AppError("conflict", `${this.#host} takes no mails (${why}): check SMTP_URL.`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    this.#transport.close();
  }
}

/**
 * What the server says of a recipient or of a message concerns that mail alone; anything else (its greeting, the sign-in,
 * the sender) all of them. An address that does not exist is refused for good (RFC 3463: 5.1.x). Other refusals are often
 * those of a server that was set up wrong, and are mended.
 */
function outcomeOf(error: unknown): MailOutcome {
  const text = foreignLine(error instanceof Error ? error.message : String(error), MAX_ERROR);
  // As nodemailer makes them.
  const { code, command, response } = error as { code?: unknown; command?: unknown; response?: unknown };
  const isOfAddress = code === "EENVELOPE" && (command === "RCPT TO" || /recipient/i.test(text));
  if (isOfAddress && (command === "API" || /^5\d\d[ -]5\.1\./.test(String(response)))) {
    return { kind: "refused", error: text };
  }
  return { kind: "failed", error: text, isAway: !isOfAddress && code !== "EMESSAGE" };
}

function domainOf(from: string): string {
  return /@([^\s>@]+)>?\s*$/.exec(from)?.[1] ?? "localhost";
}
