/**
 * Writes the heads of responses that were prepared. `writeHead` validates and joins the headers of each response anew,
 * and calculates what node:http adds; here both are strings that are kept, the head's own part with the head and the
 * rest for a second.
 *
 * Internals used: a `ServerResponse` sends the text in `_header` before its body, and no body if `_hasBody` is false. A
 * version of Node that sends something else is recognised at the start; then `writeHead` writes all heads.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Duplex } from "node:stream";
import type { Bucket } from "./rate-limit.ts";

// Not imported: see ../server.ts.
const node = process.getBuiltinModule("node:http");

export class ResponseHead {
  readonly status: number;
  /** Alternating names and values, without those that differ between requests. */
  readonly headers: readonly string[];
  #text: string | undefined;

  constructor(status: number, headers: readonly string[]) {
    this.status = status;
    this.headers = headers;
  }

  /** Status line and headers. */
  get text(): string {
    return (this.#text ??= toText(this.status, this.headers));
  }
}

interface Internals {
  _header: string | null;
  _hasBody: boolean;
}

export interface RequestHeaders {
  requestId: string;
  /** Whose rate limit the response states; null: none. */
  bucket: Bucket | null;
  /** Time of the response, milliseconds since 1970. */
  now: number;
}

export class HeadWriter {
  /** Whether this version of node:http sends a head that was set as text. */
  readonly isSupported: boolean;
  /** The second that `#date` and `#tail` belong to. */
  #second = Number.NaN;
  #date = "";
  /** The end of the head that node:http writes in this second, for HTTP/1.1 on a connection that stays open. */
  #tail: string | undefined;

  constructor(isSupported = sendsTheText()) {
    this.isSupported = isSupported;
  }

  /** The same as `res.writeHead(…)` with all these headers; the head is sent with the body. */
  write(
    req: IncomingMessage,
    res: ServerResponse,
    head: ResponseHead,
    { requestId, bucket, now }: RequestHeaders,
  ): void {
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = new Date(now).toUTCString();
      this.#tail = undefined;
    }
    // HTTP/1.0 and connections that are to be closed have other headers.
    const isUsual = this.isSupported && res.shouldKeepAlive && req.httpVersionMinor === 1;
    if (!isUsual) {
      writeHead(res, head, requestId, bucket, this.#date);
      return;
    }
    const text = `${head.text}X-Request-Id: ${requestId}\r\n${bucket === null ? "" : limitText(bucket)}`;
    if (this.#tail === undefined) {
      writeHead(res, head, requestId, bucket, this.#date);
      this.#tail = textAfter(text, res);
      return;
    }
    if (head.status !== 200) res.statusCode = head.status;
    setHead(res, text + this.#tail, head.status !== 304);
  }
}

function toText(status: number, headers: readonly string[]): string {
  let text = `HTTP/1.1 ${status} ${node.STATUS_CODES[status]}\r\n`;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? "";
    const value = headers[at + 1] ?? "";
    node.validateHeaderName(name);
    node.validateHeaderValue(name, value);
    text += `${name}: ${value}\r\n`;
  }
  // One flat string: V8 keeps the parts as a tree, all over the heap, that each response would walk through.
  return Buffer.from(text, "latin1").toString("latin1");
}

function limitText(bucket: Bucket): string {
  return `RateLimit-Policy: ${bucket.policy}\r\nRateLimit: ${bucket.state}\r\n`;
}

function writeHead(
  res: ServerResponse,
  head: ResponseHead,
  requestId: string,
  bucket: Bucket | null,
  date: string,
): void {
  const headers = [...head.headers, "X-Request-Id", requestId];
  if (bucket !== null) headers.push("RateLimit-Policy", bucket.policy, "RateLimit", bucket.state);
  // Clients use it for `updated_since`, which is compared with the database's clock.
  headers.push("Date", date);
  res.writeHead(head.status, headers);
}

/** @returns undefined if the response's head does not begin with the text. */
function textAfter(text: string, res: ServerResponse): string | undefined {
  const { _header: all } = res as unknown as Internals;
  return all?.startsWith(text) === true ? all.slice(text.length) : undefined;
}

function setHead(res: ServerResponse, text: string, hasBody: boolean): void {
  const internals = res as unknown as Internals;
  internals._header = text;
  if (!hasBody) internals._hasBody = false;
}

/** Whether responses send a head that was set as text just as one from `writeHead`. */
function sendsTheText(): boolean {
  const cases = [
    ["GET", 200],
    ["HEAD", 200],
    ["GET", 304],
  ] as const;
  return cases.every(([method, status]) => {
    const headers = ["Content-Length", "4", "Date", "now"];
    const written = captureResponse(method, (res) => res.writeHead(status, headers));
    const text = `${toText(status, headers)}Connection: keep-alive\r\n\r\n`;
    const set = captureResponse(method, (res) => {
      if (status !== 200) res.statusCode = status;
      setHead(res, text, status !== 304);
    });
    return written !== "" && set === written;
  });
}

/** All that a response sends with this head and a body. */
function captureResponse(method: string, write: (res: ServerResponse) => void): string {
  let sent = "";
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      sent += chunk.toString("latin1");
      done();
    },
  });
  const request = Object.assign(Object.create(node.IncomingMessage.prototype), {
    method,
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    headers: {},
  }) as IncomingMessage;
  const res = new node.ServerResponse(request);
  // A response uses only what all streams have.
  res.assignSocket(socket as unknown as Parameters<ServerResponse["assignSocket"]>[0]);
  write(res);
  if (!res.headersSent) return "";
  if (method === "HEAD" || res.statusCode === 304) res.end();
  else res.end("text", "latin1");
  socket.destroy();
  return sent;
}
