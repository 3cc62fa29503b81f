/** The events of a website (docs/specification.md, 4.3). */
import { tooManyRequests } from "./error-responses.ts";
import { parseEventParameters } from "./parameters.ts";
import type { Read, ReadContext } from "./read-context.ts";
import { eventsEtag, newAnswer, stamp, warningHeaders } from "./response-headers.ts";
import { getSearch } from "./routes.ts";
import { presentEvents } from "./serializers.ts";

export async function answerEvents(context: ReadContext, read: Read): Promise<void> {
  const { exchange, caller } = read;
  const { after, limit, warnings } = parseEventParameters(getSearch(exchange.url));
  const current = context.readModel.current(caller.key.websiteId);
  if (current !== undefined && context.sendUnchanged(exchange, eventsEtag(current))) return;
  if (exchange.isOverLimit) return context.responder.refuse(exchange, tooManyRequests(caller));
  const { view, events, etag } = await context.read(read, async (snapshot) => ({
    events: await snapshot.events({ after, limit }),
    view: { ...stamp(snapshot.view), eventSequence: snapshot.view.eventSequence },
    etag: eventsEtag(snapshot.view),
  }));
  if (context.sendNotModified(exchange, etag)) return;
  const body = presentEvents(events, { after, limit, latest: view.eventSequence });
  context.send(
    exchange,
    newAnswer("events", etag, body, { view, dependsOn: "website", headers: warningHeaders(warnings) }),
  );
}
