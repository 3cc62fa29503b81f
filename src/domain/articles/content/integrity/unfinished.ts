/** What a writer or a machine did not finish. */
import { CODE_MARK } from "../html/text.ts";
import type { Material, Passage } from "./material.ts";
import { isQuotation } from "./prose.ts";
import type { Report } from "./report.ts";

/** Names of what a gap is for, in the four languages; `[source]` alone, and editors' additions such as `[the water]`, are none. */
const GAP =
  /\[(?:insert|add|your|enter|company|brand|product|client|customer|name|author|date|city|location|link|url|image|photo|quote|statistic|stat|source|citation|phone|email|e-mail|xx{1,20}|number|price|year|keyword|topic|placeholder|tbd|todo|describe|include|firmenname|ihr|ihre|hier|datum|ort|bild|quelle|produktname|unternehmen|einfügen|nom|votre|insérer|ville|lien|entreprise|nombre|tu|su|insertar|empresa|ciudad|fecha|enlace|fuente)(?:[ _:-][^\][\n]{0,60})?\](?!\()|\[[^\][\n]{0,50}\b(?:here|einfügen|company name|your name|placeholder|ici|aquí)\](?!\()|\b(?:INSERT|ADD|YOUR)_[A-Z][A-Z0-9_]{1,40}\b|\{(?:company|name|brand|city|keyword|product|first_?name|year|date|location|title|link)(?:_?name)?\}|<(?:your|company|insert|name)[ _-][a-z _-]{2,30}>|\bX{3,9}\s?(?:%|percent|euros?|dollars?|users)|[€$]X{2,9}|\blink to (?:source|study) here\b/giu;
const GAP_HINT = /[[{<]|XX|_[A-Z]|link to/;
/** One word in brackets, as footnotes and editors of quotations write it. */
const ONE_WORD =
  /^\[(?:source|link|quote|image|photo|number|date|name|author|url|year|citation|email|price|topic|product|customer|client|location|add|nombre|fuente|quelle|lien|nom|date|bild|hier|su|tu|ihr|ihre|votre)\]$/iu;
const SURE =
  /^\[(?:insert|add your|enter|your|\p{L}{1,30} name\b|company|firmen|nombre de|nom de|insérer|einfügen|tu |su |votre |ihr |year founded|city\]|describe|include|xx)|einfügen|here\]|^[A-Z]{1,20}_|^\{|^</iu;

export function findGaps(material: Material, report: Report): void {
  for (const passage of allTexts(material)) {
    if (!GAP_HINT.test(passage.masked)) continue;
    for (const { 0: gap, index } of passage.masked.matchAll(GAP)) {
      const isOneWord = ONE_WORD.test(gap);
      if (isOneWord && !/^\[\p{Lu}/u.test(gap)) continue;
      const [start, end] = [index, index + gap.length];
      const isSure =
        SURE.test(gap) && (!isOneWord || gap === "[City]") && !/^\[[a-z]{1,30}(?:-[a-z]{1,30}){1,9}\]$/.test(gap);
      const severity = isSure && !isQuotation(passage, start, end) ? "block" : "warn";
      report.add({
        kind: "placeholder",
        severity,
        passage,
        start,
        end,
        message: "This is a gap that somebody has to fill in.",
      });
    }
  }
}

const NOTE =
  /(?:^|[\s([])(?:TODO|TBD|FIXME|TK TK|TKTK|XXX)(?:[:\])]|\s{0,9}$)|[([]citation needed[\])]|\bsource needed\b/u;
const NOTE_HINT = /TODO|TBD|FIXME|TK|XXX|needed/;

export function findNotes(material: Material, report: Report): void {
  for (const passage of allTexts(material)) {
    if (!NOTE_HINT.test(passage.masked)) continue;
    const note = NOTE.exec(passage.masked);
    if (note === null) continue;
    const [start, end] = [note.index, note.index + note[0].length];
    if (isQuotation(passage, start, end)) continue;
    report.add({ kind: "todo", severity: "warn", passage, start, end, message: "This is a note to the writer." });
  }
}

const LOREM = /\blorem ipsum\b|\bdolor sit amet\b|\bconsectetur adipisc/giu;
const LATIN = /dolor sit|consectetur/i;

export function findDummyText(material: Material, report: Report): void {
  const { vocabulary } = material;
  if (vocabulary.find("ipsum") === undefined && vocabulary.find("dolor") === undefined) return;
  for (const passage of allTexts(material)) {
    const dummy = passage.masked.search(LOREM);
    if (dummy < 0) continue;
    // Who writes about dummy text names it, and does not set it.
    const severity = LATIN.test(passage.masked) && !isQuotation(passage, dummy, dummy + 5) ? "block" : "warn";
    report.add({ kind: "lorem_ipsum", severity, passage, start: dummy, message: "This is dummy text." });
  }
}

const HOME_ROW = /asdf|qwer|jkl|sdfg|hjkl|ghjk|fdsa|zxcv/;
const MIN_KEYS = 2;
const MIN_KEYS_SHARE = 0.2;

export function findGibberish({ paragraphs, vocabulary }: Material, report: Report): void {
  const isRandom = vocabulary.words.map((word) => HOME_ROW.test(word));
  if (!isRandom.includes(true)) return;
  for (const passage of paragraphs) {
    const { ids, length } = passage.words;
    const random = ids.filter((id, index) => isRandom[id] === true && !passage.isCode(index)).length;
    if (random < MIN_KEYS || random / length <= MIN_KEYS_SHARE) continue;
    report.add({ kind: "gibberish", severity: "block", passage, message: "These are keys pressed at random." });
  }
}

const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const MIN_WORDS = 25;
const SHORT_WORDS = 80;
const SHORT_WITH_CODE = 120;

/** Counts of what there is to read. */
export function findMissingText(material: Material, report: Report): void {
  const { blocks, paragraphs, prose, pictures, embeds } = material;
  const words = countWords(paragraphs);
  const code = countWords(blocks.filter(({ kind }) => kind === "code"));
  const isDense = blocks.some(({ text }, index) => index < 5 && DENSE.test(text));
  const read = isDense ? Math.round(paragraphs.reduce((sum, { text }) => sum + text.length, 0) / 2) : words;
  const all = countWords(blocks);
  const passage = prose[0] ?? null;
  if (read + code < MIN_WORDS && pictures.length + embeds === 0) {
    const message = `There are fewer than ${MIN_WORDS} words to read.`;
    report.add({ kind: "no_article", severity: "block", passage, message });
  } else if (read < SHORT_WORDS && all < SHORT_WITH_CODE) {
    report.add({
      kind: "very_short",
      severity: "warn",
      passage,
      message: `There are fewer than ${SHORT_WORDS} words to read.`,
    });
  }
  const headings = prose.filter(({ kind }) => kind === "heading");
  const isOutline = headings.length >= 4 && !isDense && code === 0 && all < 400;
  const [first = null] = headings;
  if (isOutline && countWords(headings) > 0.4 * Math.max(1, words)) {
    const message = "There are headings, and hardly any text below them.";
    report.add({ kind: "outline_only", severity: "block", passage: first, message });
  }
}

export function findEmptySections({ blocks, headings, pictures, embeds }: Material, report: Report): void {
  if (embeds > 0 || blocks.length <= 3) return;
  const empty: Passage[] = [];
  const withPictures = new Set(pictures.map(({ block }) => block));
  for (const passage of blocks) {
    if (passage.level === 0) continue;
    const at = passage.block ?? 0;
    const next = blocks[at + 1];
    if (next !== undefined && (next.level === 0 || next.level > passage.level)) continue;
    if (!withPictures.has(at + 1)) empty.push(passage);
  }
  const severity = empty.length >= 3 && empty.length / headings.length >= 0.5 ? "block" : "warn";
  for (const passage of empty) {
    report.add({ kind: "empty_section", severity, passage, message: "There is no text below this heading." });
  }
}

const GOES_ON =
  /[[(](?:continued|to be continued|continues? (?:in|below)|fortsetzung folgt|à suivre|continuará|truncated|max(?:imum)? (?:length|tokens))[^\])\n]{0,40}[\])]\s{0,9}$/iu;
const ENDED = /[.!?…:;。！？)\]”"’'»*—–|\p{Emoji_Presentation}\p{Extended_Pictographic}\uFE0F।॥؟။၊۔>/]$/u;
/** Words that a sentence does not end with. */
const OPEN_WORDS = new Set(
  "the a an and or of to in for with that which is are was by from as their our your der die das und oder mit für von zu ein eine im ist le la les et ou de du des un une pour avec que est el los las y en con para una es".split(
    " ",
  ),
);
const OPEN_WORDS_OF_ITEMS = new Set("the and or of to with und oder mit der et ou de avec y con para".split(" "));

/** The quoted end of a text that breaks off: whole words of at most so many characters. */
const MAX_END = 60;

export function findCutOff(material: Material, report: Report): void {
  const { blocks, vocabulary, anchors } = material;
  const passage = blocks.at(-1);
  if (passage === undefined || (passage.kind !== "paragraph" && passage.kind !== "item")) return;
  const text = passage.masked.trimEnd();
  const add = (severity: "block" | "warn", message: string) => {
    const earliest = Math.max(0, text.length - MAX_END);
    const space = earliest === 0 ? -1 : text.indexOf(" ", earliest);
    const start = space < 0 ? earliest : space + 1;
    report.add({ kind: "cut_off", severity, passage, start, end: text.length, message });
  };
  if (GOES_ON.test(text)) {
    add("block", "The text says that it goes on.");
    return;
  }
  const { ids, length } = passage.words;
  if (text.endsWith(CODE_MARK) || (ENDED.test(text) && !/[,;]$/.test(text))) return;
  if (DENSE.test(text) || anchors.some((anchor) => anchor.text !== "" && text.endsWith(anchor.text))) return;
  const last = vocabulary.words[ids[length - 1] ?? -1] ?? "";
  const endsInWord = (passage.words.ends[length - 1] ?? 0) === text.length;
  if (passage.kind === "item") {
    if (length >= 4 && (text.endsWith(",") || (endsInWord && OPEN_WORDS_OF_ITEMS.has(last)))) {
      add("block", "The last item is not finished.");
    }
    return;
  }
  const isOpen = /[,;]$/.test(text) || (endsInWord && OPEN_WORDS.has(last));
  if (isOpen && length >= 6) add("block", "The last sentence is not finished.");
  else if (length >= 12 && !/^[—–-]/.test(text)) add("warn", "The last sentence has no full stop.");
}

const FENCE = /^(?:```|~~~)/gm;

export function findUnclosedCode({ markdown, blocks }: Material, report: Report): void {
  if (markdown === undefined || !/^(?:```|~~~)/m.test(markdown)) return;
  // Indented fences belong to lists.
  if ((markdown.match(FENCE)?.length ?? 0) % 2 === 0 || /^ {1,12}```/m.test(markdown)) return;
  const passage = blocks.findLast(({ kind }) => kind === "code") ?? null;
  report.add({
    kind: "unclosed_code",
    severity: "warn",
    passage,
    message: "This code block has no end, so that it holds all that follows.",
  });
}

/** Title, meta description, and blocks without code. */
export function allTexts({ title, metaDescription, prose }: Material): Passage[] {
  return [title, ...(metaDescription === null ? [] : [metaDescription]), ...prose];
}

function countWords(passages: readonly Passage[]): number {
  return passages.reduce((sum, { words }) => sum + words.length, 0);
}
