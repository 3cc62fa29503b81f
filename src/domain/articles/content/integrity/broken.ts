/** What readers would see as an error: markup, code of other systems, damaged characters, links and pictures to nowhere. */
import type { Material, Passage } from "./material.ts";
import { isQuotation } from "./prose.ts";
import type { Found, Report } from "./report.ts";
import { anchorPlace } from "./residue.ts";
import { allTexts } from "./unfinished.ts";

const MARKUP_HINT = /[*#[`~<\\|]/;
const MARKUP =
  /(?:^|\s)\*\*[^*\s][^*\n]{0,80}\*\*(?=[\s.,:;!?]|$)|^#{1,6} \S|\[[^\][\n]{1,80}\]\((?:https?:|\/|#|mailto:)[^)(\s]{0,300}\)|^```|~~~(?:html|markdown|json)|<\/?(?:p|h[1-6]|ul|ol|li|strong|em|div|span|br|table|tr|td)(?:\s[^><]{0,80})?\/?>|\\n\\n|\\n(?=[A-Z#*-])|^\|[^|\n]{1,200}\|[^|\n]{1,200}\|/u;

export function findRawMarkup(material: Material, report: Report): void {
  for (const passage of allTexts(material)) {
    if (passage.kind === "cell" || !MARKUP_HINT.test(passage.masked)) continue;
    const found = MARKUP.exec(passage.masked);
    if (found === null) continue;
    const [start, end] = [found.index, found.index + found[0].length];
    if (isQuotation(passage, start, end)) continue;
    const severity = passage.kind === "item" && !found[0].includes("](") ? "warn" : "block";
    report.add({
      kind: "raw_markup",
      severity,
      passage,
      start,
      end,
      message: "Readers see this markup as it is written.",
    });
  }
}

const TEMPLATE_HINT = /[{%$[]|<[!%]/;
const TEMPLATE =
  /\{\{[<%]?[^}{\n]{1,200}[%>]?\}\}|\{%[^%\n]{1,200}%\}|<%[^%\n]{1,120}%>|\[\/?(?:gallery|caption|embed|video|audio|playlist|vc_[a-z_]{1,40}|et_pb_[a-z_]{1,40}|fusion_[a-z_]{1,40}|elementor[a-z-]{0,40}|contact-form(?:-7)?|shortcode|su_[a-z_]{1,40}|tcb[a-z_-]{0,40}|toc|ez-toc|button|products?|woocommerce[a-z_]{0,40}|wp[a-z_]{2,40}|rank_math[a-z_]{0,40})(?:\s[^\][\n]{0,200})?\](?!\()|%%[a-z_]{3,40}%%|\$\{[a-zA-Z_.]{2,40}\}|<!--\s{0,9}(?:wp:|more)/u;

export function findTemplateCode(material: Material, report: Report): void {
  for (const passage of allTexts(material)) {
    if (!TEMPLATE_HINT.test(passage.masked)) continue;
    const found = TEMPLATE.exec(passage.masked);
    if (found === null) continue;
    const [start, end] = [found.index, found.index + found[0].length];
    if (isQuotation(passage, start, end)) continue;
    const message = "Readers see this code of another system as it is written.";
    report.add({ kind: "template_code", severity: "block", passage, start, end, message });
  }
}

const DAMAGED =
  /\uFFFD|â€(?:™|œ|\u009d|“|”|˜|¦|¢)?|Ã[©¨¤¶¼Ÿ¡³±ª®´§€–\u00a0-\u00bf]|Â[\u00a0°»«·©®£¿¡](?=\S|$)|ï»¿|Ð[\u0080-\u00bf°±²]Ñ/gu;
const DAMAGED_HINT = /[\uFFFDâÃÂïÐ]/;
const ENTITY =
  /&(?:amp;)?(?:nbsp|quot|lt|gt|amp|apos|#\d{2,4}|[lr]squo|[lr]dquo|[mn]dash|hellip|[aeiou](?:acute|grave|uml|circ)|ntilde|ccedil|szlig);/giu;

/** One finding for each block, from the first damaged character to the last. */
export function findDamagedCharacters(material: Material, report: Report): void {
  for (const passage of allTexts(material)) {
    const { masked } = passage;
    if (DAMAGED_HINT.test(masked)) {
      const place = span(masked.matchAll(DAMAGED));
      const message = "These characters were read in the wrong encoding.";
      // What was lost cannot be restored.
      const fix: Pick<Found, "fix"> = masked.includes("\uFFFD") ? {} : { fix: "decode" };
      if (place !== null) report.add({ kind: "mojibake", severity: "block", passage, ...place, message, ...fix });
    }
    if (!masked.includes("&")) continue;
    const entities = span(masked.matchAll(ENTITY));
    if (entities === null || isQuotation(passage, entities.start, entities.start + 1)) continue;
    const message = "Readers see the code of this character as it is written.";
    report.add({ kind: "escaped_characters", severity: "block", passage, ...entities, message, fix: "decode" });
  }
}

/** From the first match to the end of the last. */
function span(matches: Iterable<RegExpExecArray>): { start: number; end: number } | null {
  let [start, end] = [-1, -1];
  for (const { index, 0: text } of matches) {
    if (start < 0) start = index;
    end = index + text.length;
  }
  return start < 0 ? null : { start, end };
}

/** Tag characters, marks of direction, and characters without width. */
const INVISIBLE = /[\u{E0020}-\u{E007F}]{1,400}|[\u202A-\u202E\u2066-\u2069\u200B\u2060\u2062-\u2064]/gu;
const TAG = /[\u{E0020}-\u{E007F}]/u;
/** Flags of Scotland and the like are made of tags. */
const FLAG = /\u{1F3F4}/u;
const NEEDS_INVISIBLE = /[\p{Script=Thai}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Arabic}\p{Script=Hebrew}]/u;

export function findInvisibleCharacters(material: Material, report: Report): void {
  for (const passage of allTexts(material)) {
    if (passage.masked.search(INVISIBLE) < 0 || NEEDS_INVISIBLE.test(passage.text)) continue;
    for (const { 0: found, index } of passage.masked.matchAll(INVISIBLE)) {
      const isTag = TAG.test(found);
      if (isTag && FLAG.test(passage.text)) continue;
      const code = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase()}`;
      const message = `There is an invisible character here (${code}).`;
      const place = { passage, start: index, end: index + found.length };
      report.add({
        kind: "invisible_characters",
        severity: isTag ? "block" : "warn",
        ...place,
        message,
        fix: "delete",
      });
    }
  }
}

const JSON_ARTICLE =
  /^\s{0,99}[{[]\s{0,99}"(?:title|content|html|body|article|meta_description|markdown|headline|sections?|blocks)"\s{0,9}:/u;
const CODE_ARTICLE = /^#{1,3} |^<h[1-6]|<p>/m;
const MIN_ARTICLE_WORDS = 40;

/** The whole article inside one code block, or as JSON. */
export function findWrappedArticle({ blocks, prose, paragraphs }: Material, report: Report): void {
  const message = "The article is inside JSON.";
  for (const passage of prose) {
    if (!JSON_ARTICLE.test(passage.masked)) continue;
    report.add({ kind: "json_wrapper", severity: "block", passage, message });
  }
  const codeBlocks = blocks.filter(({ kind }) => kind === "code");
  const words = paragraphs.reduce((sum, passage) => sum + passage.words.length, 0);
  const codeWords = codeBlocks.reduce((sum, passage) => sum + passage.words.length, 0);
  if (codeWords <= 3 * Math.max(1, words)) return;
  for (const passage of codeBlocks) {
    if (passage.words.length <= MIN_ARTICLE_WORDS) continue;
    if (JSON_ARTICLE.test(passage.text)) report.add({ kind: "json_wrapper", severity: "block", passage, message });
    else if (CODE_ARTICLE.test(passage.text)) {
      const inCode = "The article is inside a code block.";
      report.add({ kind: "fenced_article", severity: "block", passage, message: inCode, fix: "unwrap" });
    }
  }
}

/** Hosts that writers put where an address is missing. */
const NO_HOST =
  /^(?:https?:)?\/\/(?:www\.)?(?:example\.(?:com|org|net)|(?:your|my)?-?(?:domain|website|site|company|blog|store|shop)(?:name)?\.(?:com|org|net|de|fr|es|io)|yourdomain\.[a-z]{2,20}|localhost|127\.0\.0\.1|0\.0\.0\.0|(?:link|url|insert)(?:[-_]?(?:goes[-_]?)?here)?(?:\.com)?|test\.com|placeholder\.[a-z]{2,20}|via\.placeholder\.com|placehold\.(?:it|co)|domain\.tld|dummy[a-z]{0,20}\.[a-z]{2,20})(?::\d{1,5})?(?:[/?#]|$)/i;
const NO_ADDRESS =
  /^(?:#|javascript:.*|about:blank|(?:https?:\/\/)?(?:url|link|href|insert[-_ ]?(?:link|url).*|your[-_ ](?:link|url).*|link[-_ ]?here|url[-_ ]?here|placeholder|todo|tbd|xxx{1,20})|\/?(?:path\/to\/.*|link-to-.*|internal-link(?:-\d{1,4})?|example-(?:link|page|url)))$/i;
const IN_ADDRESS = /\b(?:insert|your)[-_ ](?:link|url)/i;
/** Reserved for examples, or the writer's own machine: some texts mean them. */
const MEANT = /^(?:https?:)?\/\/(?:www\.)?(?:localhost|127\.0|0\.0\.0\.0|example\.(?:com|org|net))/i;
const NO_PICTURE =
  /^(?:#|(?:\.?\/)?(?:image|img|photo|picture|placeholder|example|sample)[-_]?\d{0,4}(?:\.(?:jpe?g|png|webp|gif))?|(?:\/|\.\/)?path\/to\/.*|(?:image|img)[-_ ]?url.*|your[-_ ]image.*)$/i;

export function findLinksToNowhere(material: Material, report: Report): void {
  for (const anchor of material.anchors) {
    const { href } = anchor;
    if (/^#./.test(href)) continue;
    if (href !== "" && !NO_ADDRESS.test(href) && !NO_HOST.test(href) && !IN_ADDRESS.test(href)) continue;
    const severity = MEANT.test(href) ? "warn" : "block";
    const message = `This link leads nowhere: ${href === "" ? "it has no address" : href.slice(0, 200)}`;
    report.add({ kind: "placeholder_link", severity, ...anchorPlace(material, anchor), message });
  }
}

/** An uploaded picture exists, also where the service runs on the writer's own machine. */
const UPLOADED = /\/assets\/[0-9a-f-]{36}\/[0-9a-f]{64}\/[^/?#]+$/;

export function findMissingPictures({ pictures, blocks }: Material, report: Report): void {
  for (const { src, block } of pictures) {
    if (src !== "" && ((!NO_HOST.test(src) && !NO_PICTURE.test(src)) || UPLOADED.test(src))) continue;
    const message = "This picture does not exist: its address is a placeholder.";
    const passage = blocks[block] ?? null;
    report.add({ kind: "placeholder_image", severity: "block", passage, start: 0, end: 0, quote: src, message });
  }
}

const FOOTNOTE = /\[\^([^\]\s]{1,20})\]/g;
const NUMBER = /(?<=[\p{L}.,%)”"])\s?\[(\d{1,2})\](?![([:])/gu;
const SOURCES = /references|sources|quellen|literatur|références|fuentes|referencias|notes|footnotes/i;
const ENTRY = /^\[?\d{1,2}[\].:]/;

/** Footnotes without a text, and numbers of sources without a list of them. */
export function findDanglingNotes(material: Material, report: Report): void {
  const { paragraphs, prose, anchors, markdown } = material;
  const marked = paragraphs.filter(({ masked }) => masked.includes("["));
  if (marked.length === 0) return;
  const defined = new Set(Array.from((markdown ?? "").matchAll(/^\[\^([^\]\s]{1,20})\]:/gm), ([, name]) => name));
  for (const passage of marked) {
    for (const { 0: note, 1: name, index } of passage.masked.matchAll(FOOTNOTE)) {
      if (defined.has(name)) continue;
      const place = { passage, start: index, end: index + note.length };
      report.add({ kind: "dangling_citation", severity: "warn", ...place, message: "This note has no text." });
    }
  }
  const linked = new Set(anchors.map(({ text }) => text.replaceAll(/[[\]]/g, "")));
  const numbers = marked.flatMap((passage) =>
    Array.from(passage.masked.matchAll(NUMBER), (match) => ({ passage, match })).filter(
      ({ match }) => !linked.has(match[1] ?? ""),
    ),
  );
  if (numbers.length < 2 || hasSources(paragraphs, prose)) return;
  const message = `There are ${numbers.length} numbers like this, and no list of sources.`;
  for (const { passage, match } of numbers) {
    const [start, end] = [match.index, match.index + match[0].length];
    report.add({ kind: "dangling_citation", severity: "warn", passage, start, end, message });
  }
}

function hasSources(paragraphs: readonly Passage[], prose: readonly Passage[]): boolean {
  return (
    paragraphs.some(({ text }) => ENTRY.test(text)) ||
    prose.some(({ kind, text }) => kind === "heading" && SOURCES.test(text))
  );
}
