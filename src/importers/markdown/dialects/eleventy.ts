/** Eleventy: Nunjucks and Liquid, with the article's own data. */
import { toText } from "../../import-item.ts";
import type { Dialect } from "./dialect.ts";
import { Liquid, textAt } from "./liquid.ts";
import { hasInProse, mapProse } from "./prose.ts";

export const eleventy: Dialect = {
  name: "eleventy",
  label: "Eleventy",
  isLikely: ({ fields, body }) =>
    fields.get("eleventyExcludeFromCollections", "eleventyNavigation", "eleventyComputed") !== undefined ||
    /\.(?:njk|liquid|webc|11ty\.c?js)$/.test(toText(fields.get("layout")) ?? "") ||
    hasInProse(body, /\{%-? *(?:set|macro|asyncEach|renderTemplate) |\{# /),
  convert(body, context) {
    const { fields, language } = context;
    const liquid = new Liquid(
      context,
      () => undefined,
      ([first = "", ...rest]) => textAt(fields.get(first), rest),
    );
    return liquid.convert(language === "html" ? withoutComments(body) : mapProse(body, withoutComments));
  },
};

function withoutComments(text: string): string {
  return text.replaceAll(/\{#-?[ \t\n][^{}#]*#\}/g, "");
}
