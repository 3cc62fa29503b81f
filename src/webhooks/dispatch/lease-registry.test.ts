import assert from "node:assert/strict";
import { test } from "node:test";
import type { Claim } from "../../store/webhooks/claims.ts";
import { LeaseRegistry } from "./lease-registry.ts";

function claimed(token: string, no: number): Claim {
  const ids = { deliveryId: "d", websiteId: "w", endpointId: "e", articleId: "a", eventId: "v" };
  return {
    no,
    token,
    ...ids,
    sequence: 1,
    kind: "article.published",
    origin: "event",
    payload: Buffer.from("{}"),
    traceparent: null,
    attempts: 0,
  };
}

test("a claim is registered from before it is made until its last delivery has ended", () => {
  const leases = new LeaseRegistry();
  assert.equal(leases.isEmpty, true);
  leases.begin("one");
  assert.equal(leases.isEmpty, false);
  assert.equal(leases.isKnown("one"), true);
  const claims = [claimed("one", 1), claimed("one", 2)];
  leases.made(claims);
  for (const claim of claims) {
    assert.equal(leases.isKnown("one"), true);
    leases.end(claim);
  }
  assert.equal(leases.isKnown("one"), false);
  assert.equal(leases.isEmpty, true);
});

test("a claim that failed is not registered; if the store has it nevertheless, nobody answers for it", () => {
  const leases = new LeaseRegistry();
  leases.begin("first try");
  leases.begin("second try");
  leases.made([claimed("second try", 1)]);
  assert.equal(leases.isKnown("first try"), false);
  assert.equal(leases.isKnown("second try"), true);
});
