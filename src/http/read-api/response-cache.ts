/**
 * The cache of prepared responses: headers and body bytes, once per encoding. A response is valid for exactly one
 * content version of its website, so nothing ever expires by time. Memory is capped in bytes.
 *
 * A page or an article is cached from its second request on, so that one-time requests, such as a crawler's, do not
 * evict what is requested repeatedly. An article's ETag is cached from the first request on, so that a 304 needs no
 * query.
 */
import { LRUCache } from "lru-cache";
import type { KeyScope } from "../../domain/people/api-key.ts";
import type { View } from "../../operations/articles/read-model/views.ts";
import type { Route } from "../operators/metrics.ts";
import type { Encoding } from "../request.ts";
import { ResponseHead } from "./head-writer.ts";

// An import would create all its exports.
const { promisify } = process.getBuiltinModule("node:util");

/** Caps the growth of the process: beside cached bodies, it covers those that wait to be garbage-collected. */
const BODY_WEIGHT = 1.75;
const ENTRY_OVERHEAD_BYTES = 2_000;
/** Copying a larger body takes as long as one write saves. */
const MAX_AS_STRING = 8_000;

/** Bytes, or a string with one character a byte, which node:http writes with the headers: 1.5 µs less of 18. */
export type Body = Buffer | string;

export interface Variant {
  body: Body;
  head: ResponseHead;
}

/** What a response depends on: one article (dropped when it changes), the published ones, or all of the website. */
export type Dependence = "article" | "published" | "website";

export interface CachedResponse {
  route: Route;
  etag: string;
  notModified: ResponseHead;
  /** The generation of the view that it was read from, and the version of its dependence. */
  generation: number;
  version: number;
  dependsOn: Dependence;
  uses: number;
  /** Compressed variants are added on first use. Null: only what a 304 needs is cached. */
  variants: Variants | null;
}

type Variants = { identity: Variant } & Partial<Record<Encoding, Variant>>;

export interface PreparedResponse extends CachedResponse {
  variants: Variants;
}

export function isPrepared(answer: CachedResponse): answer is PreparedResponse {
  return answer.variants !== null;
}

export function isValid(answer: CachedResponse, view: View): boolean {
  if (answer.generation !== view.generation) return false;
  if (answer.dependsOn === "article") return true;
  return answer.version === (answer.dependsOn === "published" ? view.publishedVersion : view.contentVersion);
}

/** The cached answers for the keys of one website and scope. */
export interface Partition {
  readonly answers: Map<string, CachedResponse>;
  /** The website's view as last seen; its `seenAt` tells whether it is current. */
  view: View | undefined;
}

/** Only one in this many uses of an answer updates its place in the LRU cache. */
const USES_PER_TOUCH = 16;

export class ResponseCache {
  readonly #partitions = new Map<string, Partition>();
  readonly #cached: LRUCache<CachedResponse, { partition: Partition; url: string }>;
  readonly #recent = new RecentRequests();

  constructor(maxBytes: number) {
    this.#cached = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ url }, { variants }) => {
        const bytes = Object.values(variants ?? {}).reduce((sum, { body }) => sum + body.length, 0);
        return Math.ceil(bytes * BODY_WEIGHT) + url.length * 2 + ENTRY_OVERHEAD_BYTES;
      },
      dispose: ({ partition, url }, answer) => {
        if (partition.answers.get(url) === answer) partition.answers.delete(url);
      },
      noDisposeOnSet: true,
    });
  }

  partition(websiteId: string, scope: KeyScope): Partition {
    const name = `${websiteId} ${scope}`;
    let partition = this.#partitions.get(name);
    if (partition === undefined) {
      partition = { answers: new Map(), view: undefined };
      this.#partitions.set(name, partition);
    }
    return partition;
  }

  get(partition: Partition, url: string): CachedResponse | undefined {
    const answer = partition.answers.get(url);
    if (answer !== undefined && ++answer.uses % USES_PER_TOUCH === 1) this.#cached.get(answer);
    return answer;
  }

  /** Whether the URL was requested before at this version; records this request. */
  wasRequestedBefore(websiteId: string, url: string, version: number): boolean {
    return this.#recent.add(websiteId, url, version);
  }

  /** Caches the answer; call it again when a variant was added. */
  set(partition: Partition, url: string, answer: CachedResponse): void {
    const earlier = partition.answers.get(url);
    if (earlier !== undefined && earlier !== answer) this.#cached.delete(earlier);
    partition.answers.set(url, answer);
    for (const variant of Object.values(answer.variants ?? {})) {
      const { body } = variant;
      if (typeof body !== "string" && body.length <= MAX_AS_STRING) variant.body = body.toString("latin1");
    }
    this.#cached.set(answer, { partition, url });
    // Too large to be cached at all.
    if (!this.#cached.has(answer)) partition.answers.delete(url);
  }

  /** The size that the cap applies to. */
  get bytes(): number {
    return this.#cached.calculatedSize;
  }

  drop(websiteId: string, scope: KeyScope, url: string): void {
    const answer = this.#partitions.get(`${websiteId} ${scope}`)?.answers.get(url);
    if (answer !== undefined) this.#cached.delete(answer);
  }
}

const RECENT_REQUESTS = 4_096;

/** Hashes of the latest requests; equal ones cache a page too early. Addresses would take ten times as long. */
class RecentRequests {
  readonly #hashes = new Int32Array(RECENT_REQUESTS);

  /** @returns whether it was there already. */
  add(websiteId: string, url: string, version: number): boolean {
    const page = hash(url, hash(websiteId, 0));
    const place = page & (RECENT_REQUESTS - 1);
    const atVersion = Math.imul(page ^ version, MULTIPLIER);
    if (this.#hashes[place] === atVersion) return true;
    this.#hashes[place] = atVersion;
    return false;
  }
}

/** FNV-1a, the last bits of which are as good as the first. */
function hash(text: string, seed: number): number {
  let value = seed ^ OFFSET_BASIS;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), MULTIPLIER);
  return value;
}

const OFFSET_BASIS = 0x811c9dc5;
const MULTIPLIER = 0x01000193;

/** The answer in the encoding, compressed on first use, off the event loop. */
export async function getVariant(answer: PreparedResponse, encoding: Encoding): Promise<Variant> {
  const ready = answer.variants[encoding];
  if (ready !== undefined) return ready;
  const { identity } = answer.variants;
  const bytes = typeof identity.body === "string" ? Buffer.from(identity.body, "latin1") : identity.body;
  const compressed = await compress(bytes, encoding);
  // zlib's result is a slice of a 64 kB chunk, all of which would stay in memory.
  const body = Buffer.allocUnsafeSlow(compressed.length);
  compressed.copy(body);
  const headers = ["Content-Encoding", encoding, ...identity.head.headers];
  headers[headers.indexOf("Content-Length") + 1] = String(body.length);
  const variant = { body, head: new ResponseHead(200, headers) };
  answer.variants[encoding] = variant;
  return variant;
}

function compress(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  // Loaded here, as at a start it would take 3 ms and 1.7 MB.
  const { brotliCompress, constants, gzip } = process.getBuiltinModule("node:zlib");
  if (encoding === "gzip") return promisify(gzip)(bytes, { level: 6 });
  return promisify(brotliCompress)(bytes, {
    params: {
      // The highest of the 11 levels that costs no more than gzip.
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}
