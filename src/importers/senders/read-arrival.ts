/** Understands a request of a sender. */
import type { Understood } from "../../domain/articles/senders/sender.ts";
import type { ReadableArrival } from "../../operations/system/deps.ts";

export function readArrival({ mapping: _mapping }: ReadableArrival): Understood {
  return { kind: "other", event: null, problem: "No article was found.", articles: [] };
}
