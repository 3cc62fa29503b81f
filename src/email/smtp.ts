/** Sends emails by SMTP. Only this file uses nodemailer. */
import { createRequire } from "node:module";
import type * as Nodemailer from "nodemailer";
import { AppError } from "../domain/system/errors.ts";
import { foreignLine } from "../domain/system/foreign-text.ts";
import type { Mail, MailOutcome } from "../domain/system/email.ts";

export interface SmtpSettings {
  /** `smtp://` or `smtps://`, with user and password if the server requires them. */
  url: string;
  /** An address, or `Name <address>`. */
  from: string;
}

// An import would load all of node:http (http/server.ts): 8 MB and 0.2 s.
const { createTransport } = createRequire(import.meta.url)("nodemailer") as typeof Nodemailer;

const CONNECT_WITHIN_MS = 10_000;
/** Sending fails after this time without a response from the server. */
const SILENT_MS = 20_000;
const SEND_WITHIN_MS = 60_000;
/** Maximum length of a stored error text from a server, UTF-16 units. */
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

  /** Never rejects. `id`: the email's id, the same for each attempt. */
  async send(
    { to, subject, text, unsubscribe, isOneClick }: Mail,
    id: string,
    signal: AbortSignal,
  ): Promise<MailOutcome> {
    try {
      await this.#transport.sendMail({
        from: this.#from,
        // An object, so that a comma in the address does not make it two.
        to: { name: "", address: to },
        subject,
        text,
        messageId: `<${id}@${getDomain(this.#from)}>`,
        headers: {
          "Auto-Submitted": "auto-generated",
          ...(unsubscribe === undefined ? {} : { "List-Unsubscribe": `<${unsubscribe}>` }),
          ...(isOneClick === true ? { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" } : {}),
        },
        signal: AbortSignal.any([signal, AbortSignal.timeout(SEND_WITHIN_MS)]),
      });
      return { kind: "sent" };
    } catch (error) {
      return toOutcome(error);
    }
  }

  /** Connects and signs in without sending. @returns a sentence. @throws AppError `conflict` when that fails. */
  async tryServer(): Promise<string> {
    try {
      await this.#transport.verify();
      return `${this.#host} takes mails, from ${this.#from}`;
    } catch (error) {
      const why = foreignLine(error instanceof Error ? error.message : String(error), MAX_ERROR);
      throw new AppError("conflict", `${this.#host} refuses mails (${why}): check SMTP_URL.`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    this.#transport.close();
  }
}

/**
 * A response about a recipient or a message affects that mail alone, any other all. Only an unknown address (RFC 3463:
 * 5.1.x) is refused for good: other refusals often come from a misconfigured server.
 */
function toOutcome(error: unknown): MailOutcome {
  const text = foreignLine(error instanceof Error ? error.message : String(error), MAX_ERROR);
  // As nodemailer sets them.
  const { code, command, response } = error as { code?: unknown; command?: unknown; response?: unknown };
  const isOfAddress = code === "EENVELOPE" && (command === "RCPT TO" || /recipient/i.test(text));
  if (isOfAddress && (command === "API" || /^5\d\d[ -]5\.1\./.test(String(response)))) {
    return { kind: "refused", error: text };
  }
  return { kind: "failed", error: text, isAway: !isOfAddress && code !== "EMESSAGE" };
}

function getDomain(from: string): string {
  return /@([^\s>@]+)>?\s*$/.exec(from)?.[1] ?? "localhost";
}
