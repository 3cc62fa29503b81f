import { embed, embedAddress, isEmbed, named, readArguments } from "./constructs.ts";
import { writePieces } from "./output.ts";
import { findTags, type TagSyntax } from "./tags.ts";

/** Zola's shortcodes of videos: `{{ youtube(id="…") }}`. */
const SYNTAX: TagSyntax = {
  forms: [{ open: "{{", close: "}}" }],
  read(inside) {
    const [, name, rest] = /^\s*([a-z]+)\(([^()]*)\)\s*$/.exec(inside) ?? [];
    return name === undefined || rest === undefined || !isEmbed(name) ? null : { name, rest, isEnd: false };
  },
  isVerbatim: () => false,
};

export function convertZola(body: string, language: "markdown" | "html"): string {
  if (!body.includes("{{")) return body;
  return writePieces(findTags(body, SYNTAX, language), {
    tag: ({ name, rest, source }, { isAlone }) => {
      const address = embedAddress(name, named(readArguments(rest), "id") ?? "");
      return address === undefined ? source : embed(address, language, isAlone);
    },
    text: (text) => text,
    code: (code) => code,
  });
}
