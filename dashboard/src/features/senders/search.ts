import type { ArrivalState } from "../../../../src/http/admin/contract/senders.ts";

export interface SenderSearch {
  /** The arrivals shown; absent: all. */
  state?: ArrivalState | undefined;
}

export function validateSearch({ state }: Record<string, unknown>): SenderSearch {
  return typeof state === "string" && isState(state) ? { state } : {};
}

export interface MappingSearch {
  /** The arrival beside the form; absent: the newest that needs attention, else the newest. */
  arrival?: string | undefined;
}

export function validateMappingSearch({ arrival }: Record<string, unknown>): MappingSearch {
  return typeof arrival === "string" ? { arrival } : {};
}

const STATES: Record<ArrivalState, true> = { waiting: true, stored: true, needs_attention: true, ignored: true };

function isState(state: string): state is ArrivalState {
  return Object.hasOwn(STATES, state);
}
