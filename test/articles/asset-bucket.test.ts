/** Pictures in a bucket, behind a real HTTP server that checks each signature by AWS's published rules. */
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/config.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { addAsset, openAsset, removeOrphanedFiles } from "../../src/operations/articles/assets/assets.ts";
import { DAY, withClock } from "../helpers/articles.ts";
import { tempFolder } from "../helpers/folder.ts";
import { png } from "../helpers/pictures.ts";
import { makeSite } from "../helpers/site.ts";

const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const PAGE = 2;

class Bucket implements AsyncDisposable {
  readonly objects = new Map<string, Buffer>();
  /** Statuses to answer with before the real one. */
  readonly failures: number[] = [];
  refused = 0;
  readonly #server = createServer((req, res) => void this.#answer(req, res));

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = Buffer.concat(await req.toArray());
    const failure = this.failures.shift();
    if (failure !== undefined) {
      res.writeHead(failure).end("<Error/>");
      return;
    }
    if (!isSigned(req, body)) {
      this.refused++;
      res.writeHead(403).end("<Error><Code>SignatureDoesNotMatch</Code></Error>");
      return;
    }
    const url = new URL(req.url ?? "", "http://x");
    if (url.searchParams.has("list-type")) {
      const prefix = url.searchParams.get("prefix") ?? "";
      const after = url.searchParams.get("continuation-token") ?? "";
      const keys = [...this.objects.keys()].toSorted().filter((key) => key.startsWith(prefix) && key > after);
      const page = keys.slice(0, PAGE);
      const next = keys.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
      res.end(
        `<ListBucketResult>${page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join("")}${next}</ListBucketResult>`,
      );
      return;
    }
    const key = decodeURIComponent(url.pathname).replace(/^\/pictures\//, "");
    const found = this.objects.get(key);
    if (req.method === "PUT") this.objects.set(key, body);
    else if (req.method === "DELETE") this.objects.delete(key);
    else if (found === undefined) res.statusCode = 404;
    res.end(req.method === "GET" ? found : undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

function sha(data: Buffer | string): string {
  return createHash("sha256").update(data).digest("hex");
}

/** As the service says how it computes a signature, from what arrived. */
function isSigned(req: IncomingMessage, body: Buffer): boolean {
  const [, id, date, region, names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/.exec(
      req.headers.authorization ?? "",
    ) ?? [];
  if (id !== "AKID" || date === undefined || region === undefined) return false;
  if (req.headers["x-amz-content-sha256"] !== sha(body)) return false;
  for (const needed of ["host", "x-amz-content-sha256", "x-amz-date"])
    if (!names.split(";").includes(needed)) return false;
  const [path = "", query = ""] = (req.url ?? "").split("?");
  const headers = names.split(";").map((name) => `${name}:${String(req.headers[name]).trim()}\n`);
  const canonical = [req.method, path, query.split("&").toSorted().join("&"), headers.join(""), names, sha(body)].join(
    "\n",
  );
  const toSign = [
    "AWS4-HMAC-SHA256",
    req.headers["x-amz-date"],
    `${date}/${region}/s3/aws4_request`,
    sha(canonical),
  ].join("\n");
  let key: Buffer | string = `AWS4${SECRET}`;
  for (const part of [date, region, "s3", "aws4_request"]) key = createHmac("sha256", key).update(part).digest();
  return createHmac("sha256", key).update(toSign).digest("hex") === signature;
}

test("pictures are kept in a bucket, checked when they are read, and their orphans removed", async () => {
  await using folder = await tempFolder();
  await using bucket = new Bucket();
  const endpoint = await bucket.start();
  const data = folder.at("data");
  const { website } = await makeSite(data);
  const settings = {
    ROSTRUM_DATA_DIR: data,
    ROSTRUM_ASSETS: "s3://pictures/of tea/",
    ROSTRUM_S3_ENDPOINT: endpoint,
    ROSTRUM_S3_REGION: "eu-central-1",
    ROSTRUM_S3_ACCESS_KEY_ID: "AKID",
    ROSTRUM_S3_SECRET_ACCESS_KEY: SECRET,
  };
  const open = (more = {}) => openApp(readConfig({ ...settings, ...more }, folder.path));
  await using app = await open();
  const add = async (side: number) => {
    writeFileSync(folder.at("p.png"), png(side, side));
    return addAsset(app, website, { path: folder.at("p.png"), name: "p.png", alt: "" }, CLI_ORIGIN);
  };
  bucket.failures.push(500, 503);
  const assets = [await add(3), await add(4), await add(5)];
  assert.equal(bucket.objects.size, 3);
  assert.ok([...bucket.objects.keys()].every((key) => key.startsWith(`of tea/${website}/`)));
  const [first, second, third] = assets.map(({ hash }) => hash) as [string, string, string];

  const read = async (hash: string, from = app) => {
    const found = await openAsset(from, website, hash);
    return found && readFileSync(found.path);
  };
  assert.deepEqual(await read(first), png(3, 3));
  bucket.failures.push(500, 500, 500);
  assert.deepEqual(await read(first), png(3, 3), "it is kept on this machine");
  bucket.failures.length = 0;

  const keyOf = (hash: string) => [...bucket.objects.keys()].find((key) => key.includes(hash)) ?? "";
  bucket.objects.set(keyOf(second), png(6, 6));
  await assert.rejects(read(second), /is not the file that was put there/);
  bucket.objects.delete(keyOf(third));
  await assert.rejects(read(third), /is missing/);
  await add(5);
  assert.deepEqual(await read(third), png(5, 5));

  await using stranger = await open({ ROSTRUM_S3_SECRET_ACCESS_KEY: "another" });
  await assert.rejects(stranger.assetFiles.has(`${website}/x`), /cannot be reached/);
  assert.equal(bucket.refused, 1, "a refusal is not repeated");

  await app.store.write((db) => db.run("DELETE FROM assets WHERE hash <> ?", first));
  const later = withClock(app, app.clock() + 31 * DAY);
  assert.equal(await removeOrphanedFiles(later), 2);
  assert.deepEqual([...bucket.objects.keys()], [keyOf(first)]);
});

/** The problems of the settings; empty if there are none. */
function message(settings: Record<string, string>): string {
  try {
    readConfig({ ROSTRUM_ASSETS: "s3://pictures", ...settings }, "/nowhere");
    return "";
  } catch (error) {
    return String(error);
  }
}

test("a bucket needs all its settings", () => {
  assert.match(message({}), /ROSTRUM_S3_ENDPOINT/);
  assert.match(message({ ROSTRUM_S3_ENDPOINT: "https://s3.example.com" }), /ROSTRUM_S3_ACCESS_KEY_ID/);
  const all = {
    ROSTRUM_S3_ENDPOINT: "https://s3.example.com/",
    ROSTRUM_S3_ACCESS_KEY_ID: "a",
    ROSTRUM_S3_SECRET_ACCESS_KEY: "b",
  };
  assert.equal(message(all), "");
  assert.match(message({ ...all, ROSTRUM_ASSETS: "s3:///prefix" }), /ROSTRUM_ASSETS/);
});
