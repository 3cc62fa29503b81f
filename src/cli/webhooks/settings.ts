/** The options of `webhook create` and `webhook update` that set what a webhook sends, and where. */
import type { NewEndpoint } from "../../operations/webhooks/endpoints.ts";
import { type Io, UsageError } from "../command.ts";
import { readTextFile } from "../files.ts";
import { parseEvents, parseHeaders, parseWhole } from "./input.ts";

export const SETTINGS = {
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
} as const;

interface Values {
  url?: string | undefined;
  name?: string | undefined;
  description?: string | undefined;
  events?: string | undefined;
  full?: boolean | undefined;
  thin?: boolean | undefined;
  extended?: boolean | undefined;
  coalesce?: string | undefined;
  "header-file"?: string | undefined;
  header?: string[] | undefined;
  ca?: string | undefined;
}

export const SETTINGS_HELP = `  --url          https, unless ROSTRUM_WEBHOOK_ALLOW_HTTP=1; a public address, unless ROSTRUM_WEBHOOK_ALLOW_CIDRS has it
  --name         so that people recognise it
  --description  shown to teammates
  --events       which kinds: article.published, article.updated, article.deleted
  --thin         send ids and api_url only
  --extended     add the fields of lists, and the slug and labels that an article had before
  --coalesce     of several events of one article within this many milliseconds, send only the newest
  --header-file  custom headers of each message: a file with a line "Name: value" for each, or - for standard input
  --header       one custom header; may be repeated. Other users of the machine can see it in the list of processes
  --ca           a private certificate authority in PEM, trusted instead of the public ones`;

/** @returns only what was given. @throws UsageError. */
export async function parseSettings(values: Values, io: Io): Promise<Partial<NewEndpoint>> {
  const { url, name, description, ca, coalesce, header = [], "header-file": headerFile } = values;
  const events = parseEvents(values.events);
  const payloads = (["full", "thin", "extended"] as const).filter((payload) => values[payload]);
  if (payloads.length > 1) {
    throw new UsageError(`Give ${payloads.map((payload) => `--${payload}`).join(" or ")}, not both.`);
  }
  const lines = headerFile === undefined ? [] : nonEmptyLines(await readTextFile(headerFile, io));
  const settings: Partial<NewEndpoint> = {};
  if (url !== undefined) settings.url = url;
  if (name !== undefined) settings.name = name;
  if (description !== undefined) settings.description = description;
  if (events !== undefined) settings.events = events;
  if (payloads[0] !== undefined) settings.payload = payloads[0];
  if (coalesce !== undefined) settings.coalesceMs = parseWhole(coalesce, 0, 3_600_000, "coalesce");
  if (headerFile !== undefined || header.length > 0) settings.headers = parseHeaders([...lines, ...header]);
  if (ca !== undefined) settings.ca = await readTextFile(ca, io);
  return settings;
}

function nonEmptyLines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}
