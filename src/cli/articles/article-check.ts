import { asUuid, parseMetrics, type QualityMetrics } from "../../domain/articles/article.ts";
import { FINDING_KINDS, type Finding } from "../../domain/articles/findings.ts";
import type { Website } from "../../domain/system/website.ts";
import { AppError } from "../../domain/system/errors.ts";
import { ContentPool } from "../../content-processes/pool.ts";
import { readPath } from "../../content-processes/import-reader.ts";
import { previewArticle } from "../../operations/articles/review/preview.ts";
import { getArticle } from "../../operations/articles/write/articles.ts";
import { prepareNew } from "../../operations/articles/write/edit-article.ts";
import { getWebsite } from "../../operations/website/websites.ts";
import { type Command, type Io, parseOptions } from "../command.ts";
import { printableLine } from "../output.ts";
import { openFor } from "../system/databases.ts";

const EXIT_FAILED = 1;
const EXIT_BLOCKED = 2;

interface Checked {
  /** File or id. */
  source: string;
  title: string;
  quality_metrics: QualityMetrics;
}

interface Unread {
  source: string;
  reason: string;
}

export const check: Command = {
  summary: "check the quality of an article, or of files, without saving anything",
  help: `Usage: rostrum article check ID [--json]
       rostrum article check PATH [--website WEBSITE] [--json]

Checks an article of the service with its draft copy, or the articles of a file or folder in any form that "rostrum import"
reads; "-" is standard input. It prints each article's score, and its findings with the passages (docs/quality-metrics.md).
Files need no database, unless --website names the website that they are for.

The exit code is 2 if a finding blocks, and 1 if something could not be read.

  --website WEBSITE  whose address tells internal links, and whose language is that of files that name none
  --json             print {articles: [{source, title, quality_metrics}], failed: [{source, reason}]}`,
  async run(args, io) {
    const options = { website: { type: "string" }, json: { type: "boolean" } } as const;
    const { values, positionals } = parseOptions(args, options, ["An article's id, or the path of a file or folder"]);
    const given = positionals[0] ?? "";
    const id = asUuid(given);
    const checked: Checked[] = [];
    const failed: Unread[] = [];
    const results = id === null ? checkPath(given, values.website, io) : checkStored(id, io);
    for await (const result of results) {
      if ("reason" in result) failed.push(result);
      else checked.push(result);
      if (!values.json) io.out(describe(result));
    }
    if (values.json) io.out(`${JSON.stringify({ articles: checked, failed })}\n`);
    if (checked.some(({ quality_metrics: metrics }) => metrics.integrity.status === "fail")) return EXIT_BLOCKED;
    return failed.length > 0 ? EXIT_FAILED : 0;
  },
};

async function* checkStored(id: string, io: Io): AsyncGenerator<Checked> {
  await using app = await openFor(io);
  const { article } = await getArticle(app, id);
  const { metrics, title } = await previewArticle(app, { websiteId: article.websiteId, id }, {});
  yield { source: id, title, quality_metrics: metrics };
}

async function* checkPath(path: string, wanted: string | undefined, io: Io): AsyncGenerator<Checked | Unread> {
  await using opened = new AsyncDisposableStack();
  const app = wanted === undefined ? undefined : opened.use(await openFor(io));
  const website = app === undefined ? NO_WEBSITE : await getWebsite(app, wanted ?? "");
  const pool = io.pools?.content ?? opened.use(new ContentPool());
  const deps = { clock: Date.now, deriveContent: pool.deriveContent.bind(pool) };
  const { urlPattern, language, url } = website;
  const options = { format: "auto", websiteUrl: url, website: { urlPattern, language }, stdin: io.stdin } as const;
  const skipped: Unread[] = [];
  let isEmpty = true;
  for await (const item of readPath(path, { ...options, clock: Date.now })) {
    if (item.kind !== "draft") {
      if (item.kind === "failed") yield { source: item.source, reason: item.reason };
      else skipped.push({ source: item.source, reason: item.reason });
      continue;
    }
    isEmpty = false;
    const { source, input } = item;
    try {
      const { composed } = await prepareNew(deps, website, input, { acceptLoss: true });
      yield { source, title: input.title ?? "", quality_metrics: parseMetrics(composed.prepared.metricsJson) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      yield { source, reason: error.message };
    }
  }
  // Among articles, other files are no failure.
  if (isEmpty) yield* skipped;
}

const NO_WEBSITE: Pick<Website, "id" | "url" | "language" | "urlPattern"> = {
  id: "",
  url: null,
  language: null,
  urlPattern: null,
};

function describe(result: Checked | Unread): string {
  if ("reason" in result) return `${printableLine(`${result.source}: failed: ${result.reason}`)}\n`;
  const { source, title, quality_metrics: metrics } = result;
  const { blocking, warnings, findings } = metrics.integrity;
  const counts = [
    ...(blocking > 0 ? [`${blocking} blocking`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? "warning" : "warnings"}`] : []),
  ];
  const head = `${source}: ${title}: score ${metrics.overall_score}, ${counts.join(", ") || "nothing found"}`;
  return [head, ...findings.map(describeFinding)].map((line) => `${printableLine(line)}\n`).join("");
}

function describeFinding({ kind, severity, field, quote, message }: Finding): string {
  const place = field === "text" ? "" : field === "title" ? " in the title" : " in the meta description";
  const passage = quote === "" ? "" : `: “${quote}”`;
  return `  ${severity === "block" ? "blocks" : "warns "}  ${FINDING_KINDS[kind]}${place}${passage}. ${message}`;
}
