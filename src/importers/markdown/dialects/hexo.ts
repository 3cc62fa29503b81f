import { escapeHtml, titleOfSlug } from "../../html/html-tree.ts";
import { codeBlock, destination, link, trimLines } from "./constructs.ts";
import type { ConvertContext, Dialect } from "./dialect.ts";
import { prose } from "../structure.ts";
import { Liquid, type OwnTags, pictureOf } from "./liquid.ts";
import { pathFrom } from "./paths.ts";

export const hexo: Dialect = {
  name: "hexo",
  label: "Hexo",
  isLikely: ({ body }) => TAGS.test(prose(body)),
  convert: (body, context) =>
    body.includes("{%") || body.includes("{{") ? new Liquid(context, ownTags).convert(body) : body,
};

const TAGS =
  /\{%[ \t]{0,9}(?:asset_img|asset_path|asset_link|post_link|post_path|blockquote|pullquote|quote|note|endnote|include_code|hideToggle|centerquote|cq)\b/;

const ownTags: OwnTags = (tag, place, liquid) => {
  const { context } = liquid;
  const { language } = context;
  const [first = "", ...words] = tag.rest.split(/\s+/);
  if (words.at(-1) === "true" || words.at(-1) === "false") words.pop();
  const given = words.join(" ").replaceAll(/^["']|["']$/g, "");
  const text = language === "html" ? given : given.replaceAll("<", "&lt;");
  switch (tag.name) {
    case "asset_img":
      return pictureOf(tag.rest, language, place.isAlone, (file) => assetPath(context, file));
    case "asset_path":
      return destination(assetPath(context, first));
    case "asset_link":
      return link(text || first, assetPath(context, first), language);
    case "post_path":
      return destination(postPath(context, first));
    case "post_link":
      return link(text || titleOf(context, first), postPath(context, first), language);
    case "link": {
      const all = [first, ...words];
      const at = all.findIndex((word) => /^(?:https?:\/\/|\/)/.test(word));
      return at < 0 ? undefined : link(all.slice(0, at).join(" ") || (all[at] ?? ""), all[at] ?? "", language);
    }
    case "tabs": {
      const inside = liquid.inside(tag, place).replaceAll(TAB, (_found, label?: string) => {
        const title = label?.split("@", 1)[0]?.trim() ?? "";
        return title === ""
          ? ""
          : language === "html"
            ? `<p><strong>${escapeHtml(title)}</strong></p>`
            : `\n**${title}**\n`;
      });
      return { block: trimLines(inside) };
    }
    case "btn":
    case "button": {
      const [address = "", label = ""] = tag.rest.split(",").map((part) => part.trim());
      return address === "" ? undefined : link(label || address, address, language);
    }
    case "label":
      return tag.rest.slice(tag.rest.indexOf("@") + 1);
    case "include_code": {
      const file = tag.rest.split(/\s+/).at(-1) ?? "";
      const code = file.includes("..") ? null : context.site.readFile(`source/downloads/code/${file}`);
      return code === null ? undefined : codeBlock(/lang:(\S+)/.exec(tag.rest)?.[1] ?? "", code, language);
    }
    default:
      return undefined;
  }
};

/** Parts of NexT's tabs, which comments separate. */
const TAB = /<!--[ \t]{0,9}(?:endtab|tab(?:[ \t]([^<>\n]{1,200}?))?)[ \t]{0,9}-->/g;

/** Files of an article are in the folder beside it that has its name. */
function assetPath({ pathInSite: name }: ConvertContext, file: string): string {
  const own = (name.split("/").at(-1) ?? "").replace(/\.\w+$/, "");
  return own === "index" ? file : `${own}/${file}`;
}

function postPath({ pathInSite: name }: ConvertContext, post: string): string {
  return pathFrom(name, `${postsFolder(name)}/${post}.md`);
}

function postsFolder(name: string): string {
  return /(?:^|\/)source\//.test(name) ? "source/_posts" : "_posts";
}

function titleOf({ site }: ConvertContext, post: string): string {
  const text = post.includes("..") ? null : site.readFile(`source/_posts/${post}.md`);
  const title = /^title:[ \t]*(\S.*)$/m.exec((text ?? "").slice(0, 2000))?.[1]?.trim();
  return title?.replaceAll(/^["']|["']$/g, "") ?? titleOfSlug(post);
}
