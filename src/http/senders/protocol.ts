/** What answers a sender: the generic route, or a protocol that it takes this address for. */
import type { ArrivalRequest } from "../../domain/articles/senders/sender.ts";
import type { ArrivalDeps, ReceiveOptions } from "../../operations/articles/senders/receive.ts";

/** A request below `/senders/ID`; nothing of it is checked yet but its size and rate. */
export interface SenderCall extends Required<ReceiveOptions> {
  deps: ArrivalDeps;
  senderId: string;
  request: ArrivalRequest;
  /** As it arrived. */
  body: Buffer;
  /** The service's address, such as `https://articles.example.com`; the sender's own is `BASE/senders/ID`. */
  base: string;
}

export interface SenderReply {
  status: number;
  /** `Content-Type` is JSON if it is not among them. */
  headers?: Readonly<Record<string, string>>;
  body: string | Buffer;
}

/** A status of 401 counts as a refusal of its address, whatever its body says. */
export interface Protocol {
  /** Whether a request is of this protocol, by its address alone: an unknown sender is answered in its form, too. */
  isAsked: (request: Pick<ArrivalRequest, "method" | "path" | "query">) => boolean;
  answer: (call: SenderCall) => Promise<SenderReply>;
}
