/** What senders deliver is stored before it is understood, and never twice. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startTestService } from "../helpers/service.ts";
import { newSender } from "./new-sender.ts";

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

const PLAIN = { "X-API-Key": undefined, "Content-Type": "application/json" };

test("an unknown sender and a wrong secret are answered alike, whatever they ask for", async () => {
  const { path } = await newSender(service);
  const unknown = "/senders/00000000000000000000000000000000";
  for (const [method, below, headers] of [
    ["POST", "", {}],
    ["GET", "", {}],
    ["PUT", "/articles/1", { "Content-Type": "text/plain" }],
    ["POST", "/wrong-secret?token=wrong", { Authorization: "Bearer wrong" }],
    ["DELETE", "", { Authorization: "Bearer wrong", "Content-Type": undefined }],
  ] as const) {
    const options = { method, headers: { ...PLAIN, ...headers }, body: method === "GET" ? "" : "{" };
    const [known, other] = [await service.send(path + below, options), await service.send(unknown + below, options)];
    assert.equal(known.status, 401);
    assert.equal(known.text, other.text);
    const names = ["content-type", "www-authenticate", "content-length", "cache-control"];
    for (const name of names) assert.equal(known.headers[name], other.headers[name]);
  }
});

test("an arrival is answered", async () => {
  const { path, secret } = await newSender(service);
  const headers = { ...PLAIN, Authorization: `Bearer ${secret}` };
  const reply = await service.send(path, { method: "POST", headers, body: '{"title":"x"}' });
  assert.equal(reply.status, 200, reply.text);
});
