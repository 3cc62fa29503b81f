/** The version of what a key can read, and the newest event (docs/specification.md, 4.7). */
import { tooManyRequests } from "./error-responses.ts";
import { parseNoParameters } from "./parameters.ts";
import type { Read, ReadContext } from "./read-context.ts";
import { newAnswer, stamp, getVersion, warningHeaders } from "./response-headers.ts";
import { getSearch } from "./routes.ts";

export async function answerState(context: ReadContext, read: Read): Promise<void> {
  const { exchange, caller } = read;
  const { warnings } = parseNoParameters(getSearch(exchange.url));
  const dependsOn = caller.key.scope === "published" ? "published" : "website";
  const current = await context.state(read);
  const { eventSequence, language } = current;
  const view = stamp(current);
  const version = getVersion(view, dependsOn);
  const etag = `W/"${version}.e${eventSequence}"`;
  if (context.sendUnchanged(exchange, etag)) return;
  if (exchange.isOverLimit) return context.responder.refuse(exchange, tooManyRequests(caller));
  const data = { version, latest_sequence: eventSequence, language };
  const body = Buffer.from(JSON.stringify({ success: true, data }));
  const headers = warningHeaders(warnings);
  context.send(exchange, newAnswer("state", etag, body, { view, dependsOn, headers }));
}
