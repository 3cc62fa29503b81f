import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { openApp } from "../../app/app.ts";
import { type Config, readConfig } from "../../process/settings/config.ts";
import { asUuid } from "../../domain/articles/article.ts";
import { mintSecret } from "../../domain/webhooks/webhook-message.ts";
import { withoutTrailing } from "../../domain/system/trailing.ts";
import { getWebsite } from "../../operations/website/websites.ts";
import { getServiceUrl } from "../system/databases.ts";
import { type Command, type Io, parseOptions, required, UsageError } from "../command.ts";
import { readTextFile, warnOfVisibleSecret } from "../files.ts";
import { EventFeed } from "./feed.ts";
import { follow, type Follower, newestSequence } from "./follow.ts";
import type { ForwardOptions } from "./forward.ts";
import { parseEvents, parseWhole } from "./input.ts";

export const listen: Command = {
  summary: "forward events to your own machine, for development",
  help: `Usage: rostrum webhook listen --website WEBSITE --key-file FILE --forward URL [--url BASE] [--secret-file FILE]
                              [--after SEQUENCE] [--events KIND,KIND]

Follows the events of a running service, here or elsewhere, and posts each to URL, signed like a webhook, one after
the other: an event that is not accepted is sent again until it is. No public address is needed. Stop it with Ctrl+C.

  --website      its id or its name; the key must belong to it
  --key-file     a file with an API key of the website, or - for standard input
  --forward      where to, e.g. http://localhost:3000/webhooks
  --url          where the service is (default: the one on this machine; ROSTRUM_PUBLIC_URL, or HOST and PORT)
  --secret-file  a file with the signing secret (whsec_…), or - for standard input (default: a new one, which is printed)
  --after        start after this sequence; 0 is the beginning (default: only new events)
  --events       only these kinds: article.published, article.updated, article.deleted

--key and --secret are the same on the command line, where other users of this machine can see them.`,
  async run(args, io) {
    const { values } = parseOptions(args, {
      website: { type: "string" },
      key: { type: "string" },
      "key-file": { type: "string" },
      forward: { type: "string" },
      url: { type: "string" },
      secret: { type: "string" },
      "secret-file": { type: "string" },
      after: { type: "string" },
      events: { type: "string" },
    });
    const website = required(values.website, "website");
    if (values["key-file"] === "-" && values["secret-file"] === "-") {
      throw new UsageError("Standard input holds one of --key-file and --secret-file: give the other one as a file.");
    }
    const key = parseKey(required(await secretOption(io, values, "key"), "key-file"));
    const url = parseUrl(required(values.forward, "forward"), "forward", "http://localhost:3000/webhooks");
    const kinds = parseEvents(values.events);
    const after = values.after === undefined ? null : parseWhole(values.after, 0, Number.MAX_SAFE_INTEGER, "after");
    const given = await secretOption(io, values, "secret");
    const secret = given === undefined ? mintSecret(randomBytes) : parseSecret(given);
    const { address, config } =
      values.url === undefined
        ? getService(readConfig(io.environment, io.directory))
        : { address: parseUrl(values.url, "url", "https://articles.example.com").href, config: null };

    for (const name of ["key", "secret"] as const) {
      if (values[name] !== undefined) warnOfVisibleSecret(io, name, `${name}-file`);
    }
    const stop = new AbortController();
    void io.whenStopped().then(() => stop.abort());
    const websiteId = await findWebsiteId(website, config, io);
    // Loaded here because no other command needs it.
    const { Agent } = await import("undici");
    const agent = new Agent({ allowH2: false, connect: { timeout: 5_000 } });
    const onFailure: ForwardOptions["onFailure"] = ({ sequence, kind }, reason, pauseMs) =>
      io.err(`${sequence}  ${kind}  not accepted: ${reason}; again in ${pauseMs / 1_000} s\n`);
    try {
      const { signal } = stop;
      const base = withoutTrailing(address, "/");
      const follower: Follower = {
        io,
        feed: new EventFeed({ agent, base, key, signal }),
        address: base,
        websiteId,
        kinds,
        signal,
        forward: { agent, url, secret, clock: Date.now, randomBytes, signal, onFailure },
      };
      const latest = await newestSequence(follower);
      if (latest === null) return 0;
      const start = after ?? latest;
      io.err(`Events of ${base} after ${start} go to ${url.href}. Stop with Ctrl+C.\n`);
      if (given === undefined) io.err(`They are signed with ${secret} (--secret-file keeps one for next time).\n`);
      await follow(follower, start);
      return 0;
    } finally {
      await agent.destroy();
    }
  },
};

/** Reads a secret from its file, or from the argument. @throws UsageError when both are given. */
async function secretOption(
  io: Pick<Io, "stdin">,
  values: Partial<Record<SecretOption | `${SecretOption}-file`, string>>,
  name: SecretOption,
): Promise<string | undefined> {
  const { [name]: value, [`${name}-file` as const]: file } = values;
  if (file === undefined) return value;
  if (value !== undefined) throw new UsageError(`Give either --${name} or --${name}-file.`);
  return (await readTextFile(file, io)).trim();
}

type SecretOption = "key" | "secret";

/** A website's id by name, in the service's own database; null: unknown. @param config null for a service by URL. */
async function findWebsiteId(idOrName: string, config: Config | null, io: Pick<Io, "err">): Promise<string | null> {
  const id = asUuid(idOrName);
  if (id !== null) return id;
  if (config === null || (config.database.kind === "sqlite" && !existsSync(config.database.path))) {
    io.err(
      `Whether the key is for "${idOrName}" could not be checked; give the website's id instead of its name to have it checked.\n`,
    );
    return null;
  }
  await using app = await openApp(config);
  return (await getWebsite(app, idOrName)).id;
}

/** The service with these settings. */
function getService(config: Config): { address: string; config: Config } {
  return { address: getServiceUrl(config), config };
}

function parseUrl(text: string, option: string, example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--${option} is "${text}"; write it like ${example}.`);
  }
  return url;
}

/** A key consists of characters that are valid in a header; the message does not repeat it. */
function parseKey(text: string): string {
  if (!/^[\x21-\x7e]{1,200}$/.test(text)) throw new UsageError("--key is not an API key; those begin with rs_.");
  return text;
}

/** https://www.standardwebhooks.com: Base64 of 24 to 64 bytes. The message does not repeat it. */
function parseSecret(text: string): string {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1] ?? "";
  const bytes = Buffer.from(base64, "base64").length;
  if (bytes < 24 || bytes > 64) {
    throw new UsageError("--secret must be whsec_ and 24 to 64 bytes in Base64, as webhook create prints it.");
  }
  return text;
}
