/** Mends what a finding names in an article's source, where that is safe. A person sees the change before it is saved. */
import type { Finding, Fix } from "../../findings.ts";
import { replaceInSource } from "../../comment.ts";
import { withoutSpace } from "../../passages.ts";

export interface FixedSource {
  format: "markdown" | "html";
  content: string;
  /** The visible text of each block. */
  blocks: readonly string[];
}

/** @returns the source without what the finding names; null if its place in the source is not certain. */
export function fixSource(source: FixedSource, finding: Finding): string | null {
  const mend = finding.fix === undefined ? undefined : MENDERS[finding.fix];
  const mended = mend?.(source, finding) ?? null;
  return mended === source.content ? null : mended;
}

const MENDERS: Record<Fix, (source: FixedSource, finding: Finding) => string | null> = {
  delete: remove,
  remove_copy: remove,
  unwrap,
  strip_parameter: ({ content }) => stripTracking(content),
  decode: (source, finding) => {
    const damaged = source.blocks[finding.block ?? -1]?.slice(finding.start, finding.end) ?? "";
    const decoded = finding.kind === "mojibake" ? decodeTwice(damaged) : decodeEntities(damaged);
    return decoded === null || decoded === damaged ? null : replaceAt(source, finding, decoded);
  },
};

function remove(source: FixedSource, finding: Finding): string | null {
  const removed = replaceAt(source, finding, "");
  if (removed === null) return null;
  // An element or a line that held nothing else goes, too.
  return source.format === "html"
    ? removed.replaceAll(/<(p|li)>\s{0,99}<\/\1>\n?/g, "")
    : removed.replaceAll(/\n[ \t]{0,99}\n(?:[ \t]{0,99}\n){1,9}/g, "\n\n").replace(/^\n{1,9}/, "");
}

function replaceAt({ format, content, blocks }: FixedSource, { block, start, end }: Finding, replacement: string) {
  if (block === null) return null;
  const before = withoutSpace(blocks.slice(0, block).join("")).length;
  const text = blocks[block] ?? "";
  const passage = {
    start: before + withoutSpace(text.slice(0, start)).length,
    end: before + withoutSpace(text.slice(0, end)).length,
  };
  const suggestion = { content, text: withoutSpace(blocks.join("")), passage, replacement };
  // In Markdown, too, characters may be written by their codes.
  const forms = format === "html" ? (["html"] as const) : (["markdown", "html"] as const);
  for (const source of forms) {
    const [found] = replaceInSource({ ...suggestion, source });
    if (found !== undefined) return found;
  }
  return null;
}

const FENCE = /^(?:```|~~~)[^\n]{0,99}$/gm;

/** The text of the only code block. */
function unwrap({ format, content }: FixedSource): string | null {
  if (format === "html" || content.match(FENCE)?.length !== 2) return null;
  return content.replaceAll(FENCE, "").trim();
}

const PARAMETER =
  /([?&])(?:amp;)?(?:utm_source|ref|source)=(?:chatgpt(?:\.com)?|openai|chat\.openai\.com|perplexity(?:\.ai)?|copilot(?:\.com)?|claude(?:\.ai)?|gemini)(?![\w.-])(&(?:amp;)?)?/gi;

/** Of all addresses that name an AI tool. */
function stripTracking(content: string): string {
  return content.replaceAll(PARAMETER, (_all, mark: string, next: string | undefined) =>
    next === undefined ? "" : mark === "?" ? "?" : next,
  );
}

const ENTITIES: Readonly<Record<string, string>> = Object.fromEntries(
  "nbsp:\u00a0 quot:\" lt:< gt:> amp:& apos:' hellip:… ndash:– mdash:— lsquo:‘ rsquo:’ ldquo:“ rdquo:” ntilde:ñ ccedil:ç szlig:ß"
    .split(" ")
    .map((entry) => entry.split(":")),
);
const ACCENTS: Readonly<Record<string, string>> = { acute: "\u0301", grave: "\u0300", uml: "\u0308", circ: "\u0302" };

/** null if a code is unknown, or stands for markup. */
function decodeEntities(text: string): string | null {
  let isKnown = true;
  const decoded = text.replaceAll(/&(?:amp;)?(?:#(\d{2,4})|([a-z]{2,8}));/gi, (all, code?: string, name = "") => {
    const accent = /^([aeiou])(acute|grave|uml|circ)$/i.exec(name);
    const character =
      code !== undefined
        ? String.fromCharCode(Number(code))
        : accent === null
          ? ENTITIES[name.toLowerCase()]
          : `${accent[1]}${ACCENTS[accent[2] ?? ""]}`.normalize("NFC");
    if (character === undefined || character < " " || character === "<" || character === ">") isKnown = false;
    return character ?? all;
  });
  return isKnown ? decoded : null;
}

/** The characters of Windows-1252 from 0x80 to 0x9f; a full stop: it has none. */
const WINDOWS = "€.‚ƒ„…†‡ˆ‰Š‹Œ.Ž..‘’“”•–—˜™š›œ.žŸ";

/** Text in UTF-8 that was read as Windows-1252; null: it was not. */
function decodeTwice(text: string): string | null {
  try {
    return text.replaceAll(/[\u0080-\uffff]{1,400}/g, (run) => {
      const bytes = Uint8Array.from(run, (character) => {
        const at = character === "." ? -1 : WINDOWS.indexOf(character);
        const byte = at >= 0 ? 0x80 + at : character.charCodeAt(0);
        if (byte > 0xff) throw new TypeError(`${character} is no byte`);
        return byte;
      });
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    });
  } catch {
    return null;
  }
}
