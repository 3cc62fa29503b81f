import assert from "node:assert/strict";
import { test } from "node:test";
import { nameLookup } from "./dns.ts";

test("a name of the hosts file has the address that stands there", async () => {
  const addresses = await nameLookup()("localhost");
  assert.ok(addresses.length > 0);
  for (const { address } of addresses) assert.match(address, /^(127\.|::1$)/);
});

test("a name that does not exist is an error with the resolver's code", async () => {
  await assert.rejects(nameLookup()("nothing.invalid"), (error: Error & { code?: string }) => error.code !== undefined);
});
