/** HTTP/1.1 responses (RFC 9112), one at a time: what could be read in two ways is an error. */

/** Larger headers, or trailers, are an error. */
const MAX_HEADER_BYTES = 16 * 1024;
/** Maximum line with a chunk's size and its extensions. */
const MAX_SIZE_LINE = 1_024;
/** Maximum of all lines around a body's chunks, which could be a thousand times as long as the body. */
const MAX_CHUNK_LINES = 64 * 1024;

/** The response is not HTTP, or too large; the message is shown to the customer. */
export class UnreadableResponse extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnreadableResponse";
  }
}

export interface ResponseHandler {
  /** A status of 1xx. @returns whether to go on. */
  onInterim(status: number): boolean;
  /** Names in lower case. */
  onHead(status: number, headers: ParsedHead["headers"]): void;
  /** `bytes` are overwritten afterwards. @returns whether to go on. */
  onBody(bytes: Buffer): boolean;
}

export interface ParsedHead {
  status: number;
  headers: [name: string, value: string][];
  /** Length of the body; `close`: it lasts until the connection ends. */
  body: number | "chunked" | "close";
  isKeptAlive: boolean;
  /** For how long the receiver keeps an idle connection; null: it does not say. */
  keepAliveMs: number | null;
}

type Part = "head" | "body" | "until close" | "chunk size" | "chunk" | "chunk end" | "trailer" | "done";

export class ResponseParser {
  readonly #handler: ResponseHandler;
  #part: Part = "head";
  /** An incomplete head or line, in Latin-1. */
  #text = "";
  /** Bytes still to come of the body or chunk; of trailers, bytes so far. */
  #left = 0;
  /** Bytes of lines around chunks so far. */
  #lineBytes = 0;
  #head: ParsedHead | undefined;

  constructor(handler: ResponseHandler) {
    this.#handler = handler;
  }

  /** The final head; undefined before it is complete. */
  get head(): ParsedHead | undefined {
    return this.#head;
  }

  /** Prepares for the next response. */
  reset(): void {
    this.#part = "head";
    this.#text = "";
    this.#lineBytes = 0;
    this.#head = undefined;
  }

  /** Reads `length` bytes. @returns how many are the complete response's; null: not yet. @throws UnreadableResponse. */
  read(bytes: Buffer, length: number): number | null {
    let at = 0;
    while (at < length) {
      const next = this.#readPart(bytes, at, length);
      if (next === null) return null;
      at = next;
      if (this.#part === "done") return at;
    }
    return null;
  }

  /** The connection has ended. @returns whether the response is complete. */
  end(): boolean {
    return this.#part === "until close";
  }

  /** @returns where it ends; null: the handler wants no more. */
  #readPart(bytes: Buffer, at: number, length: number): number | null {
    switch (this.#part) {
      case "head":
        return this.#readHead(bytes, at, length);
      case "body":
      case "chunk": {
        const end = Math.min(length, at + this.#left);
        this.#left -= end - at;
        if (this.#left === 0) this.#part = this.#part === "body" ? "done" : "chunk end";
        return this.#handler.onBody(bytes.subarray(at, end)) ? end : null;
      }
      case "until close":
        return this.#handler.onBody(bytes.subarray(at, length)) ? length : null;
      case "chunk size":
        return this.#readLine(bytes, at, length, MAX_SIZE_LINE, (line) => {
          const size = CHUNK_SIZE.exec(line)?.[1];
          if (size === undefined) throw new UnreadableResponse("The size of a chunk cannot be read.");
          this.#left = Number.parseInt(size, 16);
          this.#part = this.#left === 0 ? "trailer" : "chunk";
        });
      case "chunk end":
        return this.#readLine(bytes, at, length, 0, () => (this.#part = "chunk size"));
      case "trailer":
        return this.#readLine(bytes, at, length, MAX_HEADER_BYTES, (line) => {
          this.#left += line.length + 2;
          if (this.#left > MAX_HEADER_BYTES) throw new UnreadableResponse(TOO_LARGE);
          if (line === "") this.#part = "done";
        });
      case "done":
    }
    return null;
  }

  #readHead(bytes: Buffer, at: number, length: number): number | null {
    const before = this.#text.length;
    const text = this.#text + bytes.toString("latin1", at, Math.min(length, at + MAX_HEADER_BYTES + HEAD_END.length));
    // The end may have begun in what came before.
    const end = text.indexOf(HEAD_END, Math.max(0, before - HEAD_END.length));
    if ((end === -1 ? text.length : end) > MAX_HEADER_BYTES) throw new UnreadableResponse(TOO_LARGE);
    if (end === -1) {
      assertBegins(text, before);
      this.#text = text;
      return length;
    }
    this.#text = "";
    const head = parseHead(text.slice(0, end));
    if (head.status < 200) {
      if (!this.#handler.onInterim(head.status)) return null;
    } else {
      this.#head = head;
      this.#left = typeof head.body === "number" ? head.body : 0;
      this.#part = head.body === "chunked" ? "chunk size" : head.body === "close" ? "until close" : "body";
      if (head.body === 0) this.#part = "done";
      this.#handler.onHead(head.status, head.headers);
    }
    return at + end + HEAD_END.length - before;
  }

  /** Calls `onLine` with a complete line of at most `max` characters. */
  #readLine(bytes: Buffer, at: number, length: number, max: number, onLine: (line: string) => void): number {
    const newline = bytes.indexOf(LF, at);
    const end = newline === -1 || newline >= length ? length : newline + 1;
    this.#lineBytes += end - at;
    if (this.#text.length + end - at > max + 2 || this.#lineBytes > MAX_CHUNK_LINES) {
      throw new UnreadableResponse("Lines between chunks are too long.");
    }
    const text = this.#text + bytes.toString("latin1", at, end);
    if (!text.endsWith("\n")) {
      this.#text = text;
      return end;
    }
    if (!text.endsWith("\r\n")) throw new UnreadableResponse("A line between chunks ends without a carriage return.");
    this.#text = "";
    onLine(text.slice(0, -2));
    return end;
  }
}

const LF = 10;
const HEAD_END = "\r\n\r\n";
const BEGINNING = "HTTP/1.";
const TOO_LARGE = `The response headers are larger than ${MAX_HEADER_BYTES / 1024} KiB.`;
const NO_HTTP = "The response is not HTTP/1.1.";
const UNREADABLE_LINE = "A line of the response headers cannot be read.";
const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: |$)/;
const CHUNK_SIZE = /^([\da-f]{1,12})[\t ]*(?:;|$)/i;
/** The name of a header. */
export const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
/** What no line of a head contains. */
export const NO_TEXT = /[^\t\x20-\x7e\x80-\xff]/;

/** `from`: what comes before it was checked. @throws UnreadableResponse as soon as the text cannot become a head. */
function assertBegins(text: string, from: number): void {
  if (!text.startsWith(BEGINNING.slice(0, text.length))) throw new UnreadableResponse(NO_HTTP);
  for (let at = text.indexOf("\n", from); at !== -1; at = text.indexOf("\n", at + 1)) {
    if (text[at - 1] !== "\r") throw new UnreadableResponse(UNREADABLE_LINE);
    if (text.indexOf("\n") === at && !STATUS_LINE.test(text.slice(0, at - 1))) throw new UnreadableResponse(NO_HTTP);
  }
}

/** @param text without the empty line at its end. */
function parseHead(text: string): ParsedHead {
  const lines = text.split("\r\n");
  const [first = ""] = lines;
  const [, minor, digits] = STATUS_LINE.exec(first) ?? [];
  if (digits === undefined || NO_TEXT.test(first)) throw new UnreadableResponse(NO_HTTP);
  const headers = parseHeaders(lines);
  return { status: Number(digits), headers, ...parseFraming(headers, Number(digits), minor === "1") };
}

/** @param lines after the status line. */
function parseHeaders(lines: readonly string[]): ParsedHead["headers"] {
  const headers: ParsedHead["headers"] = [];
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    if (!TOKEN.test(name)) throw new UnreadableResponse(UNREADABLE_LINE);
    if (NO_TEXT.test(line)) throw new UnreadableResponse("A response header contains a control character.");
    headers.push([name.toLowerCase(), trimmed(line, colon + 1)]);
  }
  return headers;
}

/** The line from `from` on without the blanks and tabs around. */
function trimmed(line: string, from: number): string {
  let [start, end] = [from, line.length];
  while (start < end && isBlank(line.charCodeAt(start))) start++;
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--;
  return line.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** How the body ends (RFC 9112, section 6.3), and whether the connection outlasts it. */
function parseFraming(
  headers: ParsedHead["headers"],
  status: number,
  isPersistent: boolean,
): Pick<ParsedHead, "body" | "isKeptAlive" | "keepAliveMs"> {
  let length: number | null = null;
  let coding: string | null = null;
  let isKeptAlive = isPersistent;
  let isClosed = false;
  let keepAliveMs: number | null = null;
  for (const [name, value] of headers) {
    if (name === "content-length") {
      if (length !== null || !/^\d{1,15}$/.test(value)) throw new UnreadableResponse("Content-Length cannot be read.");
      length = Number(value);
    } else if (name === "transfer-encoding") {
      coding = coding === null ? value : `${coding}, ${value}`;
    } else if (name === "connection") {
      const options = value.toLowerCase().split(",");
      for (const option of options) {
        if (option.trim() === "close") isClosed = true;
      }
      if (value.toLowerCase() === "keep-alive") isKeptAlive = true;
    } else if (name === "keep-alive") {
      const seconds = /timeout=(\d{1,9})/i.exec(value)?.[1];
      if (seconds !== undefined) keepAliveMs = Number(seconds) * 1_000;
    }
  }
  if (length !== null && coding !== null) {
    throw new UnreadableResponse("The response has both Content-Length and Transfer-Encoding.");
  }
  const isEmpty = status < 200 || status === 204 || status === 304;
  // A body may follow nevertheless, which would be read as the next response; HTTP/1.0 has no chunks.
  if (isEmpty ? coding !== null || (length ?? 0) > 0 : coding !== null && !isPersistent) isClosed = true;
  const body = isEmpty
    ? 0
    : (length ?? (coding !== null && /(?:^|,)[\t ]*chunked$/i.test(coding) ? "chunked" : "close"));
  return { body, isKeptAlive: isKeptAlive && !isClosed && body !== "close", keepAliveMs };
}
