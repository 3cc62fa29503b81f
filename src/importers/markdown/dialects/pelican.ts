/** Pelican: addresses with `{filename}`, and code with its language in its first line. */
import { posix } from "node:path";
import type { Dialect } from "./dialect.ts";
import { Liquid } from "./liquid.ts";
import { hasInProse, indentedLines, mapLines, mapProse } from "./prose.ts";

export const pelican: Dialect = {
  name: "pelican",
  label: "Pelican",
  isLikely: ({ body }) => hasInProse(body, PLACE),
  convert(body, context) {
    const { name, language } = context;
    const linked = (text: string): string => replacePlaces(text, name);
    const made = /\{%[^%]*%\}/.test(body) ? new Liquid(context, () => undefined).convert(body) : body;
    if (language === "html") return linked(made);
    const text = mapLines(made, (line) => (/^[ \t]*\[TOC\][ \t]*$/.test(line) ? null : line));
    return mapProse(convertCode(text), linked);
  },
};

const PLACE = /[("'<: ](?:\{(?:filename|static|attach)\}|\|(?:filename|static|attach)\|)/;
const PLACES = /([("'<]|:[ \t]?)[{|](filename|static|attach|tag|category|author|index)[}|]([^\s()"'<>]*)/g;

/** Paths that begin with `/` begin at the folder with all content. */
function replacePlaces(text: string, name: string): string {
  const folders = name.split("/").slice(0, -1);
  const content = folders.indexOf("content");
  const here = content < 0 ? folders : folders.slice(content + 1);
  return text.replaceAll(PLACES, (_whole, start: string, kind: string, path: string) => {
    if (kind === "index") return `${start}/`;
    if (kind === "tag" || kind === "category" || kind === "author") return `${start}/${kind}/${path}.html`;
    return start + (path.startsWith("/") ? posix.relative(`/${here.join("/")}`, path) : path);
  });
}

/** Indented code that begins with `:::python` or `#!python`, as fenced code. */
function convertCode(body: string): string {
  if (!/^(?: {4}|\t)(?::::|#!)\w/m.test(body)) return body;
  const lines = body.split("\n");
  const made: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const language = /^(?: {4}|\t)(?::::|#!)([\w+-]+)[ \t]*$/.exec(lines[at] ?? "")?.[1];
    if (language === undefined) {
      made.push(lines[at] ?? "");
      continue;
    }
    const { inside, end } = indentedLines(lines, at + 1, 4);
    made.push(`\`\`\`${language}`, ...inside, "```");
    at = Math.max(at, end - 1);
  }
  return made.join("\n");
}
