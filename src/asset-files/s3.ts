/** Objects of an S3-compatible bucket, by path and AWS Signature Version 4. */
import { createHash, createHmac } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { BucketPlace } from "../process/settings/file-places.ts";

export interface ListedObject {
  /** Without the prefix. */
  key: string;
  bytes: number;
  /** By the bucket's clock, to the second. */
  modifiedAt: number;
}

/** The bucket refused a request, or did not answer it properly. */
export class BucketError extends Error {
  /** Such as `NoSuchBucket`; null if the bucket did not say. */
  readonly code: string | null;

  constructor(message: string, { code = null, cause }: { code?: string | null; cause?: unknown } = {}) {
    super(message, { cause });
    this.code = code;
  }
}

/** For a request; for a download between two parts of the answer. */
const TIMEOUT_MS = 30_000;
const ATTEMPTS = 3;
const RETRY_AFTER_MS = 200;
const EMPTY_HASH = createHash("sha256").update("").digest("hex");

export class Bucket {
  readonly #settings: BucketPlace;
  readonly #signal: AbortSignal | undefined;

  /** @param signal ends all requests. */
  constructor(settings: BucketPlace, signal?: AbortSignal) {
    this.#settings = settings;
    this.#signal = signal;
  }

  async put(key: string, body: Buffer): Promise<void> {
    await this.#send("PUT", key, { body });
  }

  /** @returns undefined if there is no such object. */
  async get(key: string): Promise<Buffer | undefined> {
    return this.#send("GET", key, { read: async (response) => Buffer.from(await response.arrayBuffer()) });
  }

  /** Writes the object to a new file, however long that takes. @returns false if there is no such object. */
  async download(key: string, path: string): Promise<boolean> {
    const read = async (response: Response, onPart: () => void) => {
      const parts = Readable.fromWeb((response.body ?? new Blob([]).stream()) as never).on("data", onPart);
      await pipeline(parts, createWriteStream(path, { mode: 0o600 }));
      return true;
    };
    return (await this.#send("GET", key, { read })) ?? false;
  }

  async has(key: string): Promise<boolean> {
    return (await this.#send("HEAD", key, { read: () => Promise.resolve(true) })) ?? false;
  }

  async remove(key: string): Promise<void> {
    await this.#send("DELETE", key);
  }

  /** The objects whose keys begin with `under` and come after `after`, by key. */
  async *list(under = "", after?: string): AsyncGenerator<ListedObject> {
    for await (const page of this.#pages({ prefix: under, ...(after !== undefined && { "start-after": after }) })) {
      for (const entry of elements(page, "Contents")) {
        yield {
          key: this.#withoutPrefix(field(entry, "Key")),
          bytes: Number(field(entry, "Size") ?? 0),
          modifiedAt: Date.parse(field(entry, "LastModified") ?? ""),
        };
      }
    }
  }

  /** The names between `under`, which ends with a slash, and the next slash. */
  async listFolders(under: string): Promise<string[]> {
    const folders: string[] = [];
    for await (const page of this.#pages({ prefix: under, delimiter: "/" })) {
      for (const entry of elements(page, "CommonPrefixes")) {
        folders.push(this.#withoutPrefix(field(entry, "Prefix")).slice(under.length, -1));
      }
    }
    return folders;
  }

  async *#pages(query: Record<string, string>): AsyncGenerator<string> {
    const { prefix } = this.#settings;
    const whole = Object.entries(query).map(([name, value]) => [name, name === "delimiter" ? value : prefix + value]);
    for (let token: string | undefined; ;) {
      const next = token === undefined ? {} : { "continuation-token": token };
      const page = await this.#send("GET", null, {
        query: { "list-type": "2", ...Object.fromEntries(whole), ...next },
        read: (response) => response.text(),
      });
      if (page === undefined) throw new BucketError("there is no such bucket", { code: "NoSuchBucket" });
      yield page;
      token = unescape(field(page, "NextContinuationToken") ?? "");
      if (token === "") return;
    }
  }

  #withoutPrefix(key = ""): string {
    return unescape(key).slice(this.#settings.prefix.length);
  }

  /** @returns what `read` returns; undefined if there is no such object. @throws BucketError. */
  async #send<T>(method: string, key: string | null, { query = {}, body, read }: Sent<T> = {}): Promise<T | undefined> {
    const { endpoint, bucket, prefix } = this.#settings;
    const path = `/${[bucket, ...(key === null ? [] : [prefix + key])].join("/")}`.split("/").map(encode).join("/");
    const names = Object.keys(query).toSorted();
    const search = names.map((name) => `${encode(name)}=${encode(query[name] ?? "")}`).join("&");
    const url = `${endpoint}${path}${search === "" ? "" : `?${search}`}`;
    let failure: BucketError | undefined;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const silence = new AbortController();
      const timer = setTimeout(() => silence.abort(new Error(`it was silent for ${TIMEOUT_MS / 1_000} s`)), TIMEOUT_MS);
      try {
        const headers = this.#sign(method, new URL(url), search, body);
        const response = await fetch(url, {
          method,
          headers,
          signal: AbortSignal.any([silence.signal, ...(this.#signal ? [this.#signal] : [])]),
          redirect: "error",
          ...(body && { body }),
        });
        if (response.ok) return await read?.(response, () => void timer.refresh());
        const text = await response.text();
        const code = field(text, "Code") ?? null;
        if (response.status === 404 && code !== "NoSuchBucket") return undefined;
        failure = new BucketError(`the bucket answered ${method} with ${response.status}: ${text.slice(0, 500)}`, {
          code,
        });
        if (response.status < 500 && response.status !== 429) break;
      } catch (error) {
        failure = new BucketError(`the bucket cannot be reached: ${rootMessage(error)}`, { cause: error });
      } finally {
        clearTimeout(timer);
      }
      if (this.#signal?.aborted === true) break;
      await sleep(RETRY_AFTER_MS * attempt);
    }
    throw failure ?? new BucketError("the bucket was not asked");
  }

  #sign(method: string, url: URL, search: string, body: Buffer | undefined): Record<string, string> {
    const { region, accessKeyId, secretAccessKey } = this.#settings;
    const time = new Date().toISOString().replaceAll(/[:-]|\.\d{3}/g, "");
    const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
    const hash = body === undefined ? EMPTY_HASH : createHash("sha256").update(body).digest("hex");
    const signed: Record<string, string> = { host: url.host, "x-amz-content-sha256": hash, "x-amz-date": time };
    const names = Object.keys(signed).join(";");
    const headers = Object.entries(signed).map(([name, value]) => `${name}:${value}\n`);
    const request = [method, url.pathname, search, headers.join(""), names, hash].join("\n");
    const text = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(request).digest("hex")].join("\n");
    const key = scope
      .split("/")
      .reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
    const { host: _host, ...own } = signed;
    return {
      ...own,
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${hmac(key, text).toString("hex")}`,
    };
  }
}

interface Sent<T> {
  query?: Record<string, string>;
  body?: Buffer;
  /** `onPart` is called for each part that arrives. */
  read?: (response: Response, onPart: () => void) => Promise<T>;
}

function field(text: string, name: string): string | undefined {
  return elements(text, name)[0];
}

/** The content of each element of this name. Such elements must not be nested. */
function elements(text: string, name: string): string[] {
  const end = `</${name}>`;
  const [, ...parts] = text.split(`<${name}>`);
  return parts.filter((part) => part.includes(end)).map((part) => part.slice(0, part.indexOf(end)));
}

/** `fetch` says only that it failed; the reason is the innermost cause. */
function rootMessage(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return rootMessage(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : rootMessage(error.cause);
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** Percent-encodes as AWS requires: everything but letters, digits and `-._~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function unescape(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
