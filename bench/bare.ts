/**
 * The baseline: a plain node:http server that has its responses in memory and sends them with their type and length, or 304 for
 * their ETag. It reads them as one line of JSON from standard input, prints its port, and exits when its input ends.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

export interface BareAnswer {
  path: string;
  etag: string;
  /** Base64. */
  identity: string;
  gzip: string;
}

const lines = createInterface({ input: process.stdin });
lines.once("line", (line) => {
  // The parent writes nothing else.
  const answers = JSON.parse(line) as BareAnswer[];
  const prepared = new Map(
    answers.map(({ path, etag, identity, gzip }) => [
      path,
      { etag, identity: Buffer.from(identity, "base64"), gzip: Buffer.from(gzip, "base64") },
    ]),
  );
  const server = createServer((req, res) => {
    const answer = prepared.get(req.url ?? "");
    if (answer === undefined) {
      res.writeHead(404).end();
    } else if (req.headers["if-none-match"] === answer.etag) {
      res.writeHead(304).end();
    } else if (req.headers["accept-encoding"] === "gzip") {
      const { gzip } = answer;
      const headers = { "Content-Type": TYPE, "Content-Encoding": "gzip", "Content-Length": gzip.length };
      res.writeHead(200, headers).end(gzip);
    } else {
      const { identity } = answer;
      res.writeHead(200, { "Content-Type": TYPE, "Content-Length": identity.length }).end(identity);
    }
  });
  server.listen(0, "127.0.0.1", () => {
    // A server that listens on TCP has an AddressInfo.
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
  });
  lines.once("close", () => {
    server.close();
    server.closeAllConnections();
  });
});

const TYPE = "application/json; charset=utf-8";
