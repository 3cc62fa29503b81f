import { openApp } from "../app.ts";
import { readConfig } from "../config.ts";
import {
  deleteWebsite,
  findDeletedWebsite,
  readContents,
  removeDeletedWebsites,
} from "../operations/system/website-deletion.ts";
import { AppError } from "../domain/system/errors.ts";
import { isoTime } from "../domain/system/time.ts";
import { indexNowKeyUrl, pingsJson, readPings } from "../operations/system/index-now.ts";
import { createWebsite, getWebsite, listWebsites, updateWebsite } from "../operations/system/websites.ts";
import { CLI_ORIGIN } from "../domain/system/audit.ts";
import { toWebsiteJson } from "../domain/system/website.ts";
import type { IndexNowPing } from "../store/system/index-now.ts";
import { type Command, parseChoice, parseOptions, required, subcommands } from "./command.ts";
import { formatTable } from "./table.ts";

const create: Command = {
  summary: "add a website",
  help: `Usage: rostrum website create --name NAME [--url URL] [--url-pattern PATTERN] [--preview-url URL]
                              [--asset-url URL] [--language TAG] [--json]

Adds a website: articles, keys and webhooks belong to one.

  --name NAME            what people call it
  --url URL              its address; links to it count as internal
  --url-pattern PATTERN  where a published article stands there,
                         e.g. https://example.com/blog/{slug}
  --preview-url URL      where the website shows one that is not published,
                         e.g. https://example.com/preview?id={id}&token={token}
  --asset-url URL        the address before /assets/… of its pictures, such as a CDN's
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
    await using app = await openApp(readConfig(io.environment, io.directory));
    const website = await createWebsite(app, input, CLI_ORIGIN);
    io.out(
      values.json
        ? `${JSON.stringify(toWebsiteJson(website))}\n`
        : `Website "${website.name}" has the id ${website.id}\n`,
    );
    return 0;
  },
};

const list: Command = {
  summary: "list the websites",
  help: `Usage: rostrum website list [--json]`,
  async run(args, io) {
    const { values } = parseOptions(args, { json: { type: "boolean" } });
    await using app = await openApp(readConfig(io.environment, io.directory));
    const websites = (await listWebsites(app)).map(toWebsiteJson);
    io.out(values.json ? `${JSON.stringify(websites)}\n` : formatTable(websites, ["id", "name", "url", "url_pattern"]));
    return 0;
  },
};

const secondFactor: Command = {
  summary: "ask a website's members for a second factor, or no longer",
  help: `Usage: rostrum website second-factor WEBSITE required|optional [--json]

With "required", members reach the website only in a session that has shown a second factor: an authenticator's code or a
passkey. Everybody else is led to set one up. "optional" lets everybody in again, for when owners have locked themselves out;
"rostrum user reset-password EMAIL" with --without-totp or --without-passkeys is for one person who has lost theirs.

WEBSITE is its id, or its name where only one has it.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, [
      "The website",
      "required or optional",
    ]);
    const wanted = parseChoice(positionals[1], ["required", "optional"] as const, "The second factor");
    await using app = await openApp(readConfig(io.environment, io.directory));
    const { id } = await getWebsite(app, positionals[0] ?? "");
    const website = await updateWebsite(app, id, { requiresSecondFactor: wanted === "required" }, CLI_ORIGIN);
    io.out(
      values.json
        ? `${JSON.stringify(toWebsiteJson(website))}\n`
        : `A second factor is ${website.requiresSecondFactor ? "required" : "optional"} for the members of "${website.name}".\n`,
    );
    return 0;
  },
};

const secondPerson: Command = {
  summary: "have articles approved by a second person, or no longer",
  help: `Usage: rostrum website second-person WEBSITE required|optional [--json]

With "required", nobody approves an article in the dashboard that they wrote or last changed. Commands are not limited.

WEBSITE is its id, or its name where only one has it.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, [
      "The website",
      "required or optional",
    ]);
    const wanted = parseChoice(positionals[1], ["required", "optional"] as const, "The second person");
    await using app = await openApp(readConfig(io.environment, io.directory));
    const { id } = await getWebsite(app, positionals[0] ?? "");
    const website = await updateWebsite(app, id, { requiresSecondPerson: wanted === "required" }, CLI_ORIGIN);
    io.out(
      values.json
        ? `${JSON.stringify(toWebsiteJson(website))}\n`
        : `A second person is ${website.requiresSecondPerson ? "required" : "optional"} to approve the articles of "${website.name}".\n`,
    );
    return 0;
  },
};

const language: Command = {
  summary: "say which language a website's articles have that name none",
  help: `Usage: rostrum website language WEBSITE TAG|none [--json]

TAG is a language tag (BCP 47), such as de or pt-BR. Readers that ask for articles of this language get those that name none,
too; feeds and sitemaps name it. Articles are not changed.

WEBSITE is its id, or its name where only one has it.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, [
      "The website",
      "A language tag or none",
    ]);
    const wanted = positionals[1] === "none" ? null : (positionals[1] ?? null);
    await using app = await openApp(readConfig(io.environment, io.directory));
    const { id } = await getWebsite(app, positionals[0] ?? "");
    const website = await updateWebsite(app, id, { language: wanted }, CLI_ORIGIN);
    const done =
      website.language === null
        ? `The articles of "${website.name}" that name no language have none.\n`
        : `The articles of "${website.name}" that name no language are in ${website.language}.\n`;
    io.out(values.json ? `${JSON.stringify(toWebsiteJson(website))}\n` : done);
    return 0;
  },
};

const previewAddress: Command = {
  summary: "say where a website shows articles that are not published",
  help: `Usage: rostrum website preview-address WEBSITE ADDRESS|none [--json]

ADDRESS is a page of the website that gets a token in the place of {token}, and the article's in those of {id}, {slug} and {lang}, such
as https://example.com/preview?slug={slug}&token={token}. From then on "rostrum article preview ID" and the dashboard open it.

WEBSITE is its id, or its name where only one has it.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, [
      "The website",
      "An address or none",
    ]);
    const wanted = positionals[1] === "none" ? null : (positionals[1] ?? null);
    await using app = await openApp(readConfig(io.environment, io.directory));
    const { id } = await getWebsite(app, positionals[0] ?? "");
    const website = await updateWebsite(app, id, { previewUrl: wanted }, CLI_ORIGIN);
    const done =
      website.previewUrl === null
        ? `"${website.name}" has no previews.\n`
        : `"${website.name}" shows articles that are not published at ${website.previewUrl}\n`;
    io.out(values.json ? `${JSON.stringify(toWebsiteJson(website))}\n` : done);
    return 0;
  },
};

const slugs: Command = {
  summary: "have slugs unique within each language, or within the website",
  help: `Usage: rostrum website slugs WEBSITE per-language|per-website [--url-pattern PATTERN] [--json]

With "per-language", articles in different languages may have the same slug, as /en/about and /de/about do. The website needs
its own language, and a URL pattern with the language in it: {lang} becomes the language of the article, {/lang} a slash and
the language, or nothing in the website's own: https://example.com{/lang}/blog/{slug}. An article that names no language
counts as of the website's own. Slugs and addresses that articles have stay as they are. --url-pattern sets the pattern.

With "per-website", the default, no two articles have the same slug. It is refused while some have.

WEBSITE is its id, or its name where only one has it.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(
      args,
      { "url-pattern": { type: "string" }, json: { type: "boolean" } },
      ["The website", "per-language or per-website"],
    );
    const pattern = values["url-pattern"];
    const wanted = parseChoice(positionals[1], ["per-language", "per-website"] as const, "The choice");
    await using app = await openApp(readConfig(io.environment, io.directory));
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
    return 0;
  },
};

const feeds: Command = {
  summary: "serve a website's feeds, sitemap and llms.txt, or no longer",
  help: `Usage: rostrum website feeds WEBSITE on|off [--json]

With "on", everybody gets them from the service, without a key, at /feeds/<id of the website>/: atom.xml, rss.xml, feed.json,
sitemap.xml and llms.txt. The website needs an address.

WEBSITE is its id, or its name where only one has it.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, ["The website", "on or off"]);
    const wanted = parseChoice(positionals[1], ["on", "off"] as const, "The choice");
    const config = readConfig(io.environment, io.directory);
    await using app = await openApp(config);
    const { id } = await getWebsite(app, positionals[0] ?? "");
    const website = await updateWebsite(app, id, { servesFeeds: wanted === "on" }, CLI_ORIGIN);
    const base = config.publicUrl ?? `http://${config.host}:${config.port}`;
    const done = website.servesFeeds
      ? `The feeds of "${website.name}" are served: ${base}/feeds/${id}/atom.xml\n`
      : `The feeds of "${website.name}" are not served any more.\n`;
    io.out(values.json ? `${JSON.stringify(toWebsiteJson(website))}\n` : done);
    return 0;
  },
};

const indexNow: Command = {
  summary: "tell search engines of a website's changes by IndexNow, or no longer",
  help: `Usage: rostrum website indexnow WEBSITE on|off|status [--json]

With "on", the service tells search engines which pages have changed: within seconds of a publication, a change of a
published article, or its removal. The website needs an address, and has to answer with a key at an address that this
command prints. "status" shows what was sent lately.

WEBSITE is its id, or its name where only one has it.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, [
      "The website",
      "on, off or status",
    ]);
    const wanted = parseChoice(positionals[1], ["on", "off", "status"] as const, "The choice");
    await using app = await openApp(readConfig(io.environment, io.directory));
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

Deletes a website with its articles, events, API keys, webhooks and their history. That cannot be undone: take a backup or
an export first. Its keys and webhooks stop at once; the rest is deleted in batches beside the running service. When the
command is stopped, the service goes on with it, or the same command. Entries of the audit log stay.

Without --yes it says what would be lost, and deletes nothing.

WEBSITE is its id, or its name where only one has it.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { yes: { type: "boolean" }, json: { type: "boolean" } }, [
      "The website",
    ]);
    const wanted = positionals[0] ?? "";
    await using app = await openApp(readConfig(io.environment, io.directory));
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
    language,
    slugs,
    "preview-address": previewAddress,
    feeds,
    indexnow: indexNow,
    delete: deleteCommand,
  }),
};
