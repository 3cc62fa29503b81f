/** An SMTP server (RFC 5321) on loopback that stores the mails it receives. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { until } from "./until.ts";

export interface ReceivedMail {
  from: string;
  to: string;
  /** Keyed by lower-case name, with folded lines unfolded and encoded words undecoded. */
  headers: Record<string, string>;
  subject: string;
  text: string;
}

/** Overrides the reply to a command; undefined: the default reply. */
export type MailScript = (command: string, argument: string) => string | undefined;

export class MailServer implements AsyncDisposable {
  readonly mails: ReceivedMail[] = [];
  /** The commands as received, without the content of mails. */
  readonly commands: string[] = [];
  script: MailScript = () => undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => this.#talk(socket));
  }

  /** @param port of an earlier server that this one replaces. */
  static async start(port = 0): Promise<MailServer> {
    const server = new MailServer();
    server.#server.listen(port, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** Subjects of the mails to the address, in order. */
  subjectsTo(address: string): string[] {
    return this.mails.filter(({ to }) => to === address).map(({ subject }) => subject);
  }

  /** Waits until this many mails have arrived. */
  async arrival(count: number): Promise<void> {
    await until(`mail ${count}, where ${this.mails.length} came`, () => this.mails.length >= count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #talk(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => this.#sockets.delete(socket));
    const say = (line: string) => socket.write(`${line}\r\n`);
    let rest = "";
    let envelope = { from: "", to: "" };
    let isData = false;
    say("220 mail.test ESMTP");
    socket.on("data", (bytes: Buffer) => {
      rest += bytes.toString("latin1");
      for (;;) {
        const end = isData ? rest.indexOf("\r\n.\r\n") : rest.indexOf("\r\n");
        if (end === -1) return;
        const part = rest.slice(0, end);
        rest = rest.slice(end + (isData ? 5 : 2));
        if (isData) {
          isData = false;
          const answer = this.script("DATA END", part) ?? "250 2.0.0 taken";
          if (answer.startsWith("2")) this.mails.push(parse(`${part}\r\n`, envelope));
          say(answer);
          continue;
        }
        this.commands.push(part);
        const [, command = "", argument = ""] = /^(MAIL FROM|RCPT TO|\w+):?\s*(.*)$/i.exec(part) ?? [];
        const answer = this.script(command.toUpperCase(), argument) ?? usual(command.toUpperCase());
        const address = /<([^>]*)>/.exec(argument)?.[1] ?? "";
        if (command.toUpperCase() === "MAIL FROM") envelope = { from: address, to: "" };
        if (command.toUpperCase() === "RCPT TO") envelope.to = address;
        isData = answer.startsWith("354");
        say(answer);
        if (command.toUpperCase() === "QUIT") socket.end();
      }
    });
  }
}

function usual(command: string): string {
  switch (command) {
    case "EHLO":
      return "250-mail.test\r\n250-AUTH PLAIN\r\n250 ENHANCEDSTATUSCODES";
    case "AUTH":
      return "235 2.7.0 come in";
    case "DATA":
      return "354 go on";
    case "QUIT":
      return "221 2.0.0 bye";
    default:
      return "250 2.0.0 ok";
  }
}

function parse(data: string, { from, to }: { from: string; to: string }): ReceivedMail {
  const end = data.indexOf("\r\n\r\n");
  const head = data.slice(0, end).replaceAll(/\r\n[ \t]+/g, " ");
  const headers = Object.fromEntries(
    head.split("\r\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  // Removes dot stuffing.
  const body = data.slice(end + 4).replaceAll(/^\./gm, "");
  return {
    from,
    to,
    headers,
    subject: decodeWords(headers["subject"] ?? ""),
    text: decodeBody(body, headers["content-transfer-encoding"] ?? "").replaceAll("\r\n", "\n"),
  };
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString();
  return Buffer.from(encoding === "quoted-printable" ? decodeQuoted(body) : body, "latin1").toString();
}

/** Decodes quoted-printable (RFC 2045). @returns bytes. */
function decodeQuoted(text: string): string {
  return text
    .replaceAll(/=\r\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Decodes encoded words (RFC 2047). */
function decodeWords(text: string): string {
  const words = text.replaceAll(/\?=\s+=\?/g, "?==?");
  return words.replaceAll(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_all, kind: string, word: string) =>
    kind.toUpperCase() === "B"
      ? Buffer.from(word, "base64").toString()
      : Buffer.from(decodeQuoted(word.replaceAll("_", " ")), "latin1").toString(),
  );
}
