import type { InternalLink, PipelineStep } from "../article.ts";
import type { Millis } from "../../system/time.ts";
import { AppError } from "../../system/errors.ts";
import { ARTICLE_LIMITS } from "../json-values.ts";
import type { TextLoss } from "../text-loss.ts";
import type { Warning } from "../warnings.ts";
import type { ExcessCells } from "./markdown/bounded-lexer.ts";
import type { ContentSource, KnownContent } from "./content-source.ts";
import { toExcerpt } from "./excerpt.ts";
import { sortLinks } from "./html/urls.ts";
import { findLosses, NO_LOSSES } from "./html/loss.ts";
import { findProblems } from "./integrity/find-problems.ts";
import { toMaterial } from "./integrity/material.ts";
import { findWarnings } from "./html/find-warnings.ts";
import { htmlToMarkdown } from "./markdown/gfm.ts";
import { isSafeInAnyMarkdownParser, renderMarkdown } from "./markdown/markdown.ts";
import { fingerprint } from "./measure/fingerprint.ts";
import { evaluate, evaluateFields } from "./measure/metrics.ts";
import { indexedWords, searchTokens } from "./measure/search.ts";
import { sanitiseHtml } from "./html/sanitise.ts";
import { type Block, collectStats, visibleText } from "./html/text.ts";

/** Everything that is derived from an article's content, once per save. */
export interface DerivedContent {
  /** Sanitised; clean input is kept byte for byte. */
  html: string;
  /** GFM: the source if any parser may read it, else derived from `html`. */
  markdown: string;
  /** The source, if that is another text; else null. */
  markdownSource: string | null;
  /** Visible text, paragraphs separated by one empty line. */
  text: string;
  excerpt: string;
  /** The words by which a search finds the article, from `indexedWords`. */
  words: string;
  /** By which near duplicates are found; null: the text is too short. Absent: it is that of the earlier save. */
  fingerprint?: string | null;
  wordCount: number;
  /** Minutes, ≥ 1. */
  readingTime: number;
  internalLinks: InternalLink[];
  /** What sanitising removed, e.g. `onclick on <a>`, each once; then table cells beyond the header's columns. */
  removed: string[];
  /** Text of the source that the article lacks; null if there is none worth reporting. */
  loss: TextLoss | null;
  /** What the article lacks of its source, or shows of its markup. */
  warnings: Warning[];
  /** `QualityMetrics` as JSON. */
  metricsJson: string;
  steps: PipelineStep[];
}
export interface DeriveDeps {
  clock: () => Millis;
  /** ISO 639-1 code of a text's language; null if it cannot be told. */
  detectLanguage: (text: string) => string | null;
}

/** Approximate reading speed of adults in prose. */
const WORDS_PER_MINUTE = 200;

/** Traverses the tree once. @throws AppError `invalid` for content that is too deep, too long, or too many elements. */
export function deriveContent(source: ContentSource, { clock, detectLanguage }: DeriveDeps): DerivedContent {
  const started = clock();
  if (source.known !== undefined) return completeKnown(source, source.known, started);
  const rendered =
    source.html === undefined ? renderMarkdown(source.markdown ?? "") : { html: source.html, excess: null };
  const { html: raw, excess } = rendered;
  const made = sanitiseHtml(raw);
  const { html, tree } = made;
  assertLength(html, "HTML");
  const cells = excess === null ? [] : [excessNote(excess)];
  const removed = [...made.removed, ...cells];
  const sanitised = clock();

  const stats = collectStats(tree);
  const text = visibleText(stats.blocks);
  const language = detectLanguage(toProse(stats.blocks));
  const links = sortLinks(stats.anchors, source.websiteUrl);
  const excerpt = toExcerpt(source.excerpt, text);
  let known: readonly string[] | undefined;
  const tokens = () => (known ??= searchTokens(text));
  const material = toMaterial({ ...source, stats, detectedLanguage: language, detectLanguage });
  const integrity = findProblems(material);
  const { metrics, wordCount } = evaluate(
    { source, material, text, tokens, links, language, html, excerpt, integrity },
    clock(),
  );
  const { markdown: written } = source;
  const markdown = written !== undefined && isSafeInAnyMarkdownParser(written) ? written : htmlToMarkdown(tree);
  const markdownSource = written === undefined || written === markdown ? null : written;
  assertLength(markdown, "Markdown");
  const losses = made.isWhole === true && excess === null ? NO_LOSSES : findLosses(raw, { html, text }, excess);
  const warnings = findWarnings({ made, stats, text, losses, cells });
  const analysed = clock();

  return {
    html,
    markdown,
    markdownSource,
    text,
    excerpt,
    words: indexedWords({ ...source, excerpt, text }, tokens, material.vocabulary.words.slice(0, material.textWords)),
    fingerprint: fingerprint(withoutCode(stats.blocks)),
    wordCount,
    readingTime: Math.max(1, Math.round(wordCount / WORDS_PER_MINUTE)),
    internalLinks: source.internalLinks === null ? links.internal : [...source.internalLinks],
    removed,
    loss: losses.text,
    warnings,
    metricsJson: JSON.stringify(metrics),
    steps: [
      step("sanitize", started, sanitised, {
        removed,
        ...(warnings.length === 0 ? {} : { warnings }),
        changed: html !== raw,
      }),
      step("analyze", sanitised, analysed, { language, engine_version: metrics.engine_version }),
    ],
  };
}

/** Derives the search words, and metrics of fields other than the text. Our steps stay those of the text. */
function completeKnown(source: ContentSource, known: KnownContent, now: Millis): DerivedContent {
  return {
    ...known,
    words: indexedWords({ ...source, excerpt: known.excerpt, text: known.text }),
    metricsJson: JSON.stringify(evaluateFields(source, known, now)),
    removed: [],
    loss: null,
    warnings: [],
    steps: [],
  };
}

/** Enforces the limit of imports, so that every export can be imported: escaping can make a text four times longer. */
function assertLength(derived: string, form: "HTML" | "Markdown"): void {
  if (Buffer.byteLength(derived) <= ARTICLE_LIMITS.content) return;
  throw new AppError("invalid", `The content is too long: as ${form} it has more than 10 MB. Make it shorter.`, {
    field: "content",
  });
}

function excessNote({ cells, first }: ExcessCells): string {
  const text = first.text.length > MAX_NOTED ? `${first.text.slice(0, MAX_NOTED).toWellFormed()}…` : first.text;
  const what = cells === 1 ? "a table cell" : `${cells} table cells`;
  return `${what} without a column in the header (${cells === 1 ? "" : "first "}“${text}”)`;
}

const MAX_NOTED = 60;

/** Translations of a tutorial have the same code, and are no duplicates. */
function withoutCode(blocks: readonly Block[]): string {
  return blocks.map(({ kind, text }) => (kind === "code" ? "" : text)).join("\n");
}

/** Leaves out code and tables, which say little about the language of an article. */
function toProse(blocks: readonly Block[]): string {
  let prose = "";
  for (const { kind, text } of blocks) {
    if (kind === "paragraph" || kind === "item") prose += `${text}\n`;
    if (prose.length > LANGUAGE_SAMPLE) break;
  }
  return prose;
}

const LANGUAGE_SAMPLE = 1000;

function step(name: string, from: Millis, to: Millis, metadata: Record<string, unknown>): PipelineStep {
  return {
    name,
    status: "completed",
    started_at: new Date(from).toISOString(),
    completed_at: new Date(to).toISOString(),
    duration_ms: to - from,
    actor: "rostrum",
    error: null,
    metadata,
  };
}
