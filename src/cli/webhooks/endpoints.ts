import type { App } from "../../app/app.ts";
import { openFor } from "../system/databases.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import { isoTime, isoTimeOrNull } from "../../domain/system/time.ts";
import { shownState } from "../../domain/webhooks/endpoint.ts";
import {
  countMissedByEndpoint,
  enableEndpoint,
  MAX_MISSED,
  type ReplayChoice,
} from "../../operations/webhooks/catch-up.ts";
import * as endpoints from "../../operations/webhooks/endpoints.ts";
import { updateEndpoint } from "../../operations/webhooks/update-endpoint.ts";
import { getWebsite } from "../../operations/website/websites.ts";
import type { StoredEndpoint } from "../../store/webhooks/endpoints.ts";
import { type Command, parseChoice, parseOptions, required, UsageError } from "../command.ts";
import { warnOfVisibleSecret } from "../files.ts";
import { writeTable } from "../output.ts";
import { parseOverlap, requireId, warnUnlessServing, WEBHOOK_ID } from "./input.ts";
import { parseSettings, SETTINGS, SETTINGS_HELP } from "./settings.ts";

const REPLAY_CHOICES = ["latest", "all", "none"] as const satisfies readonly ReplayChoice[];

export const create: Command = {
  summary: "create a webhook",
  help: `Usage: rostrum webhook create --website WEBSITE --url URL [--name NAME] [--description TEXT]
                              [--events KIND,KIND] [--thin | --extended] [--coalesce MS]
                              [--header-file FILE] [--header "Name: value"]… [--ca FILE] [--json]

Sends the website's events to URL from now on, all kinds unless --events names some, and prints the signing secret;
it cannot be shown again.

  --website      its id or its name
${SETTINGS_HELP}
  --json         print it as JSON: {"id": …, "url": …, "secret": …}`,
  async run(args, io) {
    const { values } = parseOptions(args, { website: { type: "string" }, ...SETTINGS, json: { type: "boolean" } });
    const website = required(values.website, "website");
    const input = { ...(await parseSettings(values, io)), url: required(values.url, "url") };
    await using app = await openFor(io);
    const { id: websiteId } = await getWebsite(app, website);
    const { secret, endpoint } = await endpoints.createEndpoint(app, websiteId, input, CLI_ORIGIN);
    if (values.header !== undefined) warnOfVisibleSecret(io, "header", "header-file");
    if (values.json) {
      io.out(`${JSON.stringify(presentWithSecret(endpoint, secret))}\n`);
    } else {
      io.err(`Webhook ${endpoint.id} sends ${endpoint.events.join(", ")} to ${endpoint.url}.\n`);
      io.err("This secret signs its messages. Keep it now: it is not shown again.\n");
      io.out(`${secret}\n`);
    }
  },
};

export const update: Command = {
  summary: "change a webhook's settings",
  help: `Usage: rostrum webhook update ID [--url URL] [--name NAME] [--description TEXT]
                                 [--events KIND,KIND] [--full | --thin | --extended] [--coalesce MS]
                                 [--header-file FILE] [--header "Name: value"]… [--no-headers]
                                 [--ca FILE] [--no-ca] [--json]

Changes what is given and leaves the rest. Waiting deliveries are sent with the new URL and headers, retries at once.
Another scheme, host or port in --url removes the custom headers, unless they are given again.

${SETTINGS_HELP}
  --full         send full payloads again
  --no-headers   remove the custom headers
  --no-ca        remove the private certificate authority`,
  async run(args, io) {
    const { values, positionals } = parseOptions(
      args,
      {
        ...SETTINGS,
        full: { type: "boolean" },
        "no-headers": { type: "boolean" },
        "no-ca": { type: "boolean" },
        json: { type: "boolean" },
      },
      [WEBHOOK_ID],
    );
    const { header, "header-file": headerFile, ca, "no-headers": noHeaders, "no-ca": noCa } = values;
    if (noHeaders && (header ?? headerFile) !== undefined)
      throw new UsageError("Give headers or --no-headers, not both.");
    if (noCa && ca !== undefined) throw new UsageError("Give --ca or --no-ca, not both.");
    const change = await parseSettings(values, io);
    if (noHeaders) change.headers = {};
    if (noCa) change.ca = null;
    if (Object.keys(change).length === 0) throw new UsageError("Say what to change, for example --name NAME.");
    await using app = await openFor(io);
    const endpoint = await updateEndpoint(app, requireId(positionals), change, CLI_ORIGIN);
    if (header !== undefined) warnOfVisibleSecret(io, "header", "header-file");
    io.out(values.json ? `${JSON.stringify(present(endpoint))}\n` : `Webhook ${endpoint.id} is changed.\n`);
  },
};

export const list: Command = {
  summary: "list a website's webhooks and how they are",
  help: `Usage: rostrum webhook list --website WEBSITE [--json]`,
  async run(args, io) {
    const { values } = parseOptions(args, { website: { type: "string" }, json: { type: "boolean" } });
    const website = required(values.website, "website");
    await using app = await openFor(io);
    const rows = (await endpoints.listEndpoints(app, (await getWebsite(app, website)).id)).map(present);
    if (values.json) io.out(`${JSON.stringify(rows)}\n`);
    else
      writeTable(
        io,
        rows.map(line),
        ["id", "name", "url", "events", "state", "consecutive_failures", "last_success_at", "last_failure_at"],
        'No webhooks yet. "rostrum webhook create" adds one.',
      );
  },
};

export const pause = simple(
  "pause",
  "pause a webhook",
  'Its events are kept meanwhile, for 30 days by default; choose with "webhook enable" which of them are sent then.',
  async (app, id) => {
    const endpoint = await endpoints.pauseEndpoint(app, id, CLI_ORIGIN);
    return { shown: present(endpoint), sentence: `Webhook ${id} is paused: its events are kept.` };
  },
);

export const deleteCommand = simple(
  "delete",
  "delete a webhook",
  "Waiting deliveries are not sent, and its history is deleted.",
  async (app, id) => {
    const { url, websiteId } = await endpoints.deleteEndpoint(app, id, CLI_ORIGIN);
    return {
      shown: { id, website_id: websiteId, url, deleted: true },
      sentence: `Webhook ${id} to ${url} is deleted.`,
    };
  },
);

export const enable: Command = {
  summary: "enable a paused or disabled webhook",
  help: `Usage: rostrum webhook enable ID [--replay ${REPLAY_CHOICES.join("|")}] [--json]

Enables a webhook that was paused or disabled, and sends the events that it has missed since its last success: those
kept meanwhile and those that had failed permanently before.

  --replay  the latest event of each article (default), all events (those of one article in order), or none`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { replay: { type: "string" }, json: { type: "boolean" } }, [
      WEBHOOK_ID,
    ]);
    const choice = parseChoice(values.replay, REPLAY_CHOICES, "replay") ?? "latest";
    await using app = await openFor(io);
    const id = requireId(positionals);
    const missed = await countMissedByEndpoint(app, id);
    const endpoint = await enableEndpoint(app, id, choice, CLI_ORIGIN);
    io.out(
      values.json
        ? `${JSON.stringify({ ...present(endpoint), missed, replay: choice })}\n`
        : `Webhook ${endpoint.id} is enabled. ${describeMissed(missed, choice)}\n`,
    );
    if (choice !== "none") warnUnlessServing(io, app.config);
  },
};

function describeMissed({ events, articles }: { events: number; articles: number }, choice: ReplayChoice): string {
  if (events === 0) return "It has missed nothing.";
  const missed = `It has missed ${counted(events, "event")} about ${counted(articles, "article")}`;
  const sent = {
    latest: "the latest of each is sent",
    all: "all are sent, those of one article in order",
    none: "none is sent",
  };
  return `${missed}; ${sent[choice]}.`;
}

function counted(count: number, noun: string): string {
  return `${count >= MAX_MISSED ? `${MAX_MISSED} or more` : count} ${noun}${count === 1 ? "" : "s"}`;
}

export const rotate: Command = {
  summary: "rotate the signing secret; the new one is shown only once",
  help: `Usage: rostrum webhook rotate ID [--overlap 24h] [--json]

Gives a webhook a new secret and prints it; it cannot be shown again. During the overlap messages are signed with the
previous secret as well, so that receivers can switch.

  --overlap  days (2d), hours (24h, the default) or minutes (30m), at most 7d; 0 ends the previous secret at once`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { overlap: { type: "string" }, json: { type: "boolean" } }, [
      WEBHOOK_ID,
    ]);
    const overlapMs = values.overlap === undefined ? endpoints.DEFAULT_OVERLAP_MS : parseOverlap(values.overlap);
    await using app = await openFor(io);
    const { secret, endpoint, previousUntil } = await endpoints.rotateSecret(
      app,
      requireId(positionals),
      overlapMs,
      CLI_ORIGIN,
    );
    const until = isoTime(previousUntil);
    if (values.json) {
      io.out(`${JSON.stringify({ ...presentWithSecret(endpoint, secret), previous_until: until })}\n`);
    } else {
      const earlier = overlapMs === 0 ? "has stopped signing" : `is valid until ${until}`;
      io.err(`The previous secret ${earlier}. Keep the new one now: it is not shown again.\n`);
      io.out(`${secret}\n`);
    }
  },
};

function simple(
  name: string,
  summary: string,
  explanation: string,
  work: (app: App, id: string) => Promise<{ shown: object; sentence: string }>,
): Command {
  return {
    summary,
    help: `Usage: rostrum webhook ${name} ID [--json]\n\n${explanation}`,
    async run(args, io) {
      const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, [WEBHOOK_ID]);
      await using app = await openFor(io);
      const { shown, sentence } = await work(app, requireId(positionals));
      io.out(values.json ? `${JSON.stringify(shown)}\n` : `${sentence}\n`);
    },
  };
}

/** The JSON of a webhook, without secrets: custom headers and the certificate authority only as flags. */
function present(endpoint: StoredEndpoint) {
  const { state, isReplaying } = shownState(endpoint.state);
  return {
    id: endpoint.id,
    name: endpoint.name,
    description: endpoint.description,
    url: endpoint.url,
    website_id: endpoint.websiteId,
    events: endpoint.events,
    payload: endpoint.payload,
    thin: endpoint.payload === "thin",
    coalesce_ms: endpoint.coalesceMs,
    has_headers: endpoint.sealedHeaders !== null,
    has_ca: endpoint.ca !== null,
    state,
    disabled_reason: endpoint.disabledReason,
    disabled_at: isoTimeOrNull(endpoint.disabledAt),
    consecutive_failures: endpoint.consecutiveFailures,
    failed_attempts: endpoint.failedAttempts,
    window: endpoint.window,
    not_before: endpoint.notBefore === 0 ? null : isoTime(endpoint.notBefore),
    last_success_at: isoTimeOrNull(endpoint.lastSuccessAt),
    last_failure_at: isoTimeOrNull(endpoint.lastFailureAt),
    last_error: endpoint.lastError,
    is_replaying: isReplaying,
    created_at: isoTime(endpoint.createdAt),
  };
}

function line({ events, ...rest }: ReturnType<typeof present>) {
  return { ...rest, events: events.map((kind) => kind.replace("article.", "")).join(",") };
}

function presentWithSecret(endpoint: StoredEndpoint, secret: string) {
  const { id, url, ...rest } = present(endpoint);
  return { id, url, secret, ...rest };
}
