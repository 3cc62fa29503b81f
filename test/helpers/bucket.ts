/**
 * An S3-compatible service with one bucket, on this machine. It checks each signature by AWS's published rules, and does what the pictures'
 * files and Litestream ask of it: objects, both forms of lists, uploads in parts, and deletions of many.
 */
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const KEY_ID = "AKID";
const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

interface StoredObject {
  body: Buffer;
  modifiedAt: number;
}

export class Bucket implements AsyncDisposable {
  /** By key. */
  readonly objects = new Map<string, StoredObject>();
  /** Statuses to answer with before the real one. */
  readonly failures: number[] = [];
  /** Of a list. */
  pageSize = 1_000;
  /** For each answer. */
  delayMs = 0;
  /** It accepts requests, and never answers. */
  isHanging = false;
  /** What its clock says more than this machine's. */
  clockAheadMs = 0;
  /** Requests without a valid signature. */
  refused = 0;
  readonly #name: string;
  #port = 0;
  readonly #parts = new Map<string, Map<number, Buffer>>();
  /** A client that is killed breaks off its request. */
  readonly #server = createServer((req, res) => void this.#answer(req, res).catch(() => res.destroy()));

  constructor(name = "pictures") {
    this.#name = name;
  }

  /** At the same address as before, if it was stopped. @returns the settings for this service. */
  async start(): Promise<Record<string, string>> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return {
      ROSTRUM_S3_ENDPOINT: `http://127.0.0.1:${this.#port}`,
      ROSTRUM_S3_REGION: "eu-central-1",
      ROSTRUM_S3_ACCESS_KEY_ID: KEY_ID,
      ROSTRUM_S3_SECRET_ACCESS_KEY: SECRET,
    };
  }

  keys(prefix = ""): string[] {
    return [...this.objects.keys()].filter((key) => key.startsWith(prefix)).toSorted();
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = Buffer.concat(await req.toArray());
    if (this.isHanging) return;
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    const url = new URL(req.url ?? "", "http://x");
    const [, bucket = "", ...rest] = decodeURIComponent(url.pathname).split("/");
    const failure = this.failures.shift();
    const problem = failure === undefined ? this.#problem(req, body, bucket) : ([failure, "InternalError"] as const);
    if (problem !== null) {
      const [status, code] = problem;
      if (status === 403) this.refused++;
      res.writeHead(status).end(req.method === "HEAD" ? undefined : `<Error><Code>${code}</Code></Error>`);
      return;
    }
    const key = rest.join("/");
    if (key === "" && req.method === "GET") res.end(this.#list(url.searchParams));
    else if (req.method === "POST") res.end(this.#post(key, url.searchParams, body));
    else this.#object(req, res, { key, query: url.searchParams, body });
  }

  #problem(req: IncomingMessage, body: Buffer, bucket: string): readonly [number, string] | null {
    const sent = Date.parse(
      String(req.headers["x-amz-date"]).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z"),
    );
    if (Math.abs(Date.now() + this.clockAheadMs - sent) > 900_000) return [403, "RequestTimeTooSkewed"];
    const signature = checkSignature(req, body);
    if (signature !== null) return [403, signature];
    return bucket === this.#name ? null : [404, "NoSuchBucket"];
  }

  #object(
    req: IncomingMessage,
    res: ServerResponse,
    { key, query, body }: { key: string; query: URLSearchParams; body: Buffer },
  ): void {
    const found = this.objects.get(key);
    if (req.method === "PUT") {
      const upload = query.get("uploadId");
      if (upload === null) this.#save(key, body);
      else this.#parts.get(upload)?.set(Number(query.get("partNumber")), body);
      res.setHeader("etag", `"${sha(body)}"`);
      res.end();
    } else if (req.method === "DELETE") {
      this.objects.delete(key);
      res.writeHead(204).end();
    } else if (found === undefined) {
      res.writeHead(404).end(req.method === "HEAD" ? undefined : "<Error><Code>NoSuchKey</Code></Error>");
    } else {
      res.setHeader("last-modified", new Date(found.modifiedAt).toUTCString());
      res.setHeader("content-length", found.body.length);
      res.end(req.method === "HEAD" ? undefined : found.body);
    }
  }

  #post(key: string, query: URLSearchParams, body: Buffer): string {
    const upload = query.get("uploadId");
    if (query.has("uploads")) {
      const id = `upload-${this.#parts.size + 1}`;
      this.#parts.set(id, new Map());
      return `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`;
    }
    if (upload !== null) {
      const parts = [...(this.#parts.get(upload) ?? [])].toSorted(([one], [other]) => one - other);
      this.#save(key, Buffer.concat(parts.map(([, part]) => part)));
      return `<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>`;
    }
    for (const [, name = ""] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) this.objects.delete(name);
    return "<DeleteResult></DeleteResult>";
  }

  #save(key: string, body: Buffer): void {
    this.objects.set(key, { body, modifiedAt: Date.now() });
  }

  #list(query: URLSearchParams): string {
    const prefix = query.get("prefix") ?? "";
    const delimiter = query.get("delimiter") ?? "";
    const after = query.get("continuation-token") ?? query.get("marker") ?? query.get("start-after") ?? "";
    const entries = new Map<string, string>();
    for (const key of this.keys(prefix)) {
      if (key <= after) continue;
      const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
      const folder = key.slice(0, end + 1);
      if (folder !== "" && folder <= after) continue;
      const { body, modifiedAt } = this.objects.get(key) as StoredObject;
      const time = new Date(Math.floor(modifiedAt / 1_000) * 1_000).toISOString();
      if (folder !== "") entries.set(folder, `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`);
      else {
        entries.set(
          key,
          `<Contents><Key>${key}</Key><LastModified>${time}</LastModified><Size>${body.length}</Size></Contents>`,
        );
      }
    }
    const page = [...entries].slice(0, this.pageSize);
    const last = entries.size > this.pageSize ? page.at(-1)?.[0] : undefined;
    const next =
      last === undefined
        ? ""
        : `<NextContinuationToken>${last}</NextContinuationToken><NextMarker>${last}</NextMarker>`;
    const isCut = `<IsTruncated>${last !== undefined}</IsTruncated>`;
    return `<ListBucketResult>${isCut}${page.map(([, text]) => text).join("")}${next}</ListBucketResult>`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.stop();
  }
}

function sha(data: Buffer | string): string {
  return createHash("sha256").update(data).digest("hex");
}

/** As the service says how it computes a signature, from what arrived. @returns the code of what is wrong. */
function checkSignature(req: IncomingMessage, body: Buffer): string | null {
  const [, id, date = "", region = "", names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      req.headers.authorization ?? "",
    ) ?? [];
  if (id !== KEY_ID) return "InvalidAccessKeyId";
  const hash = String(req.headers["x-amz-content-sha256"]);
  if (hash !== "UNSIGNED-PAYLOAD" && hash !== sha(body)) return "XAmzContentSHA256Mismatch";
  const [path = "", query = ""] = (req.url ?? "").split("?");
  const headers = names.split(";").map((name) => `${name}:${String(req.headers[name]).trim()}\n`);
  const canonical = [
    req.method,
    path,
    query
      .split("&")
      .filter((part) => part !== "")
      .map((part) => (part.includes("=") ? part : `${part}=`))
      .toSorted()
      .join("&"),
    headers.join(""),
    names,
    hash,
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", req.headers["x-amz-date"], `${date}/${region}/s3/aws4_request`, sha(canonical)];
  let key: Buffer | string = `AWS4${SECRET}`;
  for (const part of [date, region, "s3", "aws4_request"]) key = createHmac("sha256", key).update(part).digest();
  const expected = createHmac("sha256", key).update(text.join("\n")).digest("hex");
  return signature === expected ? null : "SignatureDoesNotMatch";
}
