import { openFor } from "../system/databases.ts";
import { type AccessToken, TOKEN_SCOPES, type TokenScope } from "../../domain/people/access-token.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import { isoTime, isoTimeOrNull } from "../../domain/system/time.ts";
import { createToken, listTokens, revokeToken } from "../../operations/people/access-tokens.ts";
import { getWebsite } from "../../operations/website/websites.ts";
import { type Command, parseChoice, parseOptions, required, subcommands } from "../command.ts";
import { writeTable } from "../output.ts";
import { parseLifetime } from "./key.ts";

const create: Command = {
  summary: "create an access token; it is shown only once",
  help: `Usage: rostrum token create --website WEBSITE --name NAME [--scope read|draft|publish]
                            [--expires 365d] [--json]

Creates an access token, with which a machine works on one website's articles through the management API, and prints it; it
cannot be shown again.

  --website  its id or its name
  --name     histories show it as the author of what the machine does
  --scope    draft (default) writes and submits articles, which a person approves; read only reads them; publish also approves,
             publishes and deletes them
  --expires  after how many days (90d), hours (12h) or minutes (30m) it stops working; 365d by default
  --json     print it as JSON: {"id": …, "token": …}`,
  async run(args, io) {
    const { values } = parseOptions(args, {
      website: { type: "string" },
      name: { type: "string" },
      scope: { type: "string" },
      expires: { type: "string" },
      json: { type: "boolean" },
    });
    const website = required(values.website, "website");
    const lifetime = values.expires === undefined ? null : parseLifetime(values.expires);
    const name = required(values.name, "name");
    const scope = parseChoice(values.scope, TOKEN_SCOPES, "scope") ?? "draft";
    await using app = await openFor(io);
    const expiresAt = lifetime === null ? null : app.clock() + lifetime;
    const { id: websiteId } = await getWebsite(app, website);
    const { secret, token: made } = await createToken(app, websiteId, { name, scope, expiresAt }, CLI_ORIGIN);
    if (values.json) {
      const { id, ...rest } = present(made);
      io.out(`${JSON.stringify({ id, token: secret, ...rest })}\n`);
    } else {
      io.err(
        `Access token "${made.name}" (id ${made.id}) of scope ${made.scope}: it ${DOES[made.scope]}, until ${isoTime(made.expiresAt).slice(0, 10)}.\nKeep it now: it is not shown again.\n`,
      );
      io.out(`${secret}\n`);
    }
  },
};

const DOES: Record<TokenScope, string> = {
  read: "reads articles of every status",
  draft: "writes and submits articles, which a person approves",
  publish: "writes, approves, publishes and deletes articles",
};

const list: Command = {
  summary: "list a website's access tokens",
  help: `Usage: rostrum token list --website WEBSITE [--json]`,
  async run(args, io) {
    const { values } = parseOptions(args, { website: { type: "string" }, json: { type: "boolean" } });
    const website = required(values.website, "website");
    await using app = await openFor(io);
    const tokens = (await listTokens(app, (await getWebsite(app, website)).id)).map(present);
    if (values.json) io.out(`${JSON.stringify(tokens)}\n`);
    else
      writeTable(
        io,
        tokens,
        ["id", "name", "prefix", "scope", "expires_at", "last_used_at", "revoked_at"],
        'No access tokens yet. "rostrum token create" makes one.',
      );
  },
};

const revoke: Command = {
  summary: "revoke an access token",
  help: `Usage: rostrum token revoke ID [--json]

Running services refuse the token at once.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, ["The token's id"]);
    await using app = await openFor(io);
    const revoked = await revokeToken(app, positionals[0] ?? "", CLI_ORIGIN);
    io.out(values.json ? `${JSON.stringify(present(revoked))}\n` : `Access token "${revoked.name}" is revoked.\n`);
  },
};

export const token: Command = {
  summary: "create, list and revoke access tokens",
  ...subcommands("token", { create, list, revoke }),
};

function present(one: AccessToken) {
  return {
    id: one.id,
    website_id: one.websiteId,
    name: one.name,
    prefix: one.prefix,
    last_four: one.lastFour,
    scope: one.scope,
    created_at: isoTime(one.createdAt),
    expires_at: isoTime(one.expiresAt),
    last_used_at: isoTimeOrNull(one.lastUsedAt),
    revoked_at: isoTimeOrNull(one.revokedAt),
  };
}
