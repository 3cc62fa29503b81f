/** What is sent is what openapi.json describes. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { EVENT_KINDS } from "../../src/domain/webhooks/event.ts";
import { composeMessage, messageBody, mintSecret } from "../../src/domain/webhooks/webhook-message.ts";
import { RequestSender } from "../../src/webhooks/http/send-request.ts";
import { AddressGuard, parseCidrs } from "../../src/webhooks/net/ssrf-guard.ts";
import { record, records } from "../helpers/http.ts";
import { assertDescribed, at, OPENAPI } from "./described.ts";

const EVENT_ID = "0198a3b9-0d2e-7f40-9a1b-3c5d7e9f0a2b";
/** What every HTTP/1.1 request has. */
const OF_HTTP = new Set(["connection", "content-length", "host"]);

interface Described {
  kind: string;
  parameters: ReturnType<typeof records>;
  mediaType: string;
  media: ReturnType<typeof record>;
}

const described: Described[] = Object.entries(record(OPENAPI["webhooks"])).map(([kind, item]) => {
  const post = record(record(item)["post"]);
  const [[mediaType, media] = []] = Object.entries(record(record(post["requestBody"])["content"]));
  return { kind, parameters: records(post["parameters"]), mediaType: String(mediaType), media: record(media) };
});

function compose(sequence: number | null, body = "{}") {
  const source = {
    eventId: EVENT_ID,
    sequence,
    attempt: 1,
    body,
    form: "full" as const,
    headers: {},
    secrets: [mintSecret(randomBytes)],
    traceparent: null,
  };
  return composeMessage(source, Date.now(), randomBytes(8)).headers;
}

test("the description has a webhook for each kind of event", () => {
  assert.deepEqual(
    described.map(({ kind }) => kind),
    EVENT_KINDS,
  );
});

test("a message has the headers that the description names, as it describes them, and no other", () => {
  for (const { parameters, mediaType } of described) {
    const { "Content-Type": contentType, ...headers } = compose(14);
    assert.equal(contentType, mediaType);
    assert.deepEqual(
      Object.keys(headers),
      parameters.map(({ name }) => name),
    );
    for (const { name, schema } of parameters) {
      const value = headers[String(name)];
      assertDescribed(schema, record(schema)["type"] === "integer" ? Number(value) : value, String(name));
    }
  }
});

test("only what the description calls optional is missing from a test's message", () => {
  const required = described.map(({ parameters }) =>
    parameters.filter((parameter) => parameter["required"] === true).map(({ name }) => name),
  );
  const { "Content-Type": _, ...headers } = compose(null);
  for (const names of required) assert.deepEqual(Object.keys(headers), names);
});

test("on the wire there is nothing beside them but what every HTTP request has", async () => {
  const received: IncomingMessage["headers"][] = [];
  const server = createServer((req, res) => {
    received.push(req.headers);
    res.writeHead(204).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const guard = new AddressGuard({ allowHttp: true, allowCidrs: parseCidrs("127.0.0.1/32") ?? [] });
    await using sender = new RequestSender({ guard, timeoutMs: 5_000 });
    const { port } = server.address() as AddressInfo;
    const headers = compose(14);
    const url = `http://127.0.0.1:${port}/hook`;
    const { outcome } = await sender.send({ endpointId: "one", url, ca: null, headers, body: "{}" });
    assert.equal(outcome, "success");
    const names = Object.keys(received[0] ?? {}).filter((name) => !OF_HTTP.has(name));
    assert.deepEqual(
      names.toSorted(),
      Object.keys(headers)
        .map((name) => name.toLowerCase())
        .toSorted(),
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("a thin body is what the description says of thin payloads", () => {
  for (const { kind, media } of described) {
    const [example] = Object.values(record(media["examples"])).map((one) => record(one)["$ref"]);
    const full = JSON.stringify(record(at(String(example)))["value"]);
    const thin: unknown = JSON.parse(messageBody(full, "thin", null));
    assertDescribed({ $ref: "#/components/schemas/ThinArticleEvent" }, thin, kind);
    assertDescribed(media["schema"], thin, kind);
  }
});
