import { openFor } from "../system/databases.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import { ROLES } from "../../domain/people/permissions.ts";
import { requestReset } from "../../operations/people/accounts.ts";
import { welcomeUrl } from "../../operations/people/invitations.ts";
import { addMember, listMembers, toMemberJson } from "../../operations/people/members.ts";
import { getWebsite } from "../../operations/website/websites.ts";
import { type Command, parseChoice, parseOptions, required, subcommands } from "../command.ts";
import { getServiceUrl } from "../system/databases.ts";
import { writeTable } from "../output.ts";

const create: Command = {
  summary: "add a user; prints a one-time link",
  help: `Usage: rostrum user create --email EMAIL [--name NAME] [--role owner|editor|approver|viewer]
                           [--website WEBSITE] [--json]

Adds a person to every website, or to one, and prints a link at which the person sets a password. It works once, within seven days.
A person who already has a password that nobody else can know (set by a mailed link, or by a link from a command or an owner of
every website) needs no link; everybody else sets a new password by this link.

  --role     viewer (default) reads; editor also writes; approver also approves, publishes and deletes;
             owner also has keys, webhooks, members and settings
  --website  the id or the name of the only website that the person joins (default: every website)
  --json     print it as JSON: {"id": …, "email": …, "link": …}`,
  async run(args, io) {
    const { values } = parseOptions(args, {
      email: { type: "string" },
      name: { type: "string" },
      role: { type: "string" },
      website: { type: "string" },
      json: { type: "boolean" },
    });
    const email = required(values.email, "email");
    const role = parseChoice(values.role, ROLES, "role") ?? "viewer";
    await using app = await openFor(io, { mayCreate: values.website === undefined });
    const website = values.website === undefined ? null : await getWebsite(app, values.website);
    const input = { email, name: values.name ?? "", role, websiteId: website?.id ?? null };
    const { member, token, isMailed } = await addMember(app, input, CLI_ORIGIN);
    const link = token === null ? null : welcomeUrl(getServiceUrl(app.config), token);
    const place = website === null ? "every website" : `"${website.name}"`;
    if (values.json) {
      io.out(`${JSON.stringify({ ...toMemberJson(member), link, mailed: isMailed })}\n`);
    } else if (link === null) {
      io.err(`${member.email} has an account already, and is ${member.role} of ${place} from now on.\n`);
    } else {
      io.err(
        `${member.email} is ${member.role} of ${place}. The link to set a password, valid once, for 7 days${alsoBy(isMailed)}:\n`,
      );
      io.out(`${link}\n`);
    }
  },
};

const list: Command = {
  summary: "list the users",
  help: `Usage: rostrum user list [--json]

One line for each membership; a person may have several, of different websites.`,
  async run(args, io) {
    const { values } = parseOptions(args, { json: { type: "boolean" } });
    await using app = await openFor(io);
    const members = (await listMembers(app, null)).map(toMemberJson);
    if (values.json) io.out(`${JSON.stringify(members)}\n`);
    else
      writeTable(
        io,
        members,
        ["email", "name", "role", "website_id", "state", "totp", "last_sign_in_at"],
        'No users yet. "rostrum user create" adds one.',
      );
  },
};

const resetPassword: Command = {
  summary: "create a link to reset a password",
  help: `Usage: rostrum user reset-password EMAIL [--without-totp] [--without-passkeys] [--json]

Prints a link at which the person sets a new password. It works once, within a day. Using it ends all of the person's
sessions.

  --without-totp      also turn off the authenticator, if it and the recovery codes are lost
  --without-passkeys  also remove the passkeys, if they are lost or an intruder may have added one: a passkey signs in
                      without the password, so a new password alone does not keep the intruder out

With either option, using the link also removes passkeys and authenticators that were added after the link was made.`,
  async run(args, io) {
    const options = {
      "without-totp": { type: "boolean" },
      "without-passkeys": { type: "boolean" },
      json: { type: "boolean" },
    } as const;
    const { values, positionals } = parseOptions(args, options, ["The person's e-mail address"]);
    await using app = await openFor(io);
    const without = {
      withoutTotp: values["without-totp"] ?? false,
      withoutPasskeys: values["without-passkeys"] ?? false,
    };
    const { account, token, isMailed } = await requestReset(app, positionals[0] ?? "", without, CLI_ORIGIN);
    const link = welcomeUrl(getServiceUrl(app.config), token);
    if (values.json) {
      io.out(`${JSON.stringify({ account_id: account.id, email: account.email, link, mailed: isMailed })}\n`);
    } else {
      io.err(`The link at which ${account.email} sets a new password, valid once${alsoBy(isMailed)}:\n`);
      io.out(`${link}\n`);
    }
  },
};

export const user: Command = {
  summary: "add and list users, reset passwords",
  ...subcommands("user", { create, list, "reset-password": resetPassword }),
};

function alsoBy(isMailed: boolean): string {
  return isMailed ? "; the service sends it by mail, too" : "";
}
