import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { availableParallelism, constants } from "node:os";
import { ARTICLE_STATUSES, FIRST_STATES } from "../../domain/articles/article.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import { WARNING_KINDS, type WarningKind } from "../../domain/articles/warnings.ts";
import { IMPORT_FORMATS } from "../../importers/import-item.ts";
import { DIALECT_NAMES } from "../../importers/site.ts";
import { readPath } from "../../content-processes/import-reader.ts";
import { importArchive, isArchive } from "../../operations/articles/assets/asset-archive.ts";
import { type ImportItem, withItems } from "../../operations/articles/import/import-items.ts";
import { isZip, unzip } from "../../operations/articles/import/zip-archive.ts";
import { withCopies } from "../../operations/articles/assets/copy-pictures.ts";
import { type PictureCounts, withPictures } from "../../operations/articles/import/import-pictures.ts";
import { importArticles, type ImportSummary } from "../../operations/articles/import/imports.ts";
import { getWebsite } from "../../operations/website/websites.ts";
import { lowerProcessPriority } from "../../process/thread-priority.ts";
import { findPictureBase } from "../../store/articles/assets.ts";
import { getServiceUrl, openFor } from "../system/databases.ts";
import { CLI_ACTOR, type Command, type Io, parseChoice, parseOptions, required } from "../command.ts";
import { printableLine, progressBar } from "../output.ts";
import type { StopReason } from "../stop-signals.ts";

const INTERRUPTED = 128 + constants.signals.SIGINT;
const TERMINATED = 128 + constants.signals.SIGTERM;
const FORMATS = ["auto", ...IMPORT_FORMATS] as const;
/** Enough to keep the content processes busy while a batch is written to the disk. */
const TEXTS_AT_ONCE = 48;
/** With fewer cores a second content process gains nothing, and takes a second to compile the same code. */
const CORES_FOR_BOTH = 3;
/** How many places the text output names for each kind of warning. */
const MAX_PLACES = 3;
/** Limit for the text output; `--json` lists all. */
const MAX_LINES = 20;

export const importCommand: Command = {
  summary: "import articles",
  help: `Usage: rostrum import PATH --website WEBSITE [--format FORMAT] [--status STATUS]
                      [--include TYPES] [--dialect NAME]
                      [--review-state STATE] [--copy-images] [--events] [--dry-run]
                      [--accept-loss] [--fail-on-loss] [--overwrite] [--new-ids]
                      [--json]

Imports the articles in a file, a folder or a zip archive; "-" reads standard input. Importing the same files again changes nothing.
What has changed in them is applied, field by field, unless it was also changed here: then it is held until somebody
applies or drops it in the dashboard. What people unpublished or deleted stays so. What its site hides now, or no
longer calls published, is unpublished, unless people published it here: then its text is held.
A bad item is reported with the reason and does not stop the others. Pictures that articles name by
their paths are imported from beside them and from the static folders of their site. Set ROSTRUM_PUBLIC_URL first, which
their addresses begin with: without it they begin with this machine's.

  --website        the id or the name of the website they belong to
  --format FORMAT  ${FORMATS.join(", ")} (default: auto)
  --status STATUS  ${ARTICLE_STATUSES.join(", ")}: overrides the status in the files; what their site
                   hides (drafts, passwords, unlisted, expired or future articles) is pending all the same
  --include TYPES  pages, or other types of WordPress and Ghost by their names, with commas between them: they are
                   articles, too (default: only posts are)
  --dialect NAME   the generator for which Markdown files are written: ${DIALECT_NAMES.slice(0, 5).join(", ")},
                   ${DIALECT_NAMES.slice(5).join(", ")} (default: it is recognised)
  --review-state STATE
                   draft, or in_review (default), for new pending articles that do not name a state
  --copy-images    also copy pictures from other addresses on the web, once each, and put their new addresses into the
                   texts; private networks are never called. Pictures that fail are reported; repeat the command to retry
  --events         send webhooks for articles that are published or changed (default: none are sent)
  --accept-loss    let articles that lost more than a tenth of their words, or show source markup, go live as their files
                   say (default: they are pending with that reason, or held if they are live)
  --fail-on-loss   exit with 1 if any article lost words or shows source markup; everything is imported all the same
  --overwrite      apply all that the files say, also over changes made here
  --new-ids        give articles new ids, for a copy of a website whose articles are in this service
  --dry-run        report what would be imported, without saving anything
  --json           print the summary as JSON: {created, updated, unchanged, held, hidden, failed,
                   skipped, warnings, warning_counts, dialects, pictures}`,
  async run(args, io) {
    const { values, positionals } = parseOptions(
      args,
      {
        website: { type: "string" },
        format: { type: "string" },
        status: { type: "string" },
        include: { type: "string" },
        dialect: { type: "string" },
        "review-state": { type: "string" },
        "copy-images": { type: "boolean" },
        events: { type: "boolean" },
        "dry-run": { type: "boolean" },
        "accept-loss": { type: "boolean" },
        "fail-on-loss": { type: "boolean" },
        overwrite: { type: "boolean" },
        "new-ids": { type: "boolean" },
        json: { type: "boolean" },
      },
      ["The path of the file, folder or zip archive to import"],
    );
    const wanted = required(values.website, "website");
    const format = parseChoice(values.format, FORMATS, "format") ?? "auto";
    const dialect = parseChoice(values.dialect, DIALECT_NAMES, "dialect") ?? null;
    const status = parseChoice(values.status, ARTICLE_STATUSES, "status");
    const reviewState = parseChoice(values["review-state"], FIRST_STATES, "review-state");
    // Preparing thousands of articles keeps a core busy, so a server on the same machine takes precedence.
    lowerProcessPriority();
    const usesBoth = availableParallelism() >= CORES_FOR_BOTH;
    await using app = await openFor(io, { contentLimits: { usesBoth } });
    const website = await getWebsite(app, wanted);
    app.startContentProcess();
    using bar = progressBar(io, "importing");
    let done = 0;
    const path = positionals[0] ?? "";
    const known = app.config.publicUrl ?? (await app.store.read(findPictureBase));
    const base = website.assetUrl ?? known ?? getServiceUrl(app.config);
    const origin = { ...CLI_ORIGIN, actor: "import" };
    const isDryRun = values["dry-run"] === true;
    await using archive = (await isArchive(path))
      ? await importArchive(app, path, isDryRun ? null : { website, base, origin })
      : null;
    await using zip = (await isZip(path, path)) ? await unzip(path, path) : null;
    const place = zip?.root ?? path;
    const found = readPath(archive?.articles ?? place, {
      format: archive === null ? format : "ndjson",
      websiteUrl: website.url,
      website: { urlPattern: website.urlPattern, language: website.language },
      stdin: io.stdin,
      clock: app.clock,
      status,
      include: readTypes(values.include),
      dialect,
      onProgress: (read, total) => bar.show(total === null ? null : read / total, `${done} articles`),
    });
    const takesPictures = path !== "-" && archive === null;
    const counts = { imported: 0, missing: 0 };
    const complete = takesPictures
      ? withPictures(app, found, { root: await findFolder(place), website, base, origin }, { dryRun: isDryRun, counts })
      : found;
    const copies = values["copy-images"] === true && !isDryRun;
    let copied = 0;
    const onCopied = () => void copied++;
    const withAll = copies ? withCopies(app, complete, { website, base, origin }, { onCopied }) : complete;
    const items = untilStopped(io, withItems(withAll, (archive ?? zip)?.skipped ?? []));
    const summary = await importArticles(app, website.id, items.read(), {
      events: values.events ?? false,
      dryRun: values["dry-run"] ?? false,
      acceptLoss: values["accept-loss"] ?? false,
      overwrite: values.overwrite ?? false,
      newIds: values["new-ids"] ?? false,
      reviewState,
      actor: { ...CLI_ACTOR, id: "import" },
      textsAtOnce: TEXTS_AT_ONCE,
      ...(status === undefined ? {} : { status }),
      onBatch: (summary) => (done = countSaved(summary)),
    });
    bar.clear();
    const { warning_counts: warned } = summary;
    const pictures = { pictures: counts, ...(copies ? { pictures_copied: copied } : {}) };
    io.out(
      values.json ? `${JSON.stringify({ ...summary, ...pictures })}\n` : describeSummary(summary, isDryRun, pictures),
    );
    if (items.stopped() !== null) {
      const saved = isDryRun ? 0 : countSaved(summary);
      io.err(
        `Stopped${saved === 0 ? " before anything was saved" : ` with ${saved} articles saved`}. ` +
          "Run the same command again to go on; what is saved already stays as it is.\n",
      );
      return items.stopped() === "SIGINT" ? INTERRUPTED : TERMINATED;
    }
    const isLossy = Object.hasOwn(warned, "words_lost") || Object.hasOwn(warned, "source_markup");
    return summary.failed.length > 0 || (values["fail-on-loss"] === true && isLossy) ? 1 : 0;
  },
};

/** Passes the items on until the process is told to stop; what was read before is still saved. */
function untilStopped(io: Pick<Io, "whenStopped">, items: AsyncIterable<ImportItem>) {
  let reason: StopReason | null = null;
  void io.whenStopped().then((signal) => (reason = signal));
  return {
    stopped: () => reason,
    async *read(): AsyncGenerator<ImportItem> {
      for await (const item of items) {
        if (reason !== null) return;
        yield item;
      }
    },
  };
}

function countSaved({ created, updated, held, unchanged }: ImportSummary): number {
  return created + updated + held.length + unchanged;
}

async function findFolder(path: string): Promise<string> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    // An unreadable file is reported when it is read.
    () => false,
  );
  return isFolder ? path : dirname(path);
}

function readTypes(given: string | undefined): string[] {
  const types = (given ?? "").split(",").map((type) => type.trim().toLowerCase());
  return types.filter((type) => type !== "").map((type) => (type === "pages" ? "page" : type));
}

function describeSummary(
  summary: ImportSummary,
  isDryRun: boolean,
  { pictures: { imported, missing }, pictures_copied: copied }: { pictures: PictureCounts; pictures_copied?: number },
): string {
  const { created, updated, unchanged, held, hidden, failed, skipped, dialects } = summary;
  const generators = Object.entries(dialects).map(([name, count]) => `${count} of ${name}`);
  const lines = [
    `${isDryRun ? "Would be: " : ""}${created} created, ${updated} updated, ${unchanged} unchanged, ` +
      `${held.length} held, ${failed.length} failed, ${skipped.length} skipped.` +
      (copied === undefined ? "" : ` ${copied} ${copied === 1 ? "picture" : "pictures"} copied.`),
    ...(imported + missing === 0 ? [] : [`Pictures: ${imported} imported, ${missing} missing.`]),
    ...(generators.length === 0 ? [] : [`Articles: ${generators.join(", ")}.`]),
    ...section("Held", held),
    ...section("Pending", hidden),
    ...section("Failed", failed),
    ...section("Skipped", skipped),
    ...describeWarnings(summary),
  ];
  return `${lines.join("\n")}\n`;
}

function describeWarnings({ warnings, warning_counts: counts }: ImportSummary): string[] {
  return Object.entries(WARNING_KINDS).flatMap(([kind, heading]) => {
    const count = counts[kind as WarningKind] ?? 0;
    if (count === 0) return [];
    const places = warnings.filter((one) => one.kind === kind).slice(0, MAX_PLACES);
    const lines = places.map(({ source, detail }) => `  ${printableLine(`${source}: ${detail}`)}`);
    const more = count > lines.length ? [`  … and ${count - lines.length} more; --json lists them.`] : [];
    return [[`${heading} (${count}):`], lines, more].flat();
  });
}

function section(title: string, items: readonly { source: string; reason: string }[]): string[] {
  if (items.length === 0) return [];
  const lines = items.slice(0, MAX_LINES).map(({ source, reason }) => `  ${printableLine(`${source}: ${reason}`)}`);
  const more = items.length - lines.length;
  return [`${title}:`, ...lines, ...(more > 0 ? [`  … and ${more} more; --json lists them all.`] : [])];
}
