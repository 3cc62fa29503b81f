import { openApp } from "../app.ts";
import { readConfig } from "../config.ts";
import { createWebsite, listWebsites } from "../operations/websites.ts";
import { CLI_ORIGIN } from "../domain/audit.ts";
import type { Website } from "../domain/website.ts";
import { isoTime } from "../domain/time.ts";
import { type Command, parse, required, subcommands } from "./command.ts";
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

export const website: Command = {
  summary: "create and list websites",
  ...subcommands("website", { create, list }),
};

function present(website: Website) {
  return {
    id: website.id,
    name: website.name,
    url: website.url,
    url_pattern: website.urlPattern,
    created_at: isoTime(website.createdAt),
  };
}
