import { readFile } from "node:fs/promises";
import { verifyReviewRecord } from "../../domain/articles/review-record.ts";
import { AppError } from "../../domain/system/errors.ts";
import { type Command, parseOptions } from "../command.ts";

export const verify: Command = {
  summary: "check a review record offline",
  help: `Usage: rostrum verify ARTICLE.json RECORD.jws KEYS.json [--json]

Checks that RECORD.jws was signed with a key of KEYS.json, and is about exactly this article. Needs no service and no database.

ARTICLE.json is the read API's answer with include=review_record, a line of an export, or the payload of a webhook.
KEYS.json is the answer of /.well-known/rostrum-keys.json of the service that signed. Exits with 1 if the record is not valid.
docs/review-records.md says what a valid record proves.

  --json  print {"valid": true, "record": …, "key": …, "not_compared": […]} or {"valid": false, "reason": …}`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, [
      "The article's file",
      "The record's file",
      "The key set's file",
    ]);
    const [articleFile = "", recordFile = "", keysFile = ""] = positionals;
    const [article, jws, keys] = [await readJson(articleFile), await readText(recordFile), await readJson(keysFile)];
    const result = verifyReviewRecord(article, jws, keys);
    if (values.json) {
      const { valid, ...rest } = result.valid
        ? { valid: true, record: result.record, key: result.kid, not_compared: result.notCompared }
        : result;
      io.out(`${JSON.stringify({ valid, ...rest })}\n`);
    } else if (result.valid) {
      const { review, responsible } = result.record;
      const who = `${review.person} (${review.role}; responsible: ${responsible.name})`;
      const without = result.notCompared.length === 0 ? "" : ` Not compared: ${result.notCompared.join(", ")}.`;
      io.out(`${who} approved exactly this on ${review.approved_at}.${without}\n`);
    } else {
      io.out(`Not valid: ${result.reason}.\n`);
    }
    return result.valid ? 0 : 1;
  },
};

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new AppError("invalid", `${file} cannot be read.`, { cause: error });
  }
}

async function readJson(file: string): Promise<unknown> {
  const text = await readText(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("invalid", `${file} is not JSON.`, { cause: error });
  }
}
