/** Any request that is of no protocol: each is an arrival, which is answered in the form that its product expects. */
import { authenticate, receive } from "../../operations/articles/senders/receive.ts";
import type { SenderCall, SenderReply } from "./protocol.ts";

/** The same for an unknown sender and a wrong credential. */
const REFUSAL: SenderReply = {
  status: 401,
  headers: { "WWW-Authenticate": "Bearer" },
  body: JSON.stringify({
    error: "Unauthorized",
    message: "This address or its secret is wrong: copy both from Settings › Senders.",
  }),
};

export async function answerGeneric(call: SenderCall): Promise<SenderReply> {
  const { deps, senderId, request, body } = call;
  const sender = await authenticate(deps, senderId, request, body);
  if (sender === undefined) return REFUSAL;
  if (request.method === "GET" || request.method === "HEAD") {
    return { status: 200, body: JSON.stringify({ success: true, message: "Send articles by POST." }) };
  }
  const { arrival } = await receive(deps, sender, request, body, call);
  const isFailure = arrival.state === "needs_attention";
  return { status: isFailure ? 422 : 200, body: JSON.stringify({ success: !isFailure }) };
}
