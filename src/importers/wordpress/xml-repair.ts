const MEANT = /<!\[CDATA\[|<!--|<(?![\p{L}_:/!?])|&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6});)/giu;
/** Longer than any searched token, so that none is missed at a chunk boundary. */
const LOOK_AHEAD = 12;
/** Control characters that XML forbids; they come from word processors and mean nothing. */
const FORBIDDEN = /[^\P{Cc}\t\n\r\u007F-\u009F]/gu;

/**
 * Repairs the XML that WordPress and Squarespace write: unescaped ampersands and angle brackets (`?a=1&b=2`, `<3`), HTML's
 * named entities, control characters, and blank lines before the declaration. Entities that a document defines itself stay
 * text, so that they cannot be used to fill the memory. In CDATA and comments only control characters are removed.
 */
export class XmlRepair {
  #within: "text" | "]]>" | "-->" = "text";
  #carried = "";
  #isStart = true;

  /** The repaired text, as far as it can be decided; `isLast`: this is the last chunk. */
  write(chunk: string, isLast: boolean): string {
    let text = this.#carried + chunk.replace(FORBIDDEN, "");
    if (this.#isStart) text = text.trimStart();
    if (text !== "") this.#isStart = false;
    const end = isLast ? text.length : Math.max(0, text.length - LOOK_AHEAD);
    let done = "";
    let at = 0;
    while (at < end) {
      const next = this.#within === "text" ? nextMeant(text, at) : findNext(this.#within, text, at);
      if (next === null || next.index >= end) break;
      done += text.slice(at, next.index);
      at = next.index + next.found.length;
      if (next.found === "&" || next.found === "<") {
        done += next.found === "&" ? "&amp;" : "&lt;";
      } else {
        done += next.found;
        this.#within = this.#within !== "text" ? "text" : next.found === "<!--" ? "-->" : "]]>";
      }
    }
    const rest = Math.max(at, end);
    this.#carried = text.slice(rest);
    return done + text.slice(at, rest);
  }
}

interface Match {
  index: number;
  found: string;
}

function nextMeant(text: string, from: number): Match | null {
  MEANT.lastIndex = from;
  const match = MEANT.exec(text);
  return match === null ? null : { index: match.index, found: match[0] };
}

function findNext(mark: string, text: string, from: number): Match | null {
  const index = text.indexOf(mark, from);
  return index === -1 ? null : { index, found: mark };
}
