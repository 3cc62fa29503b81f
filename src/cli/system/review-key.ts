import type { SigningKey } from "../../domain/system/signing-key.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import { isoTime, isoTimeOrNull, parseIsoTime } from "../../domain/system/time.ts";
import { listReviewKeys, revokeReviewKey, rotateReviewKey } from "../../operations/system/signing-keys.ts";
import { type Command, parseOptions, subcommands, UsageError } from "../command.ts";
import { writeTable } from "../output.ts";
import { openFor } from "./databases.ts";

const list: Command = {
  summary: "list the keys that sign review records",
  help: `Usage: rostrum review-key list [--json]

Lists them, oldest first. The service publishes them at /.well-known/rostrum-keys.json.`,
  async run(args, io) {
    const { values } = parseOptions(args, { json: { type: "boolean" } });
    await using app = await openFor(io);
    const keys = (await listReviewKeys(app)).map(present);
    if (values.json) io.out(`${JSON.stringify(keys)}\n`);
    else
      writeTable(
        io,
        keys,
        ["id", "created_at", "retired_at", "revoked_at"],
        "No keys yet: the first is made when a review record is signed.",
      );
  },
};

const rotate: Command = {
  summary: "sign with a new key from now on",
  help: `Usage: rostrum review-key rotate [--json]

Makes a new key, and destroys the private part of the earlier one. Records that it signed stay valid: the key set keeps its
public part.`,
  async run(args, io) {
    const { values } = parseOptions(args, { json: { type: "boolean" } });
    await using app = await openFor(io);
    const key = present(await rotateReviewKey(app, CLI_ORIGIN));
    io.out(values.json ? `${JSON.stringify(key)}\n` : `Review records are signed with ${key.id} from now on.\n`);
  },
};

const revoke: Command = {
  summary: "say that a key is no longer trusted",
  help: `Usage: rostrum review-key revoke ID [--since TIME] [--json]

Use it if somebody else may have the key. Records that it signed since then are no longer valid, and it signs nothing more;
the next approval makes a new key. Somebody who has a key can give a record any time: if you do not know since when, name
the time when the key was made, and approve again what matters.

  --since TIME  ISO 8601, such as 2026-03-01T09:00:00Z (default: now); a later command can only name an earlier time
  --json        print the key as JSON`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { since: { type: "string" }, json: { type: "boolean" } }, [
      "The key's id",
    ]);
    const since = values.since === undefined ? undefined : parseIsoTime(values.since);
    if (since === null) throw new UsageError(`--since is "${values.since}"; write it like 2026-03-01T09:00:00Z.`);
    await using app = await openFor(io);
    const key = present(await revokeReviewKey(app, positionals[0] ?? "", since, CLI_ORIGIN));
    io.out(
      values.json
        ? `${JSON.stringify(key)}\n`
        : `What ${key.id} has signed since ${key.revoked_at} is no longer valid.\n`,
    );
  },
};

function present({ id, publicKey, createdAt, retiredAt, revokedAt }: SigningKey) {
  return {
    id,
    public_key: publicKey,
    created_at: isoTime(createdAt),
    retired_at: isoTimeOrNull(retiredAt),
    revoked_at: isoTimeOrNull(revokedAt),
  };
}

export const reviewKey: Command = {
  summary: "list, rotate and revoke the keys that sign review records",
  ...subcommands("review-key", { list, rotate, revoke }),
};
