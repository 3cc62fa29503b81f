import { openFor } from "../system/databases.ts";
import { isoTime, isoTimeOrNull, parseIsoTime } from "../../domain/system/time.ts";
import type { Attempt } from "../../domain/webhooks/attempt.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import { DELIVERY_STATES } from "../../domain/webhooks/delivery.ts";
import { type DeliveryWithAttempts, listDeliveries, testEndpoint } from "../../operations/webhooks/deliveries.ts";
import * as replays from "../../operations/webhooks/replays.ts";
import { type Command, parseChoice, parseOptions, required, UsageError } from "../command.ts";
import { confirm, writeTable } from "../output.ts";
import { requireId, parseWhole, warnUnlessServing, WEBHOOK_ID } from "./input.ts";

const DEFAULT_LIMIT = 50;
const MAX_ROWS = 1_000;

export const testCommand: Command = {
  summary: "send a test event and show the response",
  help: `Usage: rostrum webhook test ID [--json]

Sends one signed message now, also to a webhook that is paused or disabled: the newest published article once more or, if
there is none, the deletion of an article that never existed. The exit code is 0 if it was delivered, else 1.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, [WEBHOOK_ID]);
    await using app = await openFor(io);
    const tested = await testEndpoint(app, requireId(positionals), CLI_ORIGIN);
    const isDelivered = tested.delivery.state === "delivered";
    if (values.json) {
      io.out(`${JSON.stringify(present(tested))}\n`);
    } else {
      const last = tested.attempts.at(-1);
      const ms = Math.round(last?.timings.total ?? 0);
      const status = last?.status ?? null;
      io.out(
        isDelivered
          ? `Delivered: ${status} after ${ms} ms.\n`
          : `Not delivered${status === null ? "" : `: ${status}`} after ${ms} ms. ${last?.error ?? ""}\n`,
      );
    }
    return isDelivered ? 0 : 1;
  },
};

export const deliveries: Command = {
  summary: "show what was sent to a webhook, and every attempt",
  help: `Usage: rostrum webhook deliveries ID [--state ${DELIVERY_STATES.join("|")}]
                                  [--limit N] [--json]

Lists the newest deliveries first, tests included. --json has each attempt with its request, response and timing.

  --state  only those
  --limit  how many, at most ${MAX_ROWS} (default: ${DEFAULT_LIMIT})`,
  async run(args, io) {
    const { values, positionals } = parseOptions(
      args,
      { state: { type: "string" }, limit: { type: "string" }, json: { type: "boolean" } },
      [WEBHOOK_ID],
    );
    const state = parseChoice(values.state, DELIVERY_STATES, "state");
    const limit = values.limit === undefined ? DEFAULT_LIMIT : parseWhole(values.limit, 1, MAX_ROWS, "limit");
    await using app = await openFor(io);
    const range = { limit, ...(state === undefined ? {} : { state }) };
    const rows = await listDeliveries(app, requireId(positionals), range);
    if (values.json) io.out(`${JSON.stringify(rows.map(present))}\n`);
    else
      writeTable(
        io,
        rows.map(line),
        ["id", "created_at", "event", "article_id", "state", "attempts", "last_attempt_at", "last"],
        state === undefined ? 'No deliveries yet. "rostrum webhook test" sends one.' : "No deliveries in this state.",
      );
  },
};

export const redeliver: Command = {
  summary: "send one delivery's event again",
  help: `Usage: rostrum webhook redeliver DELIVERY [--json]

Sends it again as a delivery of its own, with the same webhook-id. DELIVERY is an id of "webhook deliveries".`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, ["The delivery's id"]);
    await using app = await openFor(io);
    const id = await replays.redeliver(app, requireId(positionals), CLI_ORIGIN);
    io.out(values.json ? `${JSON.stringify({ id })}\n` : `It is sent again as the delivery ${id}.\n`);
    warnUnlessServing(io, app.config);
  },
};

export const replay: Command = {
  summary: "send all events since a time again",
  help: `Usage: rostrum webhook replay ID --since TIME [--yes] [--json]

Sends the website's events since TIME (ISO 8601) again, as far as the webhook is subscribed to them: those of one article in
order, with their original webhook-id. On a terminal it first says how many they are, and asks.

  --yes  do not ask`,
  async run(args, io) {
    const { values, positionals } = parseOptions(
      args,
      { since: { type: "string" }, yes: { type: "boolean" }, json: { type: "boolean" } },
      [WEBHOOK_ID],
    );
    const since = parseIsoTime(required(values.since, "since"));
    if (since === null) throw new UsageError(`--since is "${values.since}"; write it like 2026-12-31T08:00:00Z.`);
    await using app = await openFor(io);
    const id = requireId(positionals);
    const { count, url } = await replays.countSince(app, id, since);
    const asks = io.columns !== null && values.yes !== true && count > 0;
    if (asks && !(await confirm(io, `Send ${countEvents(count)} again to ${url}?`))) {
      io.err("Nothing was sent.\n");
      return;
    }
    const events = await replays.replaySince(app, id, since, CLI_ORIGIN);
    if (values.json) io.out(`${JSON.stringify({ events })}\n`);
    else
      io.out(
        events === 0
          ? `There are no such events since ${isoTime(since)}.\n`
          : `${countEvents(events)} sent again to ${url}.\n`,
      );
    if (events > 0) warnUnlessServing(io, app.config);
  },
};

function countEvents(count: number): string {
  return count === 1 ? "1 event" : `${count} events`;
}

function present({ delivery, attempts }: DeliveryWithAttempts) {
  return {
    id: delivery.id,
    // The form that receivers and the event feed use.
    event_id: `msg_${delivery.eventId}`,
    event: delivery.kind,
    article_id: delivery.articleId,
    state: delivery.state,
    origin: delivery.origin,
    attempts: attempts.map(presentAttempt),
    created_at: isoTime(delivery.createdAt),
    finished_at: isoTimeOrNull(delivery.finishedAt),
    next_attempt_at: isoTimeOrNull(delivery.nextAttemptAt),
  };
}

function presentAttempt(attempt: Attempt) {
  const { dns, connect, firstByte, total } = attempt.timings;
  return {
    number: attempt.number,
    at: isoTime(attempt.startedAt),
    status: attempt.status,
    ms: total,
    error: attempt.error,
    outcome: attempt.outcome,
    request_headers: attempt.requestHeaders,
    response_headers: attempt.responseHeaders,
    response_body: attempt.responseBody,
    timings: { dns, connect, first_byte: firstByte, total },
  };
}

/** One row of the table: of the attempts, only the last is shown. */
function line({ delivery, attempts }: DeliveryWithAttempts) {
  const last = attempts.at(-1);
  return {
    id: delivery.id,
    created_at: isoTime(delivery.createdAt),
    event: delivery.kind,
    article_id: delivery.articleId,
    state: delivery.state,
    attempts: attempts.length,
    last_attempt_at: last === undefined ? null : isoTime(last.startedAt),
    last: last === undefined ? null : (last.error ?? String(last.status)),
  };
}
