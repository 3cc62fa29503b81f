import assert from "node:assert/strict";
import { test } from "node:test";
import type { Claim } from "../../store/webhooks/claims.ts";
import { HeldClaims } from "./lease-registry.ts";

function claimed(token: string, no: number): Claim {
  const ids = { deliveryId: "d", websiteId: "w", endpointId: "e", articleId: "a", eventId: "v" };
  return { no, token, ...ids, sequence: 1, kind: "article.published", origin: "event", payload: "{}", attempts: 0 };
}

test("a claim is held from before it is made until its last delivery has ended", () => {
  const held = new HeldClaims();
  assert.equal(held.isEmpty, true);
  held.begin("one");
  assert.equal(held.isEmpty, false);
  assert.equal(held.isKnown("one"), true);
  const claims = [claimed("one", 1), claimed("one", 2)];
  held.made(claims);
  for (const claim of claims) {
    assert.equal(held.isKnown("one"), true);
    held.end(claim);
  }
  assert.equal(held.isKnown("one"), false);
  assert.equal(held.isEmpty, true);
});

test("a claim that failed is held no longer; should it stand in the store all the same, nobody knows of it", () => {
  const held = new HeldClaims();
  held.begin("first try");
  held.begin("second try");
  held.made([claimed("second try", 1)]);
  assert.equal(held.isKnown("first try"), false);
  assert.equal(held.isKnown("second try"), true);
});
