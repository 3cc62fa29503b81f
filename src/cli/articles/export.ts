import { createWriteStream } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { openFor } from "../system/databases.ts";
import { ARTICLE_STATUSES } from "../../domain/articles/article.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import { exportArchive } from "../../operations/articles/assets/asset-archive.ts";
import { exportArticles, recordExport } from "../../operations/articles/import/exports.ts";
import { getWebsite } from "../../operations/website/websites.ts";
import { type Command, parseChoice, parseOptions, required } from "../command.ts";
import { replaceFile, standardOutput } from "../files.ts";

const NO_ADDRESSES =
  "The archive does not say where its pictures are served: set ROSTRUM_PUBLIC_URL as for the service, and export again. " +
  "Otherwise the texts of a copy show the pictures of this website.\n";

export const exportCommand: Command = {
  summary: "export a website's articles",
  help: `Usage: rostrum export --website WEBSITE [--output FILE] [--force] [--status STATUS]
                      [--with-assets]

Writes every article as a line of NDJSON, oldest first, to FILE or standard output (-). "import" reads
these lines, and exporting them again yields the same bytes. The trash is not exported. The audit log records the export.

  --force          replace FILE if it exists
  --with-assets    write one tar archive to FILE: the articles and all pictures of the website; "import" reads it`,
  async run(args, io) {
    const { values } = parseOptions(args, {
      website: { type: "string" },
      output: { type: "string" },
      force: { type: "boolean" },
      status: { type: "string" },
      "with-assets": { type: "boolean" },
    });
    const wanted = required(values.website, "website");
    const { output, force = false, "with-assets": withAssets = false } = values;
    if (withAssets) required(output, "output");
    const status = parseChoice(values.status, ARTICLE_STATUSES, "status");
    await using app = await openFor(io);
    const website = await getWebsite(app, wanted);
    const { id: websiteId } = website;
    if (withAssets && website.assetUrl === null && app.config.publicUrl === null) io.err(NO_ADDRESSES);
    const write = async (target: Writable): Promise<void> => {
      await recordExport(app, websiteId, status ?? null, CLI_ORIGIN);
      const articles = exportArticles(app, websiteId, status);
      await pipeline(
        Readable.from(withAssets ? exportArchive(app, website, articles, app.config.publicUrl) : articles),
        target,
      );
    };
    if (output === undefined || output === "-") await write(standardOutput(io));
    else await replaceFile(output, force, (draft) => write(createWriteStream(draft, { flags: "r+" })));
  },
};
