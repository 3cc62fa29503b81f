/** Toolbar commands: from a text and its selection to a replacement. */

interface Selected {
  text: string;
  start: number;
  end: number;
}

/** `insert` replaces `from` to `to`; then `start` to `end` are selected. */
interface Change {
  from: number;
  to: number;
  insert: string;
  start: number;
  end: number;
}

export type Command = (selected: Selected) => Change;

export const bold: Command = (selected) => wrap(selected, "**", "bold text");
export const italic: Command = (selected) => wrap(selected, "_", "text");

/** Inline code, or a code block if the selection spans several lines. */
export const code: Command = (selected) => {
  const { text, start, end } = selected;
  const inside = text.slice(start, end);
  if (!inside.includes("\n")) return wrap(selected, "`", "code");
  const lead = start === 0 || text[start - 1] === "\n" ? "" : "\n";
  const insert = `${lead}\`\`\`\n${inside.replace(/\n$/, "")}\n\`\`\`\n`;
  const first = start + lead.length + 4;
  return { from: start, to: end, insert, start: first, end: first + inside.replace(/\n$/, "").length };
};

export const link: Command = ({ text, start, end }) => {
  const inside = text.slice(start, end);
  const isAddress = /^https?:\/\/\S+$/.test(inside);
  const words = isAddress || inside === "" ? "text" : inside;
  const address = isAddress ? inside : "https://";
  const insert = `[${words}](${address})`;
  // Select what has to be typed next.
  const at = isAddress ? start + 1 : start + words.length + 3;
  return { from: start, to: end, insert, start: at, end: at + (isAddress ? words : address).length };
};

/** None → h2 → h3 → h4 → none: the title is the page's only h1. */
export const heading: Command = (selected) =>
  eachLine(selected, (line) => {
    const [, marks = "", rest = ""] = /^(#{1,6} )?(.*)$/.exec(line) ?? [];
    const level = marks.length === 0 ? 2 : marks.length === 5 ? 0 : Math.max(2, marks.length);
    return level === 0 ? rest : `${"#".repeat(level)} ${rest}`;
  });

export const bulletList: Command = (selected) => list(selected, () => "- ");
export const numberedList: Command = (selected) => list(selected, (index) => `${index + 1}. `);
export const quote: Command = (selected) => {
  const isQuoted = getLines(selected).lines.every((line) => line.startsWith("> "));
  return eachLine(selected, (line) => (isQuoted ? line.slice(2) : `> ${line}`));
};

/** Wraps the selection in the markers, or removes them. */
function wrap({ text, start, end }: Selected, mark: string, example: string): Change {
  const size = mark.length;
  const inside = text.slice(start, end);
  if (text.slice(start - size, start) === mark && text.slice(end, end + size) === mark && start >= size) {
    return { from: start - size, to: end + size, insert: inside, start: start - size, end: end - size };
  }
  if (inside.length > 2 * size && inside.startsWith(mark) && inside.endsWith(mark)) {
    const bare = inside.slice(size, -size);
    return { from: start, to: end, insert: bare, start, end: start + bare.length };
  }
  // Markers next to a space have no effect in Markdown.
  const words = inside.trim() === "" ? example : inside.trim();
  const lead = inside.trim() === "" ? inside : (/^\s*/.exec(inside)?.[0] ?? "");
  const rest = inside.trim() === "" ? "" : (/\s*$/.exec(inside)?.[0] ?? "");
  const first = start + lead.length + size;
  return { from: start, to: end, insert: lead + mark + words + mark + rest, start: first, end: first + words.length };
}

function list(selected: Selected, markOf: (index: number) => string): Change {
  const { lines } = getLines(selected);
  const isList = lines.every((line, index) => line.trimStart().startsWith(markOf(index)));
  return eachLine(selected, (line, index) => {
    const bare = line.replace(/^(\s*)(?:[-*+]|\d+[.)]) /, "$1");
    return isList ? bare : bare.replace(/^\s*/, (space) => space + markOf(index));
  });
}

function eachLine(selected: Selected, change: (line: string, index: number) => string): Change {
  const { from, to, lines } = getLines(selected);
  const changed = lines.map(change);
  const insert = changed.join("\n");
  if (selected.start !== selected.end) return { from, to, insert, start: from, end: from + insert.length };
  const caret = Math.max(from, selected.start + insert.length - (to - from));
  return { from, to, insert, start: caret, end: caret };
}

/** The full lines that the selection touches. */
function getLines({ text, start, end }: Selected): { from: number; to: number; lines: string[] } {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  // A selection that ends at the start of a line does not include that line.
  const last = end > start && text[end - 1] === "\n" ? end - 1 : end;
  const next = text.indexOf("\n", last);
  const to = next === -1 ? text.length : next;
  return { from, to, lines: text.slice(from, to).split("\n") };
}
