/** The receiver of the webhooks. For each it reads the article from every node at once, as a website would. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Arrival, EventKind } from "./judge.ts";

export interface Receiver extends AsyncDisposable {
  readonly port: number;
  /** The secrets by endpoint, to be set before its first webhook. */
  readonly secrets: Map<string, string>;
}

interface Message {
  event: EventKind;
  data: { article_id: string; meta_description?: string | null };
}

/** More than the time for which a node is suspended, and less than the error of a wrong clock. */
const MAX_AGE_SECONDS = 60;

/** `answer`: the status for each attempt. `onArrival` is called before the answer is sent. */
export async function startReceiver(
  answer: (endpoint: string) => number,
  onArrival: (arrival: Arrival) => void,
): Promise<Receiver> {
  const secrets = new Map<string, string>();
  const take = async (request: IncomingMessage): Promise<number> => {
    const body = await buffer(request);
    const at = performance.now();
    const endpoint = (request.url ?? "").slice(1);
    const status = answer(endpoint);
    const { event, data } = JSON.parse(body.toString()) as Message;
    onArrival({
      endpoint,
      eventId: header(request, "webhook-id"),
      sequence: Number(header(request, "webhook-sequence")),
      kind: event,
      articleId: data.article_id,
      token: data.meta_description ?? null,
      at,
      status,
      isSignatureValid: isSigned(request, body, secrets.get(endpoint) ?? ""),
    });
    return status;
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      response.writeHead(await take(request)).end();
    } catch {
      // The sender has closed the connection.
      response.destroy();
    }
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    secrets,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Verifies as docs/webhooks.md says, but allows less than the five minutes named there. */
function isSigned(request: IncomingMessage, body: Buffer, secret: string): boolean {
  const ageSeconds = Date.now() / 1_000 - Number(header(request, "webhook-timestamp"));
  if (!(Math.abs(ageSeconds) <= MAX_AGE_SECONDS)) return false;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = createHmac("sha256", key)
    .update(`${header(request, "webhook-id")}.${header(request, "webhook-timestamp")}.`)
    .update(body)
    .digest();
  return header(request, "webhook-signature")
    .split(" ")
    .some((signature) => {
      const given = Buffer.from(signature.replace("v1,", ""), "base64");
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}

function header(request: IncomingMessage, name: string): string {
  return String(request.headers[name] ?? "");
}
