/** What a chatbot or another tool left behind. Phrases are in languages/; marks are the same in all languages. */
import type { FindingKind, Fix, Severity } from "../../findings.ts";
import { ENGLISH } from "./languages/en.ts";
import { FRENCH } from "./languages/fr.ts";
import { GERMAN } from "./languages/de.ts";
import { SPANISH } from "./languages/es.ts";
import type { Material, Passage } from "./material.ts";
import { findPhrases, PhraseFinder, type PhraseKind, type PhraseMatch } from "./phrases.ts";
import { isQuotation } from "./prose.ts";
import type { Report } from "./report.ts";

const PHRASES = new PhraseFinder([ENGLISH, GERMAN, FRENCH, SPANISH]);

/** A chat's opening words are looked for in the first blocks, its last ones count for more in the last blocks. */
const EDGE_BLOCKS = 3;
/** Instructions stand at either end. */
const INSTRUCTION_BLOCKS = 4;

const MESSAGES: Record<PhraseKind, string> = {
  chatbot_voice: "A chatbot speaks of itself here.",
  knowledge_cutoff: "A chatbot speaks of what it was trained on here.",
  chat_opener: "This is how a chatbot begins its answer.",
  chat_closer: "This offers more to the person who asked a chatbot for the text.",
  prompt_echo: "This is an instruction to a writer or a chatbot, not the article.",
};

export function findPhraseResidue(material: Material, report: Report): void {
  const starters = PHRASES.prepare(material.vocabulary);
  const { prose, paragraphs, title, metaDescription } = material;
  for (const passage of [title, ...(metaDescription === null ? [] : [metaDescription])]) {
    for (const match of findPhrases(passage, material.vocabulary, starters)) {
      const { kind } = match;
      if (kind === "chat_opener" || kind === "chat_closer") continue;
      const severity = kind === "chatbot_voice" && passage === title ? "warn" : getSeverity(passage, match, "block");
      report.add({ kind, severity, passage, ...wordPlace(passage, match), message: MESSAGES[kind] });
    }
  }
  const canDelete = paragraphs.length > 1;
  for (const [index, passage] of prose.entries()) {
    const fromEnd = prose.length - 1 - index;
    const found = new Map<PhraseKind, { end: number }>();
    for (const match of findPhrases(passage, material.vocabulary, starters)) {
      const severity = toSeverity(passage, match, index, fromEnd);
      if (severity === null) continue;
      const { kind } = match;
      const place = sentencePlace(passage, match);
      // Several phrases of a sentence are one finding.
      if (place.end <= (found.get(kind)?.end ?? 0)) continue;
      found.set(kind, place);
      const fix: { fix?: Fix } = canDelete && passage.kind !== "cell" ? { fix: "delete" } : {};
      report.add({ kind, severity, passage, ...place, message: MESSAGES[kind], ...fix });
    }
  }
}

/** null: it is usual there. */
function toSeverity(passage: Passage, match: PhraseMatch, fromStart: number, fromEnd: number): Severity | null {
  const { kind } = match;
  if (kind === "chat_opener") return fromStart < EDGE_BLOCKS ? getSeverity(passage, match, "block") : null;
  if (kind === "chatbot_voice" || kind === "knowledge_cutoff") return getSeverity(passage, match, "block");
  if (kind === "prompt_echo" && fromStart >= INSTRUCTION_BLOCKS && fromEnd >= INSTRUCTION_BLOCKS) return null;
  if (getSeverity(passage, match, "block") === "warn") return null;
  return kind === "chat_closer" && fromEnd >= EDGE_BLOCKS ? "warn" : "block";
}

/** A quotation only warns. */
function getSeverity(passage: Passage, match: PhraseMatch, otherwise: Severity): Severity {
  const { start, end } = wordPlace(passage, match);
  return isQuotation(passage, start, end) ? "warn" : otherwise;
}

function wordPlace({ words }: Passage, { firstWord, endWord }: PhraseMatch) {
  return { start: words.starts[firstWord] ?? 0, end: words.ends[endWord - 1] ?? 0 };
}

/** From the sentence that the phrase begins in to the end of the one that it ends in. */
function sentencePlace(passage: Passage, match: PhraseMatch) {
  const { start, end } = wordPlace(passage, match);
  const first = passage.sentences.findLast((sentence) => sentence.start <= start);
  const last = passage.sentences.find((sentence) => sentence.end >= end);
  return { start: first?.start ?? start, end: last?.end ?? end };
}

/** Every mark has one of these characters or words; most texts have none. */
const MARK_HINT =
  /[【\uE200-\uE20F]|oaicite|oai_citation|contentReference|turn\d|grok_card|attributableIndex|\[cite|<\||\[\/?INST|<\/?[a-z]|^(?:Human|Assistant|User|System):/;
const MARK =
  /:?contentReference\[[^\]\n]{0,40}\](?:\{[^}\n]{0,40}\})?|[[(]?oai_?cit(?:e|ation):?\d{0,4}[\])]?|(?:cite|\b)turn\d{1,3}(?:search|view|news|image|file|fetch|product)\d{1,3}|[\uE200-\uE20F]|【\d{1,4}[:†][^】\n]{0,80}】|<\/?(?:think|thinking|antArtifact|antThinking|artifact|reasoning|scratchpad|function_calls|tool_call)\b[^<>\n]{0,80}>?|<grok:[a-z_]{1,40}|grok_card|attributableIndex|\[cite(?:_start\]|: ?\d{1,4}(?:, ?\d{1,4}){0,9}\])|<\|(?:im_start|im_end|endoftext|eot_id)\|?>?|\[\/?INST\]|^(?:Human|Assistant|User|System): /g;
const SPEAKER = /^(?:Human|Assistant|User|System): $/;
const SOURCE_MARK = /<\/?(?:think|thinking|antArtifact|antThinking|reasoning|scratchpad|artifact)\b[^<>\n]{0,80}>/gi;

export function findToolMarks(material: Material, report: Report): void {
  const kind: FindingKind = "tool_marker";
  const message = "An AI tool left this mark.";
  const fields = [material.title, ...(material.metaDescription === null ? [] : [material.metaDescription])];
  for (const passage of [...fields, ...material.prose]) {
    if (!MARK_HINT.test(passage.masked)) continue;
    for (const { 0: mark, index } of passage.masked.matchAll(MARK)) {
      const isSpeech = SPEAKER.test(mark);
      // Interviews and lists of roles begin so.
      if (isSpeech && (passage.kind !== "paragraph" || passage.isQuoted)) continue;
      const [start, end] = [index, index + mark.length];
      const severity = isQuotation(passage, start, end) ? "warn" : "block";
      report.add({ kind, severity, passage, start, end, message, fix: "delete" });
    }
  }
  // A model's notes to itself are not in the result, as their tags are unknown, but their text is.
  const source = material.markdown ?? material.html ?? "";
  if (report.count(kind) > 0 || source.search(SOURCE_MARK) < 0) return;
  const mark = SOURCE_MARK.exec(withoutCode(source));
  SOURCE_MARK.lastIndex = 0;
  if (mark === null) return;
  report.add({
    kind,
    severity: "block",
    passage: null,
    quote: mark[0],
    message: "A model's notes to itself are in the text.",
  });
}

/** The source with its code left out, by its fences, backticks and elements. */
function withoutCode(source: string): string {
  return source
    .split(/^ {0,3}(?:```|~~~)/m)
    .filter((_, index) => index % 2 === 0)
    .join("\n")
    .replaceAll(/`[^`\n]{1,400}`/g, " ")
    .split(/<(?:pre|code)\b/i)
    .map((part, index) => (index === 0 ? part : part.slice(Math.max(0, part.search(/<\/(?:pre|code)>/i)))))
    .join(" ");
}

const TRACKING =
  /[?&](?:utm_source|ref|source)=(?:chatgpt(?:\.com)?|openai|chat\.openai\.com|perplexity(?:\.ai)?|copilot(?:\.com)?|claude(?:\.ai)?|gemini)(?![\w-])/i;

export function findTrackingLinks(material: Material, report: Report): void {
  for (const anchor of material.anchors) {
    if (!TRACKING.test(anchor.href)) continue;
    const message = `The address of this link says that an AI tool found it: ${anchor.href.slice(0, 200)}`;
    report.add({
      kind: "tool_tracking_link",
      severity: "warn",
      ...anchorPlace(material, anchor),
      message,
      fix: "strip_parameter",
    });
  }
}

/** The text of a link in its block; all of the block if it cannot be told. */
export function anchorPlace({ blocks }: Pick<Material, "blocks">, anchor: Material["anchors"][number]) {
  const passage = blocks[anchor.block] ?? null;
  const start = anchor.text === "" ? -1 : (passage?.text.indexOf(anchor.text) ?? -1);
  return start < 0 ? { passage } : { passage, start, end: start + anchor.text.length };
}
