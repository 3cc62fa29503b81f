/** Assets in an S3-compatible bucket, by path and AWS Signature Version 4. Files read are cached, once verified. */
import { createHash, createHmac } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../domain/system/errors.ts";
import type { AssetFiles } from "../operations/system/deps.ts";
import { PRIVATE_FILE_MODE, syncFile } from "../store/system/files.ts";
import type { BucketPlace } from "../process/file-places.ts";
import type { FileCache } from "./file-cache.ts";

const TIMEOUT_MS = 30_000;
const ATTEMPTS = 3;
const RETRY_AFTER_MS = 200;
const EMPTY_HASH = createHash("sha256").update("").digest("hex");

export class AssetBucket implements AssetFiles {
  readonly isShared = true;
  readonly #settings: BucketPlace;
  readonly #cache: FileCache;

  constructor(settings: BucketPlace, cache: FileCache) {
    this.#settings = settings;
    this.#cache = cache;
  }

  async put(key: string, path: string): Promise<void> {
    const body = await readFile(path);
    await this.#send("PUT", key, { body });
  }

  async open(key: string): Promise<string | undefined> {
    try {
      return await this.#cache.get(basename(key), (path) => this.#download(key, path));
    } catch (error) {
      if (error instanceof MissingObject) return undefined;
      throw error;
    }
  }

  async has(key: string): Promise<boolean> {
    return (await this.#send("HEAD", key)).status === 200;
  }

  async remove(key: string): Promise<void> {
    await this.#send("DELETE", key);
  }

  async *list(): AsyncGenerator<string> {
    const { prefix } = this.#settings;
    for (let token: string | undefined; ;) {
      const query = { "list-type": "2", prefix, ...(token === undefined ? {} : { "continuation-token": token }) };
      const text = await (await this.#send("GET", null, { query })).text();
      for (const [, key = ""] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) yield unescape(key).slice(prefix.length);
      const [, next] = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(text) ?? [];
      if (next === undefined) return;
      token = unescape(next);
    }
  }

  async #download(key: string, path: string): Promise<void> {
    const response = await this.#send("GET", key);
    if (response.status === 404) throw new MissingObject();
    const bytes = Buffer.from(await response.arrayBuffer());
    const [, hash] = /\/([0-9a-f]{64})\./.exec(key) ?? [];
    if (createHash("sha256").update(bytes).digest("hex") !== hash) {
      throw new Error(`the object ${key} in the bucket is not the file that was put there`);
    }
    await writeFile(path, bytes, { mode: PRIVATE_FILE_MODE });
    syncFile(path);
  }

  /** @returns a response with status 200, 204 or 404. @throws AppError `service_unavailable`. */
  async #send(method: string, key: string | null, { query = {}, body }: Sent = {}): Promise<Response> {
    const { endpoint, bucket, prefix } = this.#settings;
    const path = `/${[bucket, ...(key === null ? [] : [prefix + key])].join("/")}`.split("/").map(encode).join("/");
    const names = Object.keys(query).toSorted();
    const search = names.map((name) => `${encode(name)}=${encode(query[name] ?? "")}`).join("&");
    const url = `${endpoint}${path}${search === "" ? "" : `?${search}`}`;
    let cause: unknown;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        const headers = this.#sign(method, new URL(url), search, body);
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        const response = await fetch(url, { method, headers, signal, redirect: "error", ...(body && { body }) });
        if (response.ok || response.status === 404) return response;
        cause = new Error(
          `the bucket answered ${method} with ${response.status}: ${(await response.text()).slice(0, 500)}`,
        );
        if (response.status < 500 && response.status !== 429) break;
      } catch (error) {
        cause = error;
      }
      await sleep(RETRY_AFTER_MS * attempt);
    }
    throw new AppError(
      "service_unavailable",
      "The pictures cannot be reached at the moment. Try again in a few seconds.",
      {
        cause,
      },
    );
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

interface Sent {
  query?: Record<string, string>;
  body?: Buffer;
}

class MissingObject extends Error {}

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
