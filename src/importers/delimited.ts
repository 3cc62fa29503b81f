/** Ranges include delimiters. Linear: without a further end no start is tried. Both patterns need the flag `g`. */
export function replaceBetween(
  text: string,
  start: RegExp,
  end: RegExp,
  make: (start: RegExpExecArray, inside: string) => string,
): string {
  let done = "";
  let from = 0;
  for (;;) {
    const opening = execFrom(start, text, from);
    if (opening === null) break;
    const inside = opening.index + opening[0].length;
    const closing = execFrom(end, text, inside);
    if (closing === null) break;
    done += text.slice(from, opening.index) + make(opening, text.slice(inside, closing.index));
    from = closing.index + closing[0].length;
  }
  return done + text.slice(from);
}

export function withoutComments(html: string): string {
  return replaceBetween(html, /<!--/g, /-->/g, () => "");
}

function execFrom(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}
