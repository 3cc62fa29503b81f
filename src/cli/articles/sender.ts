import { DIALECTS, findDialect } from "../../domain/articles/senders/dialects.ts";
import { ARRIVAL_STATES, type Arrival, type Sender, type Understood } from "../../domain/articles/senders/sender.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import { isoTime, isoTimeOrNull } from "../../domain/system/time.ts";
import { getArrival, listArrivals, runAgain, runAllAgain } from "../../operations/articles/senders/arrivals.ts";
import { trySample } from "../../operations/articles/senders/sample.ts";
import {
  changeSender,
  createSender,
  deleteSender,
  getSender,
  listSenders,
  rotateSender,
  type SenderWithCounts,
} from "../../operations/articles/senders/senders.ts";
import { getWebsite } from "../../operations/website/websites.ts";
import type { Config } from "../../process/settings/config.ts";
import { type Command, type Io, parseChoice, parseOptions, required, subcommands, UsageError } from "../command.ts";
import { readJsonFile, readTextFile } from "../files.ts";
import { writeTable } from "../output.ts";
import { getServiceUrl, openFor } from "../system/databases.ts";

const ARRIVALS_SHOWN = 100;

const create: Command = {
  summary: "connect a service that pushes articles; its secret is shown only once",
  help: `Usage: rostrum sender create --website WEBSITE --kind KIND --name NAME [--secret-file FILE] [--json]

Connects a service that pushes articles in a format of its own, and prints the address and the secret to enter there. What it
sends becomes drafts in review; nobody's approval is skipped. "rostrum sender kinds" lists the kinds.

  --website      its id or its name
  --kind         the product, or generic
  --name         histories show it as the author of what it brings
  --secret-file  a file with the secret that the product has made, or - for standard input. Otherwise one is made here, or, where
                 the product makes it once it has the address, brought by "rostrum sender rotate" afterwards
  --json         print it as JSON: {"id": …, "url": …, "secret": …}; secret is null if the product makes it`,
  async run(args, io) {
    const { values } = parseOptions(args, {
      website: { type: "string" },
      kind: { type: "string" },
      name: { type: "string" },
      "secret-file": { type: "string" },
      json: { type: "boolean" },
    });
    const website = required(values.website, "website");
    const input = {
      kind: required(values.kind, "kind"),
      name: required(values.name, "name"),
      secret: await readSecret(values["secret-file"], io),
    };
    await using app = await openFor(io);
    const { id: websiteId } = await getWebsite(app, website);
    const { secret, sender: made } = await createSender(app, websiteId, input, CLI_ORIGIN);
    const { id, url, ...rest } = present(made, app.config);
    if (values.json) {
      io.out(`${JSON.stringify({ id, url, secret, ...rest })}\n`);
      return;
    }
    io.err(`Sender "${made.name}" (id ${id}) is connected. ${findDialect(made.kind)?.setup ?? ""}\n`);
    io.out(`${url}\n`);
    showSecret(secret, io);
    if (secret === null && input.secret === null) {
      io.err(`Then bring the secret here: rostrum sender rotate ${id} --secret-file FILE\n`);
    }
  },
};

const list: Command = {
  summary: "list a website's senders",
  help: `Usage: rostrum sender list --website WEBSITE [--json]`,
  async run(args, io) {
    const { values } = parseOptions(args, { website: { type: "string" }, json: { type: "boolean" } });
    const website = required(values.website, "website");
    await using app = await openFor(io);
    const found = await listSenders(app, (await getWebsite(app, website)).id);
    const senders = found.map((one) => presentCounted(one, app.config));
    if (values.json) io.out(`${JSON.stringify(senders)}\n`);
    else
      writeTable(
        io,
        senders,
        ["id", "name", "kind", "last_arrival_at", "needs_attention", "waiting"],
        'No senders yet. "rostrum sender create" connects one.',
      );
  },
};

const kinds: Command = {
  summary: "list the kinds of senders",
  help: `Usage: rostrum sender kinds [--json]

A kind is tried if a whole request was, as its product documents it; of the others only the names of fields are known.`,
  async run(args, io) {
    const { values } = parseOptions(args, { json: { type: "boolean" } });
    const all = DIALECTS.map(({ kind, name, secretFrom, isTried, setup }) => ({
      kind,
      name,
      secret_from: secretFrom,
      is_tried: isTried,
      setup,
    }));
    const rows = all.map((one) => ({ ...one, tried: one.is_tried ? "yes" : "no" }));
    if (values.json) io.out(`${JSON.stringify(all)}\n`);
    else writeTable(io, rows, ["kind", "name", "secret_from", "tried"], "No kinds.");
  },
};

const rotate: Command = {
  summary: "replace a sender's secret; the previous one is accepted for a day",
  help: `Usage: rostrum sender rotate ID [--secret-file FILE] [--json]

  --secret-file  a file with the secret that the product has made, or - for standard input; otherwise one is made here`,
  async run(args, io) {
    const { values, positionals } = parseOptions(
      args,
      { "secret-file": { type: "string" }, json: { type: "boolean" } },
      ["The sender's id"],
    );
    const given = await readSecret(values["secret-file"], io);
    await using app = await openFor(io);
    const { secret, sender: rotated } = await rotateSender(app, positionals[0] ?? "", given, CLI_ORIGIN);
    const { id, url, ...rest } = present(rotated, app.config);
    if (values.json) {
      io.out(`${JSON.stringify({ id, url, secret, ...rest })}\n`);
      return;
    }
    io.err(`Sender "${rotated.name}" has a new secret; the previous one is accepted until ${rest.previous_until}.\n`);
    showSecret(secret, io);
  },
};

const remove: Command = {
  summary: "delete a sender",
  help: `Usage: rostrum sender delete ID [--json]

Running services refuse it at once. The articles that it brought stay.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, ["The sender's id"]);
    await using app = await openFor(io);
    const deleted = await deleteSender(app, positionals[0] ?? "", CLI_ORIGIN);
    io.out(
      values.json
        ? `${JSON.stringify(present(deleted, app.config))}\n`
        : `Sender "${deleted.name}" is deleted; the articles that it brought stay.\n`,
    );
  },
};

const arrivals: Command = {
  summary: "list what a sender has sent, the newest first",
  help: `Usage: rostrum sender arrivals ID [--state ${ARRIVAL_STATES.join("|")}] [--json]

Shows the ${ARRIVALS_SHOWN} newest.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { state: { type: "string" }, json: { type: "boolean" } }, [
      "The sender's id",
    ]);
    const state = parseChoice(values.state, ARRIVAL_STATES, "state") ?? null;
    await using app = await openFor(io);
    const page = { state, before: null, limit: ARRIVALS_SHOWN };
    const found = (await listArrivals(app, positionals[0] ?? "", page)).arrivals.map(presentArrival);
    if (values.json) io.out(`${JSON.stringify(found)}\n`);
    else writeTable(io, found, ["id", "at", "state", "event", "bytes", "message"], "Nothing has arrived.");
  },
};

const arrival: Command = {
  summary: "show what an arrival brought, as it was sent",
  help: `Usage: rostrum sender arrival ARRIVAL [--json]

Prints the body. Secrets are replaced by a dot.

  --json  print the whole request as JSON, with what became of it`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, ["The arrival's id"]);
    await using app = await openFor(io);
    const { arrival: found, body } = await getArrival(app, positionals[0] ?? "");
    const { query, headers } = found.request;
    if (values.json) io.out(`${JSON.stringify({ ...presentArrival(found), query, headers, body })}\n`);
    else if (body === null) io.err("What this arrival brought is no longer kept.\n");
    else io.out(body.endsWith("\n") ? body : `${body}\n`);
  },
};

const map: Command = {
  summary: "say where a sender's requests have the title, the text and the id",
  help: `Usage: rostrum sender map ID [--file FILE [--run-again] | --clear] [--try ARRIVAL] [--json]

Prints where the sender's own mapping looks for articles and their fields, or replaces it. What it leaves out is found as before.

  --file       a file with the mapping as JSON, or - for standard input, such as
               {"articles": ["data.items[]"], "fields": {"title": ["head.line"], "html": ["copy"]}, "id": ["nr"]}
               "articles" is where they are in the body, and the other places are within each of them
  --clear      remove the mapping
  --try        show what an arrival would become, and save nothing; with --file, by that mapping
  --run-again  afterwards run again all arrivals that need attention
  --json       print the mapping, or what --try found, as JSON

With --try and --run-again the exit code is 1 if something still needs attention.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(
      args,
      {
        file: { type: "string" },
        clear: { type: "boolean" },
        try: { type: "string" },
        "run-again": { type: "boolean" },
        json: { type: "boolean" },
      },
      ["The sender's id"],
    );
    if (values.file !== undefined && values.clear) throw new UsageError("Give --file or --clear, not both.");
    if (values.try !== undefined && values["run-again"]) throw new UsageError("Give --try or --run-again, not both.");
    const [id = ""] = positionals;
    const mapping = values.file === undefined ? (values.clear ? null : undefined) : await readJsonFile(values.file, io);
    await using app = await openFor(io);
    if (values.try !== undefined) {
      const { understood } = await trySample(app, id, { arrivalId: values.try, mapping });
      return showTried(understood, { isJson: values.json === true }, io);
    }
    const changed =
      mapping === undefined ? (await getSender(app, id)).sender : await changeSender(app, id, { mapping }, CLI_ORIGIN);
    if (!values["run-again"] || values.json) io.out(`${JSON.stringify(changed.mapping)}\n`);
    if (!values["run-again"]) return 0;
    const { runs, done, needsAttention, waiting } = await runAllAgain(app, id, CLI_ORIGIN);
    io.err(`Run again: ${runs}. Done: ${done}. Still need attention: ${needsAttention}. Waiting: ${waiting}.\n`);
    return needsAttention > 0 ? 1 : 0;
  },
};

const again: Command = {
  summary: "run an arrival again, after its sender's mapping was changed",
  help: `Usage: rostrum sender run-again ARRIVAL [--json]

An article that it has brought already is updated like by any later arrival. The exit code is 1 if it still needs attention.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, ["The arrival's id"]);
    await using app = await openFor(io);
    const arrival = await runAgain(app, positionals[0] ?? "", CLI_ORIGIN);
    const shown = presentArrival(arrival);
    if (values.json) io.out(`${JSON.stringify(shown)}\n`);
    else writeTable(io, [shown], ["id", "state", "event", "message"], "");
    return arrival.state === "needs_attention" ? 1 : 0;
  },
};

export const sender: Command = {
  summary: "connect services that push articles, and see what they have sent",
  ...subcommands("sender", { create, list, kinds, rotate, delete: remove, arrivals, arrival, map, "run-again": again }),
};

async function readSecret(file: string | undefined, io: Pick<Io, "stdin">): Promise<string | null> {
  return file === undefined ? null : (await readTextFile(file, io)).trim();
}

function showSecret(secret: string | null, io: Pick<Io, "out" | "err">): void {
  if (secret === null) return;
  io.err("Keep the secret now: it is not shown again.\n");
  io.out(`${secret}\n`);
}

/** @returns the exit code. */
function showTried(
  { kind, event, problem, articles }: Understood,
  { isJson }: { isJson: boolean },
  io: Pick<Io, "out" | "err" | "columns">,
): number {
  const read = articles.map((one) => ({
    external_id: one.externalId,
    title: one.input.title ?? null,
    problem: one.problem,
    places: one.places,
  }));
  if (isJson) io.out(`${JSON.stringify({ kind, event, problem, articles: read })}\n`);
  else if (problem !== null) io.err(`${problem}\n`);
  else {
    const rows: { article: string; field: string; place: string }[] = [];
    for (const { external_id: article, problem: place, places } of read) {
      if (place !== null) rows.push({ article, field: "problem", place });
      for (const [field, at] of Object.entries(places)) rows.push({ article, field, place: at });
    }
    writeTable(io, rows, ["article", "field", "place"], `It would save nothing: it means "${kind}".`);
  }
  return problem === null && articles.every((one) => one.problem === null) ? 0 : 1;
}

function present(one: Sender, config: Config) {
  return {
    id: one.id,
    url: `${getServiceUrl(config)}/senders/${one.id}`,
    website_id: one.websiteId,
    kind: one.kind,
    name: one.name,
    mapping: one.mapping,
    created_at: isoTime(one.createdAt),
    last_arrival_at: isoTimeOrNull(one.lastArrivalAt),
    previous_until: isoTimeOrNull(one.previousUntil),
    deleted_at: isoTimeOrNull(one.deletedAt),
  };
}

function presentCounted({ sender: one, arrivals: counts }: SenderWithCounts, config: Config) {
  return { ...present(one, config), needs_attention: counts.needsAttention, waiting: counts.waiting };
}

function presentArrival({ id, at, state, bytes, request: { method, path }, outcome }: Arrival) {
  const articles = outcome?.articles ?? [];
  return {
    id,
    at: isoTime(at),
    state,
    method,
    path,
    bytes,
    event: outcome?.event ?? null,
    message: outcome?.problem ?? articles.find(({ message }) => message !== null)?.message ?? null,
    articles: articles.map((one) => ({
      external_id: one.externalId,
      article_id: one.articleId,
      title: one.title,
      outcome: one.outcome,
      message: one.message,
    })),
  };
}
