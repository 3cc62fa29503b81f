/** Alone in its file, as V8 decides once for each process. */
import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { getCollector } from "../../src/process/collect-garbage.ts";
import { startTestService } from "../helpers/service.ts";

/** Of the objects of one constructor, V8 looks at the first seven: fewer than these have been made when all are collected. */
const BEFORE = 3;

test("requests and responses do not become dictionaries, whenever V8 collects garbage", async () => {
  setFlagsFromString("--allow-natives-syntax");
  // V8's own functions are called by a syntax that TypeScript does not know.
  // oxlint-disable-next-line typescript/no-implied-eval -- the syntax is V8's own, and no import has it
  const hasFastProperties = new Function("object", "return %HasFastProperties(object)") as (object: object) => boolean;
  const collect = getCollector();
  await using service = await startTestService();
  const slow = new Set<string>();
  // Its message has the request and its response.
  subscribe("http.server.request.start", (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (!hasFastProperties(request)) slow.add("request");
    if (!hasFastProperties(response)) slow.add("response");
    if (!hasFastProperties(request.socket)) slow.add("socket");
  });
  for (const requests of [0, BEFORE, 1]) {
    for (let sent = 0; sent < requests; sent++) {
      const reply = await fetch(`${service.url}/healthz`, { headers: { Connection: "close" } });
      await reply.arrayBuffer();
    }
    // The first collections leave what was in use recently.
    for (let times = 0; times < 4; times++) collect({ type: "major", execution: "sync", flavor: "last-resort" });
  }
  for (let sent = 0; sent < 10; sent++) await (await fetch(`${service.url}/healthz`)).arrayBuffer();
  assert.deepEqual([...slow], []);
});
