/** Any request that is of no protocol: each is an arrival, which is answered in the form that its product expects. */
import { writeReply } from "../../domain/articles/senders/reply.ts";
import {
  authenticate,
  dialectOf,
  findAddresses,
  openSecret,
  receive,
} from "../../operations/articles/senders/receive.ts";
import type { SenderCall, SenderReply } from "./protocol.ts";

/** The same for an unknown sender and a wrong credential. */
const REFUSAL: SenderReply = {
  status: 401,
  headers: { "WWW-Authenticate": "Bearer" },
  body: JSON.stringify({
    error: "Unauthorized",
    message: "This address or its secret is wrong: compare both with what Settings › Senders showed.",
  }),
};

/** Some products ask by GET whether the address answers. */
const CHECKED = { kind: "test", event: null, problem: null, articles: [] } as const;

export async function answerGeneric(call: SenderCall): Promise<SenderReply> {
  const { deps, senderId, request, body } = call;
  const sender = await authenticate(deps, senderId, request, body);
  if (sender === undefined) return REFUSAL;
  const dialect = dialectOf(sender.kind);
  const secret = openSecret(deps, sender);
  if (request.method === "GET" || request.method === "HEAD") {
    return writeReply(dialect, { ...CHECKED, articles: [] }, new Map(), secret);
  }
  const { arrival } = await receive(deps, sender, request, body, call);
  return writeReply(dialect, arrival.outcome, await findAddresses(deps, arrival), secret);
}
