/** The demonstration's other side: what a website would do that receives webhooks (docs/webhooks.md). */
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Where the demonstration's messages go; the port is any free one. */
export const RECEIVER_URL = /^http:\/\/127\.0\.0\.1:(\d+)\/demo-receiver$/;
const PATH = "/demo-receiver";

export interface Receiver extends AsyncDisposable {
  /** Where it listens, e.g. `http://127.0.0.1:49152${PATH}`. */
  url: string;
  /** From now on it verifies signatures with this secret; until then it answers 503. */
  use(secret: string): void;
}

export interface ReceiverOptions {
  /** The port it had before; another is taken when it is in use. */
  port: number | undefined;
  clock: () => number;
  /** One line for each message that arrives. */
  print: (line: string) => void;
}

/** Receives on the loopback address. */
export async function startReceiver({ port, clock, print }: ReceiverOptions): Promise<Receiver> {
  let secret: string | undefined;
  const server = createServer((req, res) => {
    const now = clock();
    const received = readMessage(req, secret, now).then(({ status, line }) => {
      res.writeHead(status).end();
      return line === null ? undefined : print(line);
    });
    // The sender went away in the middle of its request.
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
  // A server that listens on a port has one.
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

/** Standard Webhooks: HMAC-SHA256 over id, time and the bytes of the body; not older than five minutes. */
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
  // It is signed, so Rostrum wrote it (domain/event.ts).
  const { event, data } = message as { event: string; data: { article_id: string; title?: string } };
  const subject = data.title === undefined ? data.article_id : JSON.stringify(data.title);
  const attempt = headers["webhook-attempt"] === "1" ? "" : `attempt ${String(headers["webhook-attempt"])}  `;
  return `${event.padEnd(19)}${subject}  ${String(headers["webhook-id"])}  ${attempt}signature valid`;
}
