const MEANT = /<!\[CDATA\[|<!--|<(?![\p{L}_:/!?])|&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6});)/giu;
/** Longer than anything that is looked for, so that nothing is missed where two pieces meet. */
const LOOK_AHEAD = 12;
/** Control characters that XML forbids; they come from word processors and mean nothing. */
const FORBIDDEN = /[^\P{Cc}\t\n\r\u007F-\u009F]/gu;

/**
 * Makes XML of what WordPress and Squarespace write: ampersands and angle brackets that stand for themselves
 * (`?a=1&b=2`, `<3`), HTML's names of characters, control characters, and blank lines before the declaration. Entities
 * that a document defines itself stay text, so that they cannot be used to fill the memory. Inside CDATA and comments
 * only control characters are touched.
 */
export class XmlRepair {
  #within: "text" | "]]>" | "-->" = "text";
  #carried = "";
  #isStart = true;

  /** The repaired text of as much as can be decided; `isLast`: of everything. */
  write(chunk: string, isLast: boolean): string {
    let text = this.#carried + chunk.replace(FORBIDDEN, "");
    if (this.#isStart) text = text.trimStart();
    if (text !== "") this.#isStart = false;
    const end = isLast ? text.length : Math.max(0, text.length - LOOK_AHEAD);
    let done = "";
    let at = 0;
    while (at < end) {
      const next = this.#within === "text" ? nextMeant(text, at) : nextOf(this.#within, text, at);
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

function nextOf(mark: string, text: string, from: number): Match | null {
  const index = text.indexOf(mark, from);
  return index === -1 ? null : { index, found: mark };
}
