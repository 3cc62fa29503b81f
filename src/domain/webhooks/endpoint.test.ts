import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointState, type EndpointState, isEnabled, isParking, shownState } from "./endpoint.ts";

const STATES: Record<EndpointState, { isEnabled: boolean; isParking: boolean }> = {
  sending: { isEnabled: true, isParking: false },
  catching_up: { isEnabled: true, isParking: true },
  paused: { isEnabled: false, isParking: true },
  disabled: { isEnabled: false, isParking: true },
};

for (const [name, expected] of Object.entries(STATES)) {
  test(`an endpoint that is ${name} ${expected.isEnabled ? "is" : "is not"} enabled, and ${expected.isParking ? "parks" : "sends"} new events`, () => {
    const state = endpointState(shownState(name as EndpointState));
    assert.equal(state, name);
    assert.deepEqual({ isEnabled: isEnabled(state), isParking: isParking(state) }, expected);
  });
}

test("an endpoint that is paused or disabled is not catching up, even if its row says so", () => {
  for (const state of ["paused", "disabled"] as const) assert.equal(endpointState({ state, isReplaying: true }), state);
});
