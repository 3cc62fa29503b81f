import { type App, openApp } from "../../app.ts";
import { readConfig } from "../../config.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import { isoTime, isoTimeOrNull } from "../../domain/system/time.ts";
import { type PayloadForm, shownState } from "../../domain/webhooks/endpoint.ts";
import {
  countMissedByEndpoint,
  enableEndpoint,
  MAX_MISSED,
  type ReplayChoice,
} from "../../operations/webhooks/catch-up.ts";
import * as endpoints from "../../operations/webhooks/endpoints.ts";
import { getWebsite } from "../../operations/system/websites.ts";
import type { StoredEndpoint } from "../../store/webhooks/endpoints.ts";
import { type Command, oneOf, parse, required, UsageError } from "../command.ts";
import { readText, warnOfVisibleSecret } from "../files.ts";
import { table } from "../table.ts";
import {
  requireId,
  parseEvents,
  parseHeaders,
  parseOverlap,
  parseWhole,
  warnUnlessServing,
  WEBHOOK_ID,
} from "./input.ts";

const REPLAY_CHOICES = ["latest", "all", "none"] as const satisfies readonly ReplayChoice[];

export const create: Command = {
  summary: "create a webhook",
  help: `Usage: rostrum webhook create --website WEBSITE --url URL [--name NAME] [--description TEXT] [--events KIND,KIND] [--thin | --extended] [--coalesce MS]
                              [--header-file FILE] [--header "Name: value"]… [--ca FILE] [--json]

Sends the website's events to URL from now on, and prints the signing secret; it cannot be shown again.

  --website   its id or its name
  --url       https, unless ROSTRUM_WEBHOOK_ALLOW_HTTP=1; a public address, unless ROSTRUM_WEBHOOK_ALLOW_CIDRS has it
  --name      so that you can recognise it
  --description
              shown to teammates
  --events    which kinds: article.published, article.updated, article.deleted (default: all)
  --thin      send ids and api_url only
  --extended  add the fields of lists, and the slug and labels that an article had before
  --coalesce  of several events of one article within this many milliseconds, send only the newest
  --header-file
              custom headers of each message: a file with a line "Name: value" for each, or - for standard input
  --header    one custom header; may be repeated. Other users of the machine can see it in the list of processes
  --ca        a private certificate authority in PEM (default: the public ones)
  --json      print it as JSON: {"id": …, "url": …, "secret": …}`,
  async run(args, io) {
    const { values } = parse(args, {
      website: { type: "string" },
      url: { type: "string" },
      name: { type: "string" },
      description: { type: "string" },
      events: { type: "string" },
      thin: { type: "boolean" },
      extended: { type: "boolean" },
      coalesce: { type: "string" },
      "header-file": { type: "string" },
      header: { type: "string", multiple: true },
      ca: { type: "string" },
      json: { type: "boolean" },
    });
    const website = required(values.website, "website");
    const events = parseEvents(values.events);
    if (values.thin && values.extended) throw new UsageError("Give --thin or --extended, not both.");
    const payload: PayloadForm = values.thin ? "thin" : values.extended ? "extended" : "full";
    const { ca, header: visible = [], "header-file": headerFile } = values;
    const hidden = headerFile === undefined ? [] : nonEmptyLines(await readText(headerFile, io));
    const input = {
      url: required(values.url, "url"),
      name: values.name ?? "",
      description: values.description ?? "",
      ...(events === undefined ? {} : { events }),
      payload,
      coalesceMs: values.coalesce === undefined ? 0 : parseWhole(values.coalesce, 0, 3_600_000, "coalesce"),
      headers: parseHeaders([...hidden, ...visible]),
      ca: ca === undefined ? null : await readText(ca, io),
    };
    await using app = await openApp(readConfig(io.environment, io.directory));
    const { id: websiteId } = await getWebsite(app, website);
    const { secret, endpoint } = await endpoints.createEndpoint(app, websiteId, input, CLI_ORIGIN);
    if (visible.length > 0) warnOfVisibleSecret(io, "header", "header-file");
    if (values.json) {
      io.out(`${JSON.stringify(presentWithSecret(endpoint, secret))}\n`);
    } else {
      io.err(`Webhook ${endpoint.id} sends ${endpoint.events.join(", ")} to ${endpoint.url}.\n`);
      io.err("This secret signs its messages. Keep it now: it is not shown again.\n");
      io.out(`${secret}\n`);
    }
    return 0;
  },
};

function nonEmptyLines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}

export const list: Command = {
  summary: "list a website's webhooks and how they are",
  help: `Usage: rostrum webhook list --website WEBSITE [--json]`,
  async run(args, io) {
    const { values } = parse(args, { website: { type: "string" }, json: { type: "boolean" } });
    const website = required(values.website, "website");
    await using app = await openApp(readConfig(io.environment, io.directory));
    const rows = (await endpoints.listEndpoints(app, (await getWebsite(app, website)).id)).map(present);
    io.out(
      values.json
        ? `${JSON.stringify(rows)}\n`
        : table(rows.map(line), [
            "id",
            "name",
            "url",
            "events",
            "state",
            "consecutive_failures",
            "last_success_at",
            "last_failure_at",
          ]),
    );
    return 0;
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
    const { values, positionals } = parse(args, { replay: { type: "string" }, json: { type: "boolean" } }, [
      WEBHOOK_ID,
    ]);
    const choice = oneOf(values.replay, REPLAY_CHOICES, "replay") ?? "latest";
    await using app = await openApp(readConfig(io.environment, io.directory));
    const id = requireId(positionals);
    const missed = await countMissedByEndpoint(app, id);
    const endpoint = await enableEndpoint(app, id, choice, CLI_ORIGIN);
    io.out(
      values.json
        ? `${JSON.stringify({ ...present(endpoint), missed, replay: choice })}\n`
        : `Webhook ${endpoint.id} is enabled. ${describeMissed(missed, choice)}\n`,
    );
    if (choice !== "none") warnUnlessServing(io, app.config);
    return 0;
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

Gives a webhook a new secret and prints it; it cannot be shown again. The previous one signs as well for a while, so
that receivers can change over.

  --overlap  how long: days (2d), hours (24h, the default) or minutes (30m), at most 7d; 0 stops the previous one at once`,
  async run(args, io) {
    const { values, positionals } = parse(args, { overlap: { type: "string" }, json: { type: "boolean" } }, [
      WEBHOOK_ID,
    ]);
    const overlapMs = values.overlap === undefined ? endpoints.DEFAULT_OVERLAP_MS : parseOverlap(values.overlap);
    await using app = await openApp(readConfig(io.environment, io.directory));
    const { secret, endpoint, earlierUntil } = await endpoints.rotateSecret(
      app,
      requireId(positionals),
      overlapMs,
      CLI_ORIGIN,
    );
    const until = isoTime(earlierUntil);
    if (values.json) {
      io.out(`${JSON.stringify({ ...presentWithSecret(endpoint, secret), earlier_until: until })}\n`);
    } else {
      const earlier = overlapMs === 0 ? "has stopped signing" : `is valid until ${until}`;
      io.err(`The previous secret ${earlier}. Keep the new one now: it is not shown again.\n`);
      io.out(`${secret}\n`);
    }
    return 0;
  },
};

/** Defines a command whose only argument is an id. */
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
      const { values, positionals } = parse(args, { json: { type: "boolean" } }, [WEBHOOK_ID]);
      await using app = await openApp(readConfig(io.environment, io.directory));
      const { shown, sentence } = await work(app, requireId(positionals));
      io.out(values.json ? `${JSON.stringify(shown)}\n` : `${sentence}\n`);
      return 0;
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

/** One row of the table. */
function line({ events, ...rest }: ReturnType<typeof present>) {
  return { ...rest, events: events.map((kind) => kind.replace("article.", "")).join(",") };
}

function presentWithSecret(endpoint: StoredEndpoint, secret: string) {
  const { id, url, ...rest } = present(endpoint);
  return { id, url, secret, ...rest };
}
