import { toText } from "../../import-item.ts";
import { prose } from "../structure.ts";
import { destination } from "./constructs.ts";
import type { ConvertContext, Dialect, SourceFile } from "./dialect.ts";
import { convertKramdown } from "./kramdown.ts";
import { Liquid, type OwnTags } from "./liquid.ts";
import { pathFrom } from "./paths.ts";

export const jekyll: Dialect = {
  name: "jekyll",
  label: "Jekyll",
  isLikely: (file) => isJekyllPost(file) || TAGS.test(prose(file.body)),
  convert(body, context) {
    const text = withoutSeparator(body, context);
    const made = /\{[%{]/.test(body) ? new Liquid(context, ownTags).convert(text) : text;
    return context.language === "markdown" ? convertKramdown(made) : made;
  },
};

/** Without the sign behind the excerpt, unless it is a comment or an empty line. */
function withoutSeparator(body: string, { fields, site }: ConvertContext): string {
  const sign = toText(fields.get("excerpt_separator") ?? site.values["excerpt_separator"])?.trim() ?? "";
  const at = sign === "" || sign.startsWith("<!--") ? -1 : body.indexOf(sign);
  return at < 0 ? body : body.slice(0, at) + body.slice(at + sign.length);
}

/** Astro has a `layout`, too, but there it is a file's path. */
function isJekyllPost({ name, fields }: SourceFile): boolean {
  return /(?:^|\/)_(?:posts|drafts)\//.test(name) || /^[^/]+$/.test(toText(fields.get("layout")) ?? "");
}

const TAGS =
  /\{%-?[ \t]{0,9}(?:highlight|raw|include|include_relative|post_url|link|comment|assign|capture|codeblock|img|gist)\b|\{\{[ \t]{0,9}(?:site|page)\.|\{\{[^{}]{0,300}\|[ \t]{0,9}(?:relative|absolute)_url|\{:(?:[ \t]{0,9}[.#]\w|toc\})/;

const ownTags: OwnTags = ({ name, rest }, _place, { context }) => {
  const target = (rest.split(/\s+/)[0] ?? "").replaceAll(/["']/g, "");
  if (name === "post_url") return destination(pathFrom(context.pathInSite, `_posts/${target.replace(/^\//, "")}.md`));
  if (name !== "link") return undefined;
  const path = target.replace(/^\//, "");
  return destination(/\.(?:md|markdown|html?)$/.test(path) ? pathFrom(context.pathInSite, path) : `/${path}`);
};
