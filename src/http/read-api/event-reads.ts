/** Events (docs/specification.md, 4.3), and a website's state: newest event, and the version that a key reads (4.7). */
import { tooManyRequests } from "./error-responses.ts";
import { parseEventParameters, parseNoParameters } from "./parameters.ts";
import type { Read, SnapshotAnswers } from "./snapshot-answers.ts";
import { eventsEtag, getVersion, newAnswer, stamp, warningHeaders } from "./response-headers.ts";
import { getSearch } from "./routes.ts";
import { presentEvents } from "./serializers.ts";

export async function answerEvents(answers: SnapshotAnswers, read: Read): Promise<void> {
  const { exchange, caller } = read;
  const { after, limit, warnings } = parseEventParameters(getSearch(exchange.url));
  const current = answers.readModel.current(caller.key.websiteId);
  if (current !== undefined && answers.sendUnchanged(exchange, eventsEtag(current))) return;
  if (exchange.isOverLimit) return answers.responder.refuse(exchange, tooManyRequests(caller));
  const { view, events, etag } = await answers.read(read, async (snapshot) => ({
    events: await snapshot.events({ after, limit }),
    view: { ...stamp(snapshot.view), eventSequence: snapshot.view.eventSequence },
    etag: eventsEtag(snapshot.view),
  }));
  if (answers.sendNotModified(exchange, etag)) return;
  const body = presentEvents(events, { after, limit, latest: view.eventSequence });
  answers.send(
    exchange,
    newAnswer("events", etag, body, { view, dependsOn: "website", headers: warningHeaders(warnings) }),
  );
}

export async function answerState(answers: SnapshotAnswers, read: Read): Promise<void> {
  const { exchange, caller } = read;
  const { warnings } = parseNoParameters(getSearch(exchange.url));
  const dependsOn = caller.key.scope === "published" ? "published" : "website";
  const current = await answers.state(read);
  const { eventSequence, language } = current;
  const view = stamp(current);
  const version = getVersion(view, dependsOn);
  const etag = `W/"${version}.e${eventSequence}"`;
  if (answers.sendUnchanged(exchange, etag)) return;
  if (exchange.isOverLimit) return answers.responder.refuse(exchange, tooManyRequests(caller));
  const data = { version, latest_sequence: eventSequence, language };
  const body = Buffer.from(JSON.stringify({ success: true, data }));
  const headers = warningHeaders(warnings);
  answers.send(exchange, newAnswer("state", etag, body, { view, dependsOn, headers }));
}
