import { FINDING_KINDS, type FindingKind } from "../../domain/articles/findings.ts";
import { recheckAll } from "../../operations/articles/write/recheck.ts";
import { getWebsite } from "../../operations/website/websites.ts";
import { lowerProcessPriority } from "../../process/thread-priority.ts";
import { type Command, parseOptions } from "../command.ts";
import { printableLine, progressBar } from "../output.ts";
import { openFor } from "../system/databases.ts";

export const recheck: Command = {
  summary: "compute quality metrics again after an upgrade",
  help: `Usage: rostrum recheck [--website WEBSITE] [--json]

Computes again the quality metrics and findings that an earlier version computed (docs/quality-metrics.md).
The service does so by itself in the background after an upgrade; this command waits for the end. It may be stopped and
repeated. People see the new metrics at once, readers when an article is saved next: approvals, versions and ETags stay.

  --website WEBSITE  only this website's articles (default: all)
  --json             print {rechecked, failed, blocking}: blocking counts the articles with such a finding, by kind`,
  async run(args, io) {
    const { values } = parseOptions(args, { website: { type: "string" }, json: { type: "boolean" } });
    // A server on the same machine takes precedence.
    lowerProcessPriority();
    await using app = await openFor(io);
    const websiteId = values.website === undefined ? null : (await getWebsite(app, values.website)).id;
    using bar = progressBar(io, "rechecking");
    const counts = await recheckAll(
      app,
      websiteId,
      (share, { rechecked }) => bar.show(share, `${rechecked} articles`),
      (error, message) => {
        bar.clear();
        io.err(`${printableLine(`${message}: ${error instanceof Error ? error.message : String(error)}`)}\n`);
      },
    );
    bar.clear();
    const { rechecked, failed, blocking } = counts;
    const kinds = Object.entries(blocking) as [FindingKind, number][];
    const lines = [
      `${rechecked} ${rechecked === 1 ? "article" : "articles"} rechecked, ${failed} failed.`,
      ...kinds.map(([kind, count]) => `  ${FINDING_KINDS[kind]}, which blocks: ${count}`),
    ];
    io.out(values.json ? `${JSON.stringify(counts)}\n` : `${lines.join("\n")}\n`);
    return failed > 0 ? 1 : 0;
  },
};
