/**
 * The baseline: a plain node:http server that checks the API key and sends prepared bytes, either the same bytes and headers
 * as Rostrum or, as a minimal server, the same bytes with nothing but their type and length. It reads its settings as one line of JSON from standard input, prints its port, and exits when its input ends.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

export interface BareVariant {
  /** Alternating names and values. */
  headers: string[];
  /** Base64. */
  body: string;
}

export interface BareAnswer {
  path: string;
  etag: string;
  identity: BareVariant;
  gzip: BareVariant;
  notModified: string[];
}

export interface BareSettings {
  key: string;
  /** Prefix of the request ids, which are as long as Rostrum's; null: the responses have none. */
  idPrefix: string | null;
  answers: BareAnswer[];
}

const lines = createInterface({ input: process.stdin });
lines.once("line", (line) => {
  // The parent writes nothing else.
  const { key, idPrefix, answers } = JSON.parse(line) as BareSettings;
  const holders = new Map([[key, "website"]]);
  const prepared = new Map(
    answers.map(({ path, etag, identity, gzip, notModified }) => [
      path,
      { etag, notModified, identity: decoded(identity), gzip: decoded(gzip) },
    ]),
  );
  let requests = 0;
  const server = createServer((req, res) => {
    const secret = req.headers["x-api-key"];
    if (typeof secret !== "string" || !holders.has(secret)) {
      res.writeHead(401).end();
      return;
    }
    const answer = prepared.get(req.url ?? "");
    if (answer === undefined || req.method !== "GET") {
      res.writeHead(404).end();
      return;
    }
    const id = idPrefix === null ? [] : ["X-Request-Id", `${idPrefix}${(++requests).toString(36)}`];
    if (req.headers["if-none-match"] === answer.etag) {
      res.writeHead(304, answer.notModified.concat(id)).end();
      return;
    }
    const { headers, body } = req.headers["accept-encoding"] === "gzip" ? answer.gzip : answer.identity;
    res.writeHead(200, headers.concat(id)).end(body);
  });
  server.keepAliveTimeout = 72_000;
  server.listen(0, "127.0.0.1", () => {
    // A server that listens on TCP has an AddressInfo.
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
  });
  lines.once("close", () => {
    server.close();
    server.closeAllConnections();
  });
});

function decoded({ headers, body }: BareVariant): { headers: string[]; body: Buffer } {
  return { headers, body: Buffer.from(body, "base64") };
}
