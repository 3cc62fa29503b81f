import { replaceBetween } from "./between.ts";
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
  const asCode = (start: RegExpExecArray, code: string): string => codeBlock(start[1] ?? "", code);
  let done = replaceBetween(text, /\{%-?\s*comment\s*-?%\}/g, /\{%-?\s*endcomment\s*-?%\}/g, () => "");
  done = replaceBetween(
    done,
    /\{%-?\s*highlight(?:\s+([\w+#-]+))?[^%]*%\}\n?/g,
    /\{%-?\s*endhighlight\s*-?%\}/g,
    asCode,
  );
  done = replaceBetween(
    done,
    /\{\{[<%]\s*highlight(?:\s+"?([\w+#-]+)"?)?[^>%{]*[>%]\}\}\n?/g,
    /\{\{[<%]\s*\/\s*highlight\s*[>%]\}\}/g,
    asCode,
  );
  return done
    .replace(/\{\{[<%]\s*figure\s([^>{]*)[>%]\}\}/g, (tag, attributes: string) => figure(tag, attributes))
    .replace(
      /\{\{[<%]?\s*(youtube|vimeo)(?:\s+|\(\s*id\s*=\s*)(?:id=)?"?([\w-]+)"?\s*\)?[^{}]*\}\}/g,
      (_tag, host: string, id: string) => videoAddress(host, id),
    );
}

function videoAddress(host: string, id: string): string {
  return host === "youtube" ? `https://www.youtube.com/watch?v=${id}` : `https://vimeo.com/${id}`;
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
  const done: string[] = [];
  let prose: string[] = [];
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const mark: string | undefined = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const isEnd = fence !== null && mark?.startsWith(fence) === true && line.trim() === mark;
    if (fence === null && mark !== undefined) {
      done.push(...(prose.length > 0 ? [replace(prose.join("\n"))] : []));
      prose = [];
      fence = mark;
    }
    (fence === null ? prose : done).push(line);
    if (isEnd) fence = null;
  }
  if (prose.length > 0) done.push(replace(prose.join("\n")));
  return done.join("\n");
}
