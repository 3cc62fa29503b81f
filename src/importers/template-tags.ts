import { escapeHtml } from "./plain-text.ts";

/**
 * Tags of site generators inside an article. Those whose meaning is plain become what they stand for; the others stay
 * as they are, so that a person can see what is missing.
 */
export function replaceTemplateTags(body: string, language: "markdown" | "html", isJekyll: boolean): string {
  if (!/\{[{%]/.test(body)) return body;
  // Jekyll runs Liquid before Markdown, so its `raw` is around code as well.
  const text = isJekyll ? body.replace(/\{%-?\s*(?:end)?raw\s*-?%\}[ \t]*\n?/g, "") : body;
  if (language === "html") return replaceTags(text, htmlCode);
  return outsideFences(text, (part) => replaceTags(part, fencedCode));
}

type CodeBlock = (language: string, code: string) => string;

function replaceTags(text: string, codeBlock: CodeBlock): string {
  return text
    .replace(/\{%-?\s*comment\s*-?%\}[\s\S]*?\{%-?\s*endcomment\s*-?%\}/g, "")
    .replace(
      /\{%-?\s*highlight(?:\s+([\w+#-]+))?[^%]*%\}\n?([\s\S]*?)\{%-?\s*endhighlight\s*-?%\}/g,
      (_tag, language: string | undefined, code: string) => codeBlock(language ?? "", code),
    )
    .replace(
      /\{\{[<%]\s*highlight(?:\s+"?([\w+#-]+)"?)?[^>%]*[>%]\}\}\n?([\s\S]*?)\{\{[<%]\s*\/\s*highlight\s*[>%]\}\}/g,
      (_tag, language: string | undefined, code: string) => codeBlock(language ?? "", code),
    )
    .replace(/\{\{[<%]\s*figure\s+([^>]*?)\/?\s*[>%]\}\}/g, (tag, attributes: string) => figure(tag, attributes))
    .replace(
      /\{\{[<%]?\s*(youtube|vimeo)(?:\s+|\(\s*id\s*=\s*)(?:id=)?"?([\w-]+)"?\s*\)?[^}]*\}\}/g,
      (_tag, host: string, id: string) =>
        host === "youtube" ? `https://www.youtube.com/watch?v=${id}` : `https://vimeo.com/${id}`,
    );
}

function fencedCode(language: string, code: string): string {
  const fence = code.includes("```") ? "````" : "```";
  return `${fence}${language}\n${code.replace(/\n?$/, "\n")}${fence}`;
}

function htmlCode(language: string, code: string): string {
  const classes = language === "" ? "" : ` class="language-${language}"`;
  return `<pre><code${classes}>${escapeHtml(code)}</code></pre>`;
}

function figure(tag: string, attributes: string): string {
  const values = new Map(
    [...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name ?? "", escapeHtml(value ?? "")]),
  );
  const src = values.get("src");
  if (src === undefined) return tag;
  const caption = values.get("caption") ?? values.get("title");
  const image = `<img src="${src}" alt="${values.get("alt") ?? caption ?? ""}">`;
  return caption === undefined ? image : `<figure>${image}<figcaption>${caption}</figcaption></figure>`;
}

/** An article about a template language shows its tags in fenced code: those are not ours to replace. */
function outsideFences(text: string, replace: (part: string) => string): string {
  let done = "";
  let rest = text;
  for (;;) {
    const fence = /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/m.exec(rest);
    if (fence === null) return done + replace(rest);
    done += replace(rest.slice(0, fence.index)) + fence[0];
    rest = rest.slice(fence.index + fence[0].length);
  }
}
