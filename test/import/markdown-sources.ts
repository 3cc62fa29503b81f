/** Reads the Markdown of foreign sites as their generators do, by markdown-it and a few lines of its own. */
import { createRequire } from "node:module";

/** It brings no types. */
const MarkdownIt = createRequire(import.meta.url)("markdown-it") as new (options: {
  html: boolean;
  linkify: boolean;
}) => {
  render(markdown: string): string;
  linkify: { set(options: { fuzzyLink: boolean }): void };
  validateLink: (address: string) => boolean;
};

export interface SourceArticle {
  html: string;
  title: string | undefined;
  authors: string[] | undefined;
  tags: string[] | undefined;
  slug: string | undefined;
  /** As an ISO day, or a time. */
  date: string | undefined;
}

export function readMarkdownSource(name: string, file: string): SourceArticle {
  const [, mark, front = "", body = ""] =
    /^(\+\+\+|---)\r?\n([\s\S]*?)\r?\n\1[ \t]*(?:\r?\n([\s\S]*))?$/.exec(file) ?? [];
  if (mark === undefined) throw new Error(`${name} has no front matter`);
  const fields = mark === "+++" ? readToml(front) : readYaml(front);
  const path = one(fields.get("path"));
  const own = name.replace(/(?:\/index)?\.md$/, "").replace(/^.*\//, "");
  return {
    html: toHtml(body),
    // Some generators render these, too.
    title: one(fields.get("title"))?.replaceAll(/<\/?i>/g, ""),
    authors: (fields.get("authors") ?? fields.get("author"))?.map((name) =>
      name.replaceAll(/\[(.*?)\]\(.*?\)|<\/?i[^>]*>/g, "$1"),
    ),
    tags: fields.get("tags"),
    slug: path?.split("/").at(-1) ?? own,
    date: path === undefined ? one(fields.get("date")) : /\d{4}\/\d\d\/\d\d/.exec(path)?.[0].replaceAll("/", "-"),
  };
}

const one = (values: readonly string[] | undefined): string | undefined => values?.[0];

function readToml(front: string): Map<string, string[]> {
  const [top = ""] = front.split(/^\[/m);
  const fields = top.matchAll(/^(\w+) *= *("""[^]*?"""|'''[^]*?'''|[^\n]*(?:\n[ \]"'][^\n]*)*)/gm);
  return new Map(
    Array.from(fields, ([, name = "", value = ""]) => [
      name,
      Array.from(
        value.matchAll(/("""|''')([^]*?)\1|"(?:[^"\\]|\\.)*"|'[^']*'/g),
        ([text, , long]) => long?.trim() ?? unquote(text),
      ),
    ]),
  );
}

function readYaml(front: string): Map<string, string[]> {
  const fields = front.matchAll(/^(\w+): *([^\n]*)((?:\n *- [^\n]*)*)/gm);
  return new Map(
    Array.from(fields, ([, name = "", value = "", list = ""]) => {
      const items = list.split("\n").flatMap((line) => (line === "" ? [] : [line.replace(/^ *- /, "")]));
      return [name, (items.length > 0 ? items : [value]).map(unquote)];
    }),
  );
}

function unquote(written: string): string {
  const text = written.trim();
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  return text.startsWith('"') ? String(JSON.parse(text)) : text;
}

const parser = new MarkdownIt({ html: true, linkify: true });
parser.linkify.set({ fuzzyLink: false });
// What is unsafe counts as a loss, too.
parser.validateLink = () => true;

function toHtml(source: string): string {
  const markdown = source.replaceAll(/(?:^\|.*\n)+/gm, (table) =>
    /\\ *$|^\| *\^\^ *\|/m.test(table) ? readTable(table) : table,
  );
  const notes = new Map<string, string>();
  const lines: string[] = [];
  let fence: string | undefined;
  let note: string | undefined;
  let before = "";
  for (const line of markdown.split(/\r?\n/)) {
    const [, ticks] = /^ *(?:> ?)*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === undefined ? ticks !== undefined : ticks?.startsWith(fence) === true && /^[\s>`~]+$/.test(line))
      fence = fence === undefined ? ticks : undefined;
    const start = fence === undefined ? /^\[\^([^\]\s]+)\]:[ \t]*(.*)$/.exec(line) : null;
    if (start !== null) {
      note = start[1] ?? "";
      notes.set(note, start[2] ?? "");
    } else if (note !== undefined && (/^(?: {2,}|\t)\S/.test(line) || line.trim() === "" || before.trim() !== "")) {
      notes.set(note, `${notes.get(note) ?? ""}\n${line.replace(/^(?: {1,4}|\t)/, "")}`);
    } else {
      note = undefined;
      lines.push(fence === undefined ? readMarks(line) : line);
    }
    before = line;
  }
  const mark = (text: string) =>
    text.replaceAll(/(`+)[\s\S]*?\1|\[\^([^\]\s]+)\]/g, (whole, ticks: string | undefined, name: string) =>
      ticks === undefined && notes.has(name) ? "<sup data-footnote-ref></sup>" : whole,
    );
  const definitions = lines.filter((line) => /^ {0,3}\[[^\]^][^\]]*\]: *\S/.test(line)).join("\n");
  const parts = [lines.join("\n"), ...Array.from(notes.values(), (text) => `${text}\n\n${definitions}`)];
  return parts.map((part) => withWords(parser.render(mark(part)))).join("\n");
}

/** A table of MultiMarkdown: rows that end with a backslash go on in the next line, and `^^` belongs to the cell above. */
function readTable(written: string): string {
  const [head = "", , ...body] = written.trimEnd().split("\n");
  const rows = body
    .join("\n")
    .split(/(?<!\\ *)\n/)
    .map((row) =>
      row.split("\n").map((line) =>
        line
          .replace(/\|? *\\? *$/, "")
          .split("|")
          .slice(1),
      ),
    );
  const html = rows.map((lines) =>
    (lines[0] ?? []).map((_cell, column) => {
      const text = lines.map((cells) => cells[column]?.replace(/^ /, "").trimEnd() ?? "").join("\n");
      return text.trim() === "^^" ? "" : `<td>${parser.render(text.trim()).replaceAll("\n\n", "\n&#10;")}</td>`;
    }),
  );
  const names = head
    .split("|")
    .slice(1, -1)
    .map((name) => `<th>${name.trim()}</th>`);
  return `<table>${[names, ...html].map((cells) => `<tr>${cells.join("")}</tr>`).join("")}</table>\n`;
}

/** A heading's own id, and the lines around a container. */
function readMarks(line: string): string {
  if (line.startsWith(":::")) return "";
  return /^#{1,6} /.test(line) ? line.replace(/ *\{ *#[^{}]*\} *$/, "") : line;
}

/** A word in angle brackets that is no element: `List<String>`. */
function withWords(html: string): string {
  return html.replaceAll(/<([a-z][\w-]*)>/gi, (tag, name: string) =>
    ELEMENTS.has(name.toLowerCase()) || html.includes(`</${name}>`) ? tag : `&lt;${name}&gt;`,
  );
}

const ELEMENTS = new Set(
  "a abbr b blockquote br code col dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i iframe img ins kbd li mark noscript ol p path pre progress q s samp script section small source span strong style sub summary sup svg table tbody td text tfoot th thead tr tspan tt u ul var video".split(
    " ",
  ),
);
