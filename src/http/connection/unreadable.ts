/** Requests that node:http cannot parse: they are answered directly on the socket, which is then closed. */
import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { refusal } from "../errors.ts";

/** How long a client may take to read the error. Destroying the connection at once would lose what is in transit. */
const LINGER_MS = 1_000;

const refused = new WeakSet<Socket>();

export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  // The parser reports errors for everything that follows as well.
  if (refused.has(socket)) return;
  refused.add(socket);
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
  else afterAnswers(socket, () => refuse(error, socket));
}

/** Answers 408 to a request that was begun and not completed in time. */
export function refuseLate(socket: Socket): void {
  refuseUnreadable(Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket);
}

/** Calls `work` when all responses in progress are written: none may be interrupted. */
function afterAnswers(socket: Socket, work: () => void): void {
  // node:http checks the same before it writes an error of its own.
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (socket.destroyed) return;
  if (!answer) work();
  else if (answer.req.complete) answer.once("close", () => afterAnswers(socket, work));
  // The unreadable request is the one being answered, and its handler may be waiting for the rest of it.
  else if (answer.headersSent) socket.destroy();
  else work();
}

function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  const { status, body } =
    error.code === "HPE_HEADER_OVERFLOW"
      ? refusal(431, "The request's address and headers are too large; 16 KiB are allowed in all.")
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? refusal(408, "The request did not arrive in time; send it again.")
        : refusal(400, "This is not a valid HTTP request; check its address and headers.");
  const { head, text } = wholeRefusal(body);
  socket.end(
    `HTTP/1.1 ${status} ${body["error"]}\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${text}`,
  );
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

export function refuseTwoHosts(response: ServerResponse): void {
  const { status, body } = refusal(400, "The request names its host twice; send one Host header.");
  const { head, text } = wholeRefusal(body);
  response.writeHead(status, head.flat()).end(text);
}

function wholeRefusal(body: Record<string, string>): { head: [name: string, value: string][]; text: string } {
  const text = JSON.stringify(body);
  const head: [string, string][] = [
    ["Content-Type", "application/json; charset=utf-8"],
    ["X-Request-Id", randomBytes(8).toString("hex")],
    ["Content-Version", "v1"],
    ["Cache-Control", "private, no-cache"],
    ["Content-Length", String(Buffer.byteLength(text))],
    ["Connection", "close"],
  ];
  return { head, text };
}
