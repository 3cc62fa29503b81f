/** Takes a guide of docs/sites apart. The tests of the sites build what this finds, so what the dashboard shows is what was tried. */

interface GuideFile {
  name: string;
  code: string;
}

interface Guide {
  /** The names of the variables that the site needs, in the guide's order. */
  variables: string[];
  /** The commands at its beginning; empty if there are none. */
  install: string;
  /** Each is named in bold code at the start of a line, and shown in the next block of code. */
  files: GuideFile[];
}

/** @throws Error if a file that the guide names has no code. */
export function readGuide(markdown: string): Guide {
  const [start = "", ...parts] = markdown.split(/^(?=\*\*`)/m);
  const files = parts.map((part) => {
    const [, name] = /^\*\*`([^`]+)`\*\*/.exec(part) ?? [];
    const code = firstBlock(part);
    if (name === undefined || code === null) throw new Error(`No code follows ${part.slice(0, 40)}`);
    return { name, code };
  });
  const variables = (firstBlock(start, "env") ?? "").matchAll(/^(\w+)=/gm);
  return {
    variables: Array.from(variables, ([, name = ""]) => name),
    install: firstBlock(start, "sh") ?? "",
    files,
  };
}

function firstBlock(markdown: string, wanted?: string): string | null {
  for (const [, language, code = ""] of markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (wanted === undefined || language === wanted) return code;
  }
  return null;
}
