import assert from "node:assert/strict";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import { clientNetwork, Proxies } from "./proxies.ts";

function network(address: string): string {
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: address });
  const request = new IncomingMessage(socket);
  new Proxies("").resolve(request);
  return clientNetwork(request);
}

test("a client's network is its IPv4 address, or the first 64 bits of an IPv6 address, as such networks are written", () => {
  assert.equal(network("203.0.113.7"), "203.0.113.7");
  assert.equal(network("::ffff:203.0.113.7"), "203.0.113.7");
  assert.equal(network("2001:db8:d3f2:109c:1:2:3:4"), "2001:db8:d3f2:109c::/64");
  assert.equal(network("fe80::1%eth0"), "fe80::/64");
});
