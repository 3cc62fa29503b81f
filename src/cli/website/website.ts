import { openFor } from "../system/databases.ts";
import type { Config } from "../../process/settings/config.ts";
import {
  deleteWebsite,
  findDeletedWebsite,
  readContents,
  removeDeletedWebsites,
} from "../../operations/website/website-deletion.ts";
import { AppError } from "../../domain/system/errors.ts";
import { isoTime } from "../../domain/system/time.ts";
import { indexNowKeyUrl, pingsJson, readPings } from "../../operations/website/index-now.ts";
import {
  createWebsite,
  getWebsite,
  listWebsites,
  updateWebsite,
  type WebsiteChange,
} from "../../operations/website/websites.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import { INTEGRITY_GATES, toWebsiteJson, type Website } from "../../domain/system/website.ts";
import type { IndexNowPing } from "../../store/system/index-now.ts";
import { type Command, parseChoice, parseOptions, required, subcommands } from "../command.ts";
import { writeTable } from "../output.ts";

const WEBSITE_ARGUMENT = "WEBSITE is its id, or its name if no other website has it.";

interface Setting<T> extends Pick<Command, "summary" | "help"> {
  /** The values that the setting can have, in words. */
  value: string;
  parse: (text: string) => T;
  change: (wanted: T) => WebsiteChange;
  done: (website: Website, config: Config) => string;
}

/** Defines a command that changes one setting of a website. */
function setting<T>({ summary, help, value, parse, change, done }: Setting<T>): Command {
  return {
    summary,
    help: `${help}\n\n${WEBSITE_ARGUMENT}`,
    async run(args, io) {
      const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, ["The website", value]);
      const [named = "", wanted = ""] = positionals;
      const changes = change(parse(wanted));
      await using app = await openFor(io);
      const { id } = await getWebsite(app, named);
      const website = await updateWebsite(app, id, changes, CLI_ORIGIN);
      io.out(values.json ? `${JSON.stringify(toWebsiteJson(website))}\n` : `${done(website, app.config)}\n`);
    },
  };
}

const orNone = (text: string) => (text === "none" ? null : text);

const create: Command = {
  summary: "add a website",
  help: `Usage: rostrum website create --name NAME [--url URL] [--url-pattern PATTERN] [--preview-url URL]
                              [--asset-url URL] [--language TAG] [--json]

Adds a website: articles, keys and webhooks belong to one.

  --name NAME            what people call it
  --url URL              its address; links to it count as internal
  --url-pattern PATTERN  the address of a published article, e.g. https://example.com/blog/{slug}
  --preview-url URL      the page that shows an article before it is published,
                         e.g. https://example.com/preview?id={id}&token={token}
  --asset-url URL        where readers load pictures from, such as a CDN (default: the service itself)
  --language TAG         the language of articles that name none, e.g. de or pt-BR
  --json                 print it as JSON`,
  async run(args, io) {
    const { values } = parseOptions(args, {
      name: { type: "string" },
      url: { type: "string" },
      "url-pattern": { type: "string" },
      "preview-url": { type: "string" },
      "asset-url": { type: "string" },
      language: { type: "string" },
      json: { type: "boolean" },
    });
    const input = {
      name: required(values.name, "name"),
      url: values.url ?? null,
      urlPattern: values["url-pattern"] ?? null,
      previewUrl: values["preview-url"] ?? null,
      assetUrl: values["asset-url"] ?? null,
      language: values.language ?? null,
    };
    await using app = await openFor(io, { mayCreate: true });
    const website = await createWebsite(app, input, CLI_ORIGIN);
    io.out(
      values.json
        ? `${JSON.stringify(toWebsiteJson(website))}\n`
        : `Website "${website.name}" has the id ${website.id}\n`,
    );
  },
};

const list: Command = {
  summary: "list the websites",
  help: `Usage: rostrum website list [--json]`,
  async run(args, io) {
    const { values } = parseOptions(args, { json: { type: "boolean" } });
    await using app = await openFor(io);
    const websites = (await listWebsites(app)).map(toWebsiteJson);
    if (values.json) io.out(`${JSON.stringify(websites)}\n`);
    else
      writeTable(
        io,
        websites,
        ["id", "name", "url", "url_pattern"],
        'No websites yet. "rostrum website create" adds one.',
      );
  },
};

const secondFactor = setting({
  summary: "ask a website's members for a second factor, or no longer",
  help: `Usage: rostrum website second-factor WEBSITE required|optional [--json]

With "required", members reach the website only in a session that has shown a second factor: an authenticator's code or a
passkey. Everybody else is asked to set one up. "optional" lets everybody in again, in case all owners are locked out. If one
person has lost theirs, run "rostrum user reset-password EMAIL" with --without-totp or --without-passkeys.`,
  value: "required or optional",
  parse: (text) => parseChoice(text, ["required", "optional"], "The second factor"),
  change: (wanted) => ({ requiresSecondFactor: wanted === "required" }),
  done: ({ name, requiresSecondFactor }) =>
    `A second factor is ${requiresSecondFactor ? "required" : "optional"} for the members of "${name}".`,
});

const secondPerson = setting({
  summary: "require a second person for approvals, or no longer",
  help: `Usage: rostrum website second-person WEBSITE required|optional [--json]

With "required", nobody approves an article in the dashboard that they wrote or last changed. Commands are not limited.`,
  value: "required or optional",
  parse: (text) => parseChoice(text, ["required", "optional"], "The second person"),
  change: (wanted) => ({ requiresSecondPerson: wanted === "required" }),
  done: ({ name, requiresSecondPerson }) =>
    `A second person is ${requiresSecondPerson ? "required" : "optional"} to approve the articles of "${name}".`,
});

const responsible: Command = {
  summary: "set who answers for what it publishes, for review records",
  help: `Usage: rostrum website responsible WEBSITE [--name NAME|none] [--imprint URL|none]
                                   [--reviewers named|pseudonyms] [--json]

With a name, each approval in the dashboard makes a review record (docs/review-records.md), which names it; without one,
none is made. Without options the command says what is set.

  --name NAME          who has editorial responsibility, such as a company's legal name
  --imprint URL        the page that names the one responsible, such as https://example.com/imprint
  --reviewers CHOICE   whether records name the people who approve; by default each has a pseudonym

${WEBSITE_ARGUMENT}`,
  async run(args, io) {
    const { values, positionals } = parseOptions(
      args,
      {
        name: { type: "string" },
        imprint: { type: "string" },
        reviewers: { type: "string" },
        json: { type: "boolean" },
      },
      ["The website"],
    );
    const { name } = values;
    const reviewers = parseChoice(values.reviewers, ["named", "pseudonyms"], "reviewers");
    const changes: WebsiteChange = {
      ...(name === undefined ? {} : { responsibleName: orNone(name) }),
      ...(values.imprint === undefined ? {} : { responsibleUrl: orNone(values.imprint) }),
      ...(reviewers === undefined ? {} : { namesReviewers: reviewers === "named" }),
    };
    await using app = await openFor(io);
    const found = await getWebsite(app, positionals[0] ?? "");
    const website = Object.keys(changes).length === 0 ? found : await updateWebsite(app, found.id, changes, CLI_ORIGIN);
    io.out(values.json ? `${JSON.stringify(toWebsiteJson(website))}\n` : `${describeResponsible(website)}\n`);
  },
};

function describeResponsible({ name, responsibleName, responsibleUrl, namesReviewers }: Website): string {
  if (responsibleName === null)
    return `Nobody is named as responsible for "${name}": its approvals make no review records.`;
  const imprint = responsibleUrl === null ? "" : ` (${responsibleUrl})`;
  const reviewers = namesReviewers ? "name the person who approved" : "give the person who approved a pseudonym";
  return `${responsibleName}${imprint} is responsible for "${name}"; its review records ${reviewers}.`;
}

const integrityGate = setting({
  summary: "say which articles are held by what is found in their texts",
  help: `Usage: rostrum website integrity-gate WEBSITE machine|all|off [--json]

An article that is held cannot be approved, published or scheduled before somebody corrects its text, or an approver accepts
each finding with a reason (docs/quality-metrics.md, "The gate").

  machine  holds articles that senders, access tokens and generators deliver (default)
  all      holds what people write and import, too
  off      shows findings, and holds nothing`,
  value: "machine, all or off",
  parse: (text) => parseChoice(text, INTEGRITY_GATES, "The choice") ?? "machine",
  change: (wanted) => ({ integrityGate: wanted }),
  done: ({ name, integrityGate: gate }) =>
    `Findings hold ${{ machine: "the articles of machines", all: "all articles", off: "no articles" }[gate]} of "${name}".`,
});

const language = setting({
  summary: "set the language of articles that name none",
  help: `Usage: rostrum website language WEBSITE TAG|none [--json]

TAG is a language tag (BCP 47), such as de or pt-BR. Articles that name no language count as articles in this one: readers
that ask for it get them, too, and feeds and sitemaps name it. The articles themselves are not changed.`,
  value: "A language tag or none",
  parse: orNone,
  change: (wanted) => ({ language: wanted }),
  done: ({ name, language: tag }) =>
    `The articles of "${name}" that name no language ${tag === null ? "have none" : `are in ${tag}`}.`,
});

const timeZone = setting({
  summary: "set the time zone in which its people plan",
  help: `Usage: rostrum website time-zone WEBSITE ZONE [--json]

ZONE is an IANA name, such as Europe/Berlin, America/New_York or UTC (default). The dashboard plans publications in it, and
says it beside the reader's own time. What is planned already keeps its moment.`,
  value: "A time zone",
  parse: (text) => text,
  change: (wanted) => ({ timeZone: wanted }),
  done: ({ name, timeZone: zone }) => `Publications of "${name}" are planned in the time zone ${zone}.`,
});

const previewAddress = setting({
  summary: "set the page that shows articles before they are published",
  help: `Usage: rostrum website preview-address WEBSITE ADDRESS|none [--json]

ADDRESS is a page of the website, such as https://example.com/preview?slug={slug}&token={token}. A preview replaces {token} by
its token, and {id}, {slug} and {lang} by those of the article. "rostrum article preview ID" prints the address of a preview,
and the dashboard opens it.`,
  value: "An address or none",
  parse: orNone,
  change: (wanted) => ({ previewUrl: wanted }),
  done: ({ name, previewUrl }) =>
    `"${name}" ${previewUrl === null ? "has no previews." : `shows articles that are not published at ${previewUrl}`}`,
});

const slugs: Command = {
  summary: "make slugs unique within each language, or within the website",
  help: `Usage: rostrum website slugs WEBSITE per-language|per-website [--url-pattern PATTERN] [--json]

With "per-language", articles in different languages may have the same slug, as /en/about and /de/about do. The website needs
its own language, and a URL pattern with the language in it: {lang} becomes the language of the article, {/lang} a slash and
the language, or nothing in the website's own: https://example.com{/lang}/blog/{slug}. An article that names no language
counts as in the website's own. Articles keep their slugs and addresses. --url-pattern sets the pattern.

With "per-website", the default, no two articles have the same slug. This is refused while some share one.

${WEBSITE_ARGUMENT}`,
  async run(args, io) {
    const { values, positionals } = parseOptions(
      args,
      { "url-pattern": { type: "string" }, json: { type: "boolean" } },
      ["The website", "per-language or per-website"],
    );
    const pattern = values["url-pattern"];
    const wanted = parseChoice(positionals[1], ["per-language", "per-website"] as const, "The choice");
    await using app = await openFor(io);
    const { id } = await getWebsite(app, positionals[0] ?? "");
    const website = await updateWebsite(
      app,
      id,
      { slugsPerLanguage: wanted === "per-language", ...(pattern === undefined ? {} : { urlPattern: pattern }) },
      CLI_ORIGIN,
    );
    const within = website.slugsPerLanguage ? "each language" : "the website";
    io.out(
      values.json
        ? `${JSON.stringify(toWebsiteJson(website))}\n`
        : `The slugs of "${website.name}" are unique within ${within}.\n`,
    );
  },
};

const feeds = setting({
  summary: "serve a website's feeds, sitemap and llms.txt, or no longer",
  help: `Usage: rostrum website feeds WEBSITE on|off [--json]

With "on", the service shows them to everybody, without a key, at /feeds/<id of the website>/: atom.xml, rss.xml, feed.json,
sitemap.xml and llms.txt. The website needs an address.`,
  value: "on or off",
  parse: (text) => parseChoice(text, ["on", "off"], "The choice"),
  change: (wanted) => ({ servesFeeds: wanted === "on" }),
  done: ({ id, name, servesFeeds }, { publicUrl, host, port }) =>
    servesFeeds
      ? `The feeds of "${name}" are served: ${publicUrl ?? `http://${host}:${port}`}/feeds/${id}/atom.xml`
      : `The feeds of "${name}" are no longer served.`,
});

const series = setting({
  summary: "set the tags and categories whose articles are alike on purpose",
  help: `Usage: rostrum website series WEBSITE LABEL[,LABEL…]|none [--json]

Articles that share one of these tags or categories, such as release notes or weekly reports, are not named as near
duplicates, and none holds the other's approval.`,
  value: "Labels or none",
  parse: (text) => orNone(text)?.split(",") ?? [],
  change: (wanted) => ({ seriesLabels: wanted }),
  done: ({ name, seriesLabels }) =>
    seriesLabels.length === 0 ? `"${name}" has no series.` : `The series of "${name}" are: ${seriesLabels.join(", ")}.`,
});

const indexNow: Command = {
  summary: "tell search engines of a website's changes by IndexNow, or no longer",
  help: `Usage: rostrum website indexnow WEBSITE on|off|status [--json]

With "on", the service tells search engines which pages have changed, within seconds after an article is published, changed
or unpublished. The website needs an address, and must serve a key at the address that this command prints. "status" shows
what was sent in the last 7 days.

${WEBSITE_ARGUMENT}`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, [
      "The website",
      "on, off or status",
    ]);
    const wanted = parseChoice(positionals[1], ["on", "off", "status"] as const, "The choice");
    await using app = await openFor(io);
    const found = await getWebsite(app, positionals[0] ?? "");
    if (wanted === "status") {
      const { pings, nextAt } = await readPings(app, found.id);
      const keyUrl = indexNowKeyUrl(found);
      const state =
        keyUrl === null ? "IndexNow is off.\n" : `IndexNow is on. Search engines expect the key at ${keyUrl}\n`;
      const described = pings.length === 0 ? "No pings in the last 7 days.\n" : pings.map(describePing).join("");
      const waits = nextAt === null ? "" : `The next try is due at ${isoTime(nextAt)}.\n`;
      io.out(values.json ? `${JSON.stringify(pingsJson(pings, nextAt))}\n` : `${state}${described}${waits}`);
      return 0;
    }
    const website = await updateWebsite(app, found.id, { indexNow: wanted === "on" }, CLI_ORIGIN);
    const keyUrl = indexNowKeyUrl(website);
    const done =
      keyUrl === null
        ? `IndexNow is off for "${website.name}".\n`
        : `IndexNow is on for "${website.name}". Make your website answer with this key, and nothing else, at\n` +
          `${keyUrl}:\n  ${website.indexNowKey}\n`;
    io.out(values.json ? `${JSON.stringify(toWebsiteJson(website))}\n` : done);
    return 0;
  },
};

function describePing({ at, addresses, outcome, status, error }: IndexNowPing): string {
  const answer = error ?? (status === null ? "" : `HTTP ${status}`);
  return `${isoTime(at)}  ${outcome.replace("_", " ")}  ${addresses} ${addresses === 1 ? "page" : "pages"}  ${answer}\n`;
}

const deleteCommand: Command = {
  summary: "delete a website with all it has",
  help: `Usage: rostrum website delete WEBSITE --yes [--json]

Deletes a website with its articles, events, API keys, webhooks and their history. This cannot be undone: take a backup or
an export first. Its keys and webhooks stop at once; the rest is deleted in batches beside the running service. If the
command is stopped, the service deletes the rest, or the same command does. Entries of the audit log stay.

Without --yes the command says what would be lost, and deletes nothing.

${WEBSITE_ARGUMENT}`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { yes: { type: "boolean" }, json: { type: "boolean" } }, [
      "The website",
    ]);
    const wanted = positionals[0] ?? "";
    await using app = await openFor(io);
    let found = await findDeletedWebsite(app, wanted);
    if (found === undefined || found.id !== wanted) {
      try {
        const { id, name } = await getWebsite(app, wanted);
        const { articles, events, keys, webhooks, members } = await readContents(app, id);
        if (values.yes !== true) {
          throw new AppError(
            "invalid",
            `"${name}" has articles: ${articles}, events: ${events}, API keys: ${keys}, webhooks: ${webhooks}, members of its own: ${members}. ` +
              `To delete it with all of that, run: rostrum website delete ${id} --yes`,
          );
        }
        await deleteWebsite(app, id, name, CLI_ORIGIN);
        found = { id, name };
      } catch (error) {
        if (found === undefined || !(error instanceof AppError) || error.code !== "not_found") throw error;
      }
    }
    const failures: string[] = [];
    await removeDeletedWebsites(app, (error, message) => failures.push(`${message}: ${String(error)}`));
    for (const failure of failures) io.err(`${failure}\n`);
    const isGone = (await findDeletedWebsite(app, found.id)) === undefined;
    io.out(
      values.json
        ? `${JSON.stringify({ id: found.id, name: found.name, deleted: true, is_complete: isGone })}\n`
        : `Website "${found.name}" (${found.id}) is deleted${isGone ? "" : "; the service deletes the rest of its rows"}.\n`,
    );
    return isGone ? 0 : 1;
  },
};

export const website: Command = {
  summary: "create, list and delete websites, and what holds for each",
  ...subcommands("website", {
    create,
    list,
    "second-factor": secondFactor,
    "second-person": secondPerson,
    responsible,
    "integrity-gate": integrityGate,
    language,
    "time-zone": timeZone,
    slugs,
    "preview-address": previewAddress,
    feeds,
    series,
    indexnow: indexNow,
    delete: deleteCommand,
  }),
};
