import type { Delivery } from "../../../../src/http/admin/contract/webhooks.ts";

export interface WebhookSearch {
  /** The deliveries shown; absent: all. */
  state?: Delivery["state"] | undefined;
}

export function validateSearch({ state }: Record<string, unknown>): WebhookSearch {
  return typeof state === "string" && isState(state) ? { state } : {};
}

const STATES: Record<Delivery["state"], true> = {
  pending: true,
  delivered: true,
  exhausted: true,
  parked: true,
  coalesced: true,
  skipped: true,
};

function isState(state: string): state is Delivery["state"] {
  return Object.hasOwn(STATES, state);
}
