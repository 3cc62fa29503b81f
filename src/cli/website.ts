import { openApp } from "../app.ts";
import { readConfig } from "../config.ts";
import { createWebsite, getWebsite, listWebsites, updateWebsite } from "../operations/system/websites.ts";
import { CLI_ORIGIN } from "../domain/system/audit.ts";
import type { Website } from "../domain/system/website.ts";
import { isoTime } from "../domain/system/time.ts";
import { type Command, oneOf, parse, required, subcommands } from "./command.ts";
import { table } from "./table.ts";

const create: Command = {
  summary: "add a website",
  help: `Usage: rostrum website create --name NAME [--url URL] [--url-pattern PATTERN] [--json]

Adds a website: articles, keys and webhooks belong to one.

  --name NAME            what people call it
  --url URL              its address; links to it count as internal
  --url-pattern PATTERN  where a published article stands there,
                         e.g. https://example.com/blog/{slug}
  --json                 print it as JSON`,
  async run(args, io) {
    const { values } = parse(args, {
      name: { type: "string" },
      url: { type: "string" },
      "url-pattern": { type: "string" },
      json: { type: "boolean" },
    });
    const input = {
      name: required(values.name, "name"),
      url: values.url ?? null,
      urlPattern: values["url-pattern"] ?? null,
    };
    await using app = await openApp(readConfig(io.environment, io.directory));
    const website = await createWebsite(app, input, CLI_ORIGIN);
    io.out(
      values.json ? `${JSON.stringify(present(website))}\n` : `Website "${website.name}" has the id ${website.id}\n`,
    );
    return 0;
  },
};

const list: Command = {
  summary: "list the websites",
  help: `Usage: rostrum website list [--json]`,
  async run(args, io) {
    const { values } = parse(args, { json: { type: "boolean" } });
    await using app = await openApp(readConfig(io.environment, io.directory));
    const websites = (await listWebsites(app)).map(present);
    io.out(values.json ? `${JSON.stringify(websites)}\n` : table(websites, ["id", "name", "url", "url_pattern"]));
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
    const { values, positionals } = parse(args, { json: { type: "boolean" } }, ["The website", "required or optional"]);
    const wish = oneOf(positionals[1], ["required", "optional"] as const, "The second factor");
    await using app = await openApp(readConfig(io.environment, io.directory));
    const { id } = await getWebsite(app, positionals[0] ?? "");
    const website = await updateWebsite(app, id, { requiresSecondFactor: wish === "required" }, CLI_ORIGIN);
    io.out(
      values.json
        ? `${JSON.stringify(present(website))}\n`
        : `A second factor is ${website.requiresSecondFactor ? "required" : "optional"} for the members of "${website.name}".\n`,
    );
    return 0;
  },
};

export const website: Command = {
  summary: "create and list websites, and require a second factor",
  ...subcommands("website", { create, list, "second-factor": secondFactor }),
};

function present(website: Website) {
  return {
    id: website.id,
    name: website.name,
    url: website.url,
    url_pattern: website.urlPattern,
    requires_second_factor: website.requiresSecondFactor,
    created_at: isoTime(website.createdAt),
  };
}
