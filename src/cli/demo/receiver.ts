/** The demonstration's webhook receiver: does what a website that receives webhooks would do (docs/webhooks.md). */
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** URL of the demonstration's webhook; the port is any free one. */
export const RECEIVER_URL = /^http:\/\/127\.0\.0\.1:(\d+)\/demo-receiver$/;
const PATH = "/demo-receiver";

export interface Receiver extends AsyncDisposable {
  url: string;
  /** Sets the secret for verifying signatures; until then the receiver responds 503. */
  use(secret: string): void;
}

export interface ReceiverOptions {
  /** The port of the previous start; another is chosen if it is in use. */
  port: number | undefined;
  clock: () => number;
  print: (line: string) => void;
}

export async function startReceiver({ port, clock, print }: ReceiverOptions): Promise<Receiver> {
  let secret: string | undefined;
  const server = createServer((req, res) => {
    const now = clock();
    const received = readMessage(req, secret, now).then(({ status, line }) => {
      res.writeHead(status).end();
      return line === null ? undefined : print(line);
    });
    // The sender disconnected in the middle of its request.
    received.catch(() => res.destroy());
  });
  const address = await listen(server, port);
  return {
    url: `http://127.0.0.1:${address.port}${PATH}`,
    use: (given) => {
      secret = given;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, port: number | undefined): Promise<AddressInfo> {
  try {
    server.listen(port ?? 0, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    if (port === undefined) throw error;
    return listen(server, undefined);
  }
  // A server that listens on a port has an AddressInfo.
  return server.address() as AddressInfo;
}

async function readMessage(
  req: IncomingMessage,
  secret: string | undefined,
  now: number,
): Promise<{ status: number; line: string | null }> {
  const body = await text(req);
  if (secret === undefined) return { status: 503, line: null };
  if (!isGenuine(req.headers, body, secret, now)) {
    return { status: 401, line: "a message whose signature is not valid, refused with 401" };
  }
  return { status: 204, line: describe(req.headers, JSON.parse(body)) };
}

/** Verifies a Standard Webhooks signature, at most five minutes old. */
function isGenuine(headers: IncomingMessage["headers"], body: string, secret: string, now: number): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key)
    .update(`${String(id)}.${String(timestamp)}.${body}`)
    .digest();
  return String(signatures)
    .split(" ")
    .some((one) => {
      const given = Buffer.from(one.replace(/^v1,/, ""), "base64");
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}

function describe(headers: IncomingMessage["headers"], message: unknown): string {
  // The signature is valid, so Rostrum wrote the message (domain/event.ts).
  const { event, data } = message as { event: string; data: { article_id: string; title?: string } };
  const subject = data.title === undefined ? data.article_id : JSON.stringify(data.title);
  const attempt = headers["webhook-attempt"] === "1" ? "" : `attempt ${String(headers["webhook-attempt"])}  `;
  return `${event.padEnd(19)}${subject}  ${String(headers["webhook-id"])}  ${attempt}signature valid`;
}
