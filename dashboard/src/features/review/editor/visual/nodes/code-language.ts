/** The language of a code block: the first word behind a fence in Markdown, a class in HTML. */
import type { Command } from "prosemirror-state";
import { readAttribute, withAttribute, withoutAttribute } from "../../document/html-tags.ts";
import { schema } from "../../document/schema.ts";

export function firstWord(info: string): string {
  return info.trim().split(/\s/, 1)[0] ?? "";
}

/** Sets the language of the code block at the position. What else is written beside it stays. */
export function setLanguage(position: number, typed: string): Command {
  return (state, dispatch) => {
    const node = state.doc.nodeAt(position);
    const language = firstWord(typed).replaceAll(/["<>&`]/g, "");
    if (node?.type !== schema.nodes.code_block) return false;
    const info = String(node.attrs["info"]);
    if (firstWord(info) === language) return false;
    const rest = info.trim().slice(firstWord(info).length);
    const tag: unknown = node.attrs["tag"];
    const attrs = {
      ...node.attrs,
      // Without a language, the rest would be read as one.
      info: language === "" ? "" : language + rest,
      tag: typeof tag === "string" ? withLanguage(tag, language) : tag,
    };
    dispatch?.(state.tr.setNodeMarkup(position, null, attrs));
    return true;
  };
}

/** `tag`: `<pre>`, or `<pre><code>`, as written. */
function withLanguage(tag: string, language: string): string {
  const at = tag.search(/<code\b/i);
  const [pre, code] = at === -1 ? [tag, "<code>"] : [tag.slice(0, at), tag.slice(at)];
  const others = (readAttribute(code, "class") ?? "").split(/\s+/).filter((name) => !/^$|^lang(?:uage)?-/.test(name));
  const names = [...others, ...(language === "" ? [] : [`language-${language}`])].join(" ");
  if (names !== "") return pre + withAttribute(code, "class", names);
  return at === -1 ? tag : pre + withoutAttribute(code, "class");
}
