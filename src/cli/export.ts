import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { openApp } from "../app.ts";
import { readConfig } from "../config.ts";
import { ARTICLE_STATUSES } from "../domain/articles/article.ts";
import { CLI_ORIGIN } from "../domain/system/audit.ts";
import { exportArticles, recordExport } from "../operations/articles/exports.ts";
import { getWebsite } from "../operations/system/websites.ts";
import { createPrivateFile, renameDurably } from "../store/system/files.ts";
import { type Command, oneOf, parse, required } from "./command.ts";
import { writable } from "./files.ts";

export const exportCommand: Command = {
  summary: "export a website's articles",
  help: `Usage: rostrum export --website WEBSITE [--output FILE] [--status STATUS]

Writes every article as a line of NDJSON, oldest first, to FILE or standard output. "import" reads these
lines, and exporting them again yields the same bytes. The trash is not exported. The audit log records the export.`,
  async run(args, io) {
    const { values } = parse(args, {
      website: { type: "string" },
      output: { type: "string" },
      status: { type: "string" },
    });
    const wanted = required(values.website, "website");
    const status = oneOf(values.status, ARTICLE_STATUSES, "status");
    await using app = await openApp(readConfig(io.environment, io.directory));
    const { id: websiteId } = await getWebsite(app, wanted);
    await recordExport(app, websiteId, status ?? null, CLI_ORIGIN);
    const lines = Readable.from(exportArticles(app, websiteId, status));
    const { output } = values;
    if (output === undefined) {
      await pipeline(
        lines,
        new Writable({ decodeStrings: false, write: (line, _encoding, done) => io.write(String(line), done) }),
      );
      return 0;
    }
    // Writes to a temporary name first, so that an interrupted export cannot be mistaken for a complete one.
    const unfinished = `${output}.unfinished`;
    await writable(output, async () => {
      await rm(unfinished, { force: true });
      createPrivateFile(unfinished);
      await pipeline(lines, createWriteStream(unfinished, { flags: "r+" }));
      renameDurably(unfinished, output);
    });
    return 0;
  },
};
