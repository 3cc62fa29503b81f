/**
 * Prepared answers: status line's headers and body bytes, once per encoding. An answer is valid for exactly one
 * content version of its website, so nothing ever expires by time. Memory is capped in bytes.
 *
 * A page is kept from its second request on: pages that are asked for once, as by a crawler walking through offsets,
 * do not push out those that are asked for again and again.
 */
import { LRUCache } from "lru-cache";
import { brotliCompress, constants, gzip } from "node:zlib";
import { promisify } from "node:util";

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

export const ENCODINGS = ["identity", "gzip", "br"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Below this a compressed body saves no packet. */
const WORTH_COMPRESSING_BYTES = 1_000;
/** The cap is on what the process grows by: beside the bodies that are kept, those that wait to be collected. */
const BODY_WEIGHT = 2;
const ENTRY_OVERHEAD_BYTES = 2_000;

export interface Variant {
  body: Buffer;
  /** Names and values in turn, ready for `writeHead`, without the request's own. */
  headers: string[];
}

export interface Answer {
  etag: string;
  /** The view that it was read from, and the content version it shows. */
  generation: number;
  version: number;
  /** Whether it depends on one article alone: then it is deleted when that changes, and is valid until then. */
  ofOneArticle: boolean;
  variants: Partial<Record<Encoding, Variant>>;
}

export class ResponseCache {
  readonly #answers: LRUCache<string, Answer>;
  readonly #askedOnce = new LRUCache<string, number>({ max: 4_096 });

  constructor(maxBytes: number) {
    this.#answers = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ variants }, key) => {
        const bytes = Object.values(variants).reduce((sum, { body }) => sum + body.length, 0);
        return Math.ceil(bytes * BODY_WEIGHT) + key.length * 2 + ENTRY_OVERHEAD_BYTES;
      },
    });
  }

  get(key: string): Answer | undefined {
    return this.#answers.get(key);
  }

  /** Whether the key was asked for before at this version; it is remembered for the next time. */
  isAskedAgain(key: string, version: number): boolean {
    if (this.#askedOnce.get(key) === version) return true;
    this.#askedOnce.set(key, version);
    return false;
  }

  set(key: string, answer: Answer): void {
    this.#answers.set(key, answer);
  }

  delete(key: string): void {
    this.#answers.delete(key);
  }

  clear(): void {
    this.#answers.clear();
  }
}

/** The answer in the encoding; compressed at its first use, off the event loop. */
export async function variantOf(answer: Answer, encoding: Encoding, identity: Variant): Promise<Variant> {
  const ready = answer.variants[encoding];
  if (ready !== undefined) return ready;
  const body =
    encoding === "br"
      ? await compressBrotli(identity.body, {
          params: {
            // Of the 11 levels 5 is the last that costs no more than gzip does.
            [constants.BROTLI_PARAM_QUALITY]: 5,
            [constants.BROTLI_PARAM_SIZE_HINT]: identity.body.length,
          },
        })
      : await compressGzip(identity.body, { level: 6 });
  const headers = [...identity.headers, "Content-Encoding", encoding];
  headers[headers.indexOf("Content-Length") + 1] = String(body.length);
  const variant = { body, headers };
  answer.variants[encoding] = variant;
  return variant;
}

/** RFC 9110, section 12.5.3. Brotli is preferred, then gzip, where the client weighs them alike. */
export function chooseEncoding(accepted: string | undefined, bodyBytes: number): Encoding {
  if (accepted === undefined || bodyBytes < WORTH_COMPRESSING_BYTES) return "identity";
  if (accepted === "gzip") return "gzip";
  const weights = new Map(accepted.toLowerCase().split(",").map(weighed));
  const weightOf = (encoding: string) => weights.get(encoding) ?? weights.get("*") ?? 0;
  const br = weightOf("br");
  const gzipped = weightOf("gzip");
  if (br > 0 && br >= gzipped) return "br";
  return gzipped > 0 ? "gzip" : "identity";
}

function weighed(part: string): [name: string, weight: number] {
  const [name = "", ...parameters] = part.split(";");
  const q = /^\s*q=([\d.]+)\s*$/.exec(parameters.at(-1) ?? "")?.[1];
  return [name.trim(), q === undefined ? 1 : Number(q) || 0];
}
