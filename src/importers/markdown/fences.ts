/** A part of a Markdown text: prose, or fenced code including its fences. */
interface Part {
  isCode: boolean;
  text: string;
}

/** Splits a Markdown text into parts, which joined by line breaks give the text again. An unclosed fence extends to the end. */
export function fencedParts(text: string): Part[] {
  const parts: Part[] = [];
  let lines: string[] = [];
  let fence: string | null = null;
  const flush = (): void => {
    if (lines.length > 0) parts.push({ isCode: fence !== null, text: lines.join("\n") });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const mark: string | undefined = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null && mark !== undefined) {
      flush();
      fence = mark;
      lines.push(line);
      continue;
    }
    lines.push(line);
    if (fence !== null && mark?.startsWith(fence) === true && line.trim() === mark) {
      flush();
      fence = null;
    }
  }
  flush();
  return parts;
}
