/**
 * Integrity: what no article should have, as the residue of a chatbot, a gap to fill in, or markup that readers would see
 * (docs/quality-metrics.md). Findings are found by content/integrity/, from the source and the blocks of visible text.
 */

/** Each kind with its name on screens. */
export const FINDING_KINDS = {
  chatbot_voice: "A chatbot speaks",
  knowledge_cutoff: "A chatbot's training is mentioned",
  chat_opener: "Opening of a chat",
  chat_closer: "End of a chat",
  tool_marker: "Mark of an AI tool",
  prompt_echo: "Instructions to a chatbot",
  tool_tracking_link: "Link that names an AI tool",
  placeholder: "Gap to fill in",
  todo: "Note to the writer",
  lorem_ipsum: "Dummy text",
  gibberish: "Random characters",
  cut_off: "The text breaks off",
  unclosed_code: "Code block that is not closed",
  outline_only: "Headings without an article",
  no_article: "No article",
  very_short: "Very short",
  empty_section: "Heading without text",
  raw_markup: "Markup that readers see",
  fenced_article: "Article in a code block",
  json_wrapper: "Article in JSON",
  template_code: "Code of another system",
  mojibake: "Damaged characters",
  escaped_characters: "Character codes that readers see",
  invisible_characters: "Invisible characters",
  placeholder_image: "Picture that does not exist",
  placeholder_link: "Link that leads nowhere",
  dangling_citation: "Note or citation that leads nowhere",
  repeated_paragraph: "Repeated paragraph",
  repeated_sentence: "Repeated sentence",
  near_repeated_paragraph: "Nearly repeated paragraph",
  word_loop: "Words repeated over and over",
  repeated_heading: "Repeated heading",
  mixed_language: "Several languages",
  wrong_language: "Not in the declared language",
  keyword_stuffing: "Phrase used too often",
  title_mismatch: "Title that does not fit the text",
  // Not found in the text: operations/articles/review/alike.ts compares it with the website's other articles.
  near_duplicate: "Similar to another article",
} as const;
export type FindingKind = keyof typeof FINDING_KINDS;

const { near_duplicate: _ofOthers, ...TEXT_KINDS } = FINDING_KINDS;

/** What lists can be filtered by: one kind that is found in the text, any kind, or those that block. */
export const FINDING_FILTERS = [
  "any",
  "blocking",
  ...(Object.keys(TEXT_KINDS) as (keyof typeof TEXT_KINDS)[]),
] as const;
export type FindingFilter = (typeof FINDING_FILTERS)[number];

export const SEVERITIES = ["block", "warn"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const PLACE_FIELDS = ["title", "meta_description", "text"] as const;

/** Where something is; offsets are of UTF-16 code units in the visible text of the block, or in the field. */
export interface Place {
  field: (typeof PLACE_FIELDS)[number];
  /** Index of the block of visible text; null: the whole text, or a field that has none. */
  block: number | null;
  start: number;
  end: number;
  /** The text there, at most `MAX_QUOTE` characters. */
  quote: string;
}

/** What can be done about a finding without asking: the edit is shown, and can be undone. */
export const FIXES = ["delete", "unwrap", "strip_parameter", "decode", "remove_copy"] as const;
export type Fix = (typeof FIXES)[number];

/** One finding, with the field names of the API. */
export interface Finding extends Place {
  kind: FindingKind;
  severity: Severity;
  /** One sentence: what it is. */
  message: string;
  /** Absent: somebody has to write. */
  fix?: Fix;
}

/** `quality_metrics.integrity`. */
export interface Integrity {
  /** `fail`: a finding blocks. `warn`: there are only others. */
  status: "pass" | "warn" | "fail";
  /** Numbers of kinds, which may have more places than are listed. */
  blocking: number;
  warnings: number;
  /** Those that block come first, then in the order of the text. */
  findings: Finding[];
}

/** Of an article without findings. */
export const SOUND: Integrity = { status: "pass", blocking: 0, warnings: 0, findings: [] };

export const MAX_QUOTE = 120;
/** Per article and kind; further ones are left out. */
export const MAX_PER_KIND = 20;

/** Those of `QualityMetrics` as JSON. */
export function listFindings(metricsJson: string): Finding[] {
  // Most articles have no finding, and need not be parsed.
  if (!metricsJson.includes('"severity":')) return [];
  const { integrity = SOUND } = JSON.parse(withoutChecks(metricsJson)) as { integrity?: Integrity };
  return integrity.findings;
}

/** Without what comes before the integrity, which is two thirds. No text in JSON has a quote without a backslash. */
function withoutChecks(metricsJson: string): string {
  const start = metricsJson.indexOf(',"integrity":{');
  return start < 0 ? metricsJson : `{${metricsJson.slice(start + 1)}`;
}

/** The kinds with the gravest severity of each. */
export function listKinds(metricsJson: string): Map<FindingKind, Severity> {
  const kinds = new Map<FindingKind, Severity>();
  for (const { kind, severity } of listFindings(metricsJson)) {
    if (kinds.get(kind) !== "block") kinds.set(kind, severity);
  }
  return kinds;
}
