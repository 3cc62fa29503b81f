import { openFor } from "../system/databases.ts";
import { readConfig } from "../../process/settings/config.ts";
import { type ApiKey, KEY_SCOPES, type KeyScope } from "../../domain/people/api-key.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import { isoTime, isoTimeOrNull } from "../../domain/system/time.ts";
import { AppError } from "../../domain/system/errors.ts";
import { createKey, listKeys, revokeKey } from "../../operations/people/api-keys.ts";
import { getWebsite } from "../../operations/website/websites.ts";
import {
  type Command,
  parseChoice,
  parseDuration,
  parseOptions,
  required,
  subcommands,
  UsageError,
} from "../command.ts";
import { writeTable } from "../output.ts";

const create: Command = {
  summary: "create a key; it is shown only once",
  help: `Usage: rostrum key create --website WEBSITE --name NAME [--scope all|published|preview]
                          [--expires 90d] [--rate-limit N] [--json]

Creates an API key for one website and prints it; it cannot be shown again.

  --website     its id or its name
  --scope       published, for a website, reads published articles only; all (default) reads every status; preview, for a
                staging site, reads all of them as if they were published, with their latest changes
  --expires     after how many days (90d), hours (12h) or minutes (30m) it stops working; never by default
  --rate-limit  requests per second instead of ROSTRUM_RATE_LIMIT; 0 is unlimited
  --json        print it as JSON: {"id": …, "key": …}`,
  async run(args, io) {
    const { values } = parseOptions(args, {
      website: { type: "string" },
      name: { type: "string" },
      scope: { type: "string" },
      expires: { type: "string" },
      "rate-limit": { type: "string" },
      json: { type: "boolean" },
    });
    const website = required(values.website, "website");
    const lifetime = values.expires === undefined ? null : parseLifetime(values.expires);
    const input = {
      name: required(values.name, "name"),
      scope: parseChoice(values.scope, KEY_SCOPES, "scope") ?? "all",
      rateLimit: values["rate-limit"] === undefined ? null : parseRate(values["rate-limit"]),
    };
    await using app = await openFor(io);
    const expiresAt = lifetime === null ? null : app.clock() + lifetime;
    const { id: websiteId } = await getWebsite(app, website);
    const { secret, key: made } = await createKey(app, websiteId, { ...input, expiresAt }, CLI_ORIGIN);
    if (values.json) {
      const { id, ...rest } = present(made);
      io.out(`${JSON.stringify({ id, key: secret, ...rest })}\n`);
    } else {
      io.err(
        `Key "${made.name}" (id ${made.id}) of scope ${made.scope}: it reads ${READS[made.scope]}.\nKeep it now: it is not shown again.\n`,
      );
      io.out(`${secret}\n`);
    }
  },
};

const READS: Record<KeyScope, string> = {
  all: "articles of every status. A website needs --scope published",
  published: "published articles only",
  preview: "every article with its latest changes, as if it were published",
};

const list: Command = {
  summary: "list a website's keys",
  help: `Usage: rostrum key list --website WEBSITE [--json]`,
  async run(args, io) {
    const { values } = parseOptions(args, { website: { type: "string" }, json: { type: "boolean" } });
    const website = required(values.website, "website");
    await using app = await openFor(io);
    const keys = (await listKeys(app, (await getWebsite(app, website)).id)).map(present);
    if (values.json) io.out(`${JSON.stringify(keys)}\n`);
    else
      writeTable(
        io,
        keys,
        ["id", "name", "prefix", "scope", "expires_at", "last_used_at", "revoked_at"],
        'No keys yet. "rostrum key create" makes one.',
      );
  },
};

const revoke: Command = {
  summary: "revoke a key",
  help: `Usage: rostrum key revoke ID [--json]

Running services refuse the key at once.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, ["The key's id"]);
    await using app = await openFor(io);
    const revoked = await revokeKey(app, positionals[0] ?? "", CLI_ORIGIN);
    io.out(values.json ? `${JSON.stringify(present(revoked))}\n` : `Key "${revoked.name}" is revoked.\n`);
  },
};

const rotateSecret: Command = {
  summary: "encrypt all secrets with a new secret key",
  help: `Usage: rostrum key rotate-secret [--json]

Encrypts the secrets of webhooks, senders and authenticators, the keys of review records, and waiting mails, with the current secret key (ROSTRUM_SECRET_KEY, or
secret.key in the data folder) where they were encrypted with ROSTRUM_SECRET_KEY_PREVIOUS. Services keep running meanwhile. The
command can be interrupted and run again. "rostrum doctor" says when the earlier key is no longer needed.

  --json  print the numbers as JSON: {"rotated": …, "already": …, "closed": …}; neither key opens those in "closed"`,
  async run(args, io) {
    const { values } = parseOptions(args, { json: { type: "boolean" } });
    const { resealTexts } = await import("../../operations/system/secret-key-rotation.ts");
    const { readSecretKeys } = await import("../system/secret-key.ts");
    const config = readConfig(io.environment, io.directory);
    await using app = await openFor(io);
    // Creates the data folder's key if there is none.
    app.secrets();
    const { current, previous } = readSecretKeys(config);
    if (current === null || previous === null) {
      throw new AppError(
        "misconfigured",
        "Set ROSTRUM_SECRET_KEY_PREVIOUS to the earlier key, and ROSTRUM_SECRET_KEY to the new one.",
      );
    }
    const found = await resealTexts(app, { current, previous }, CLI_ORIGIN);
    if (values.json) {
      const { previous: rotated, current: already, closed } = found;
      io.out(`${JSON.stringify({ rotated, already, closed })}\n`);
    } else {
      io.out(`${found.previous} secrets were encrypted with the new key; ${found.current} were already.\n`);
    }
    if (found.closed === 0) return 0;
    io.err(`Neither key decrypts ${found.closed} secrets: "rostrum doctor" lists them.\n`);
    return 1;
  },
};

export const key: Command = {
  summary: "create, list and revoke API keys, and rotate the secret key",
  ...subcommands("key", { create, list, revoke, "rotate-secret": rotateSecret }),
};

function present(apiKey: ApiKey) {
  return {
    id: apiKey.id,
    website_id: apiKey.websiteId,
    name: apiKey.name,
    prefix: apiKey.prefix,
    last_four: apiKey.lastFour,
    scope: apiKey.scope,
    rate_limit: apiKey.rateLimit,
    created_at: isoTime(apiKey.createdAt),
    expires_at: isoTimeOrNull(apiKey.expiresAt),
    last_used_at: isoTimeOrNull(apiKey.lastUsedAt),
    revoked_at: isoTimeOrNull(apiKey.revokedAt),
  };
}

export function parseLifetime(text: string): number {
  const lifetime = parseDuration(text);
  if (lifetime === undefined || lifetime === 0) {
    throw new UsageError(`--expires is "${text}"; write it like 90d, 12h or 30m.`);
  }
  return lifetime;
}

function parseRate(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new UsageError(`--rate-limit is "${text}"; it must be a whole number; 0 is off.`);
  return Number(text);
}
