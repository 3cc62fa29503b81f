import { createWriteStream } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { getServiceUrl, openFor } from "../system/databases.ts";
import { ARTICLE_STATUSES } from "../../domain/articles/article.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import { exportArchive } from "../../operations/articles/assets/asset-archive.ts";
import { EXPORT_FORMATS, exportAs } from "../../operations/articles/export/formats.ts";
import { Losses } from "../../operations/articles/export/losses.ts";
import { exportRedirects } from "../../operations/articles/export/redirects.ts";
import { recordExport } from "../../operations/articles/import/exports.ts";
import { isDiskFull } from "../../store/system/outage.ts";
import { getWebsite } from "../../operations/website/websites.ts";
import { type Command, parseChoice, parseOptions, required, UsageError } from "../command.ts";
import { replaceFile, standardOutput } from "../files.ts";

const NO_ADDRESSES =
  "The archive does not say where its pictures are served: set ROSTRUM_PUBLIC_URL as for the service, and export again. " +
  "Otherwise the texts of a copy show the pictures of this website.\n";

const PROGRAMS = { rostrum: "Rostrum", wordpress: "WordPress", ghost: "Ghost" } as const;

export const exportCommand: Command = {
  summary: "export a website's articles",
  help: `Usage: rostrum export --website WEBSITE [--output FILE] [--force] [--status STATUS]
                      [--with-assets] [--format rostrum|wordpress|ghost] [--redirects FILE]

Writes every article as a line of NDJSON, oldest first, to FILE or standard output (-). "import" reads
these lines, and exporting them again yields the same bytes. The trash is not exported. The audit log records the export.

  --format         wordpress: a WXR file for WordPress' importer; ghost: a JSON file for Ghost's. What the format cannot
                   hold is listed on standard error, with the number of articles
  --redirects      also write former addresses to FILE: for wordpress, the CSV file of its plugin Redirection; for
                   ghost, its redirects.json
  --force          replace FILE if it exists
  --with-assets    write one tar archive to FILE: the articles and all pictures of the website; "import" reads it`,
  async run(args, io) {
    const { values } = parseOptions(args, {
      website: { type: "string" },
      output: { type: "string" },
      force: { type: "boolean" },
      status: { type: "string" },
      "with-assets": { type: "boolean" },
      format: { type: "string" },
      redirects: { type: "string" },
    });
    const wanted = required(values.website, "website");
    const { output, force = false, "with-assets": withAssets = false, redirects } = values;
    if (withAssets) required(output, "output");
    const format = parseChoice(values.format, EXPORT_FORMATS, "format") ?? "rostrum";
    if (withAssets && format !== "rostrum") {
      throw new UsageError(`--with-assets is not for --format ${format}: the file has the addresses of the pictures.`);
    }
    if (redirects !== undefined && format === "rostrum") {
      throw new UsageError(
        "--redirects is for --format wordpress or ghost: a line of NDJSON has an article's aliases.",
      );
    }
    const status = parseChoice(values.status, ARTICLE_STATUSES, "status");
    await using app = await openFor(io);
    const website = await getWebsite(app, wanted);
    const { id: websiteId } = website;
    if (withAssets && website.assetUrl === null && app.config.publicUrl === null) io.err(NO_ADDRESSES);
    const losses = new Losses();
    const write = async (target: Writable): Promise<void> => {
      await recordExport(app, websiteId, status ?? null, CLI_ORIGIN).catch((error: unknown) => {
        // Whoever has the command has the data; on a full disk it may be the way out.
        if (!isDiskFull(error)) throw error;
        io.err("The disk of the database is full: the audit log does not record this export.\n");
      });
      const articles = exportAs(app, websiteId, { format, status, losses });
      await pipeline(
        Readable.from(withAssets ? exportArchive(app, website, articles, getServiceUrl(app.config)) : articles),
        target,
      );
    };
    if (output === undefined || output === "-") await write(standardOutput(io));
    else await replaceFile(output, force, (draft) => write(createWriteStream(draft, { flags: "r+" })));
    const lost = losses.describe();
    if (lost.length > 0)
      io.err(`What ${PROGRAMS[format]} has no place for:\n${lost.map((line) => `  ${line}\n`).join("")}`);
    if (redirects !== undefined && format !== "rostrum") {
      const lines = exportRedirects(app, websiteId, format, status);
      await replaceFile(redirects, force, (draft) =>
        pipeline(Readable.from(lines), createWriteStream(draft, { flags: "r+" })),
      );
    }
  },
};
