/** Articles as they are delivered as Markdown, rendered as a careless receiver would. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { detectLanguage } from "../../src/content-processes/language.ts";
import fc from "fast-check";
import { marked } from "marked";
import { AppError } from "../../src/domain/system/errors.ts";
import { deriveContent } from "../../src/domain/articles/content/content.ts";
import { BLANK_SOURCE } from "../../src/domain/articles/content/content-source.ts";
import { markup } from "./markup.ts";
import { findLive, RENDERERS } from "./renderers.ts";

export interface Article {
  as: "html" | "markdown";
  text: string;
}

const LIVE = "<img src=x onerror=alert(1)>";

/** Pieces that one parser reads as code or text, and another as markup. */
const PIECES = [
  LIVE,
  "<script>alert(1)</script>",
  "<script",
  "<!--",
  "-->",
  "<textarea",
  "<svg/onload=alert(1)>",
  "&lt;img src=x onerror=alert(1)&gt;",
  "&lt;script>",
  "&#60;img src=x onerror=alert(1)>",
  "&amp;lt;img src=x onerror=alert(1)>",
  "\\<img src=x onerror=alert(1)>",
  "x\\\n",
  "x\\\n\\<img src=x onerror=alert(1)>",
  "x\\\n&lt;img src=x onerror=alert(1)>",
  `\`${LIVE}\``,
  `\`\`${LIVE}\`\``,
  "<code>&lt;img src=x onerror=alert(1)></code>",
  "<code>`&lt;img src=x onerror=alert(1)></code>",
  "<code>a|b &lt;img src=x onerror=alert(1)></code>",
  `\n\n\`\`\`html\n${LIVE}\n\`\`\`\n\n`,
  `\n\n~~~\n${LIVE}\n~~~\n\n`,
  `\n\n    ${LIVE}\n\n`,
  `\n\t${LIVE}\n`,
  "<pre><code>&lt;img src=x onerror=alert(1)>\n</code></pre>",
  '<pre><code class="language-<svg/onload=alert(1)>">x</code></pre>',
  "<br>",
  "  \n",
  "\n\n",
  "\n\n- ",
  "\n1. ",
  "\n\n> ",
  "\n\n    ",
  "\n\t",
  "\n| a | b |\n|---|---|\n| c | ",
  " | ",
  "\\|",
  "`",
  "``",
  "```",
  "\\",
  "\\`",
  "*",
  "_",
  "~~",
  "[",
  "]",
  "](",
  ")",
  "![",
  "[x](javascript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](java\\script\\:alert(1))",
  "[x](javascript&colon;alert(1))",
  "[x](java&Tab;script:alert(1))",
  "[x](\njavascript:alert(1))",
  "[x](\n> javascript:alert(1))",
  "[x] (javascript:alert(1))",
  "![x](javascript:alert(1))",
  "[x](<javascript:alert(1)>)",
  "\n\n[x]: javascript:alert(1)\n\n[x]",
  "\n\n[x]:\n  javascript:alert(1)\n\n[x][]",
  "\n\n[^x]: javascript:alert(1)\n\n[y][^x] [^x]",
  "<javascript:alert(1)>",
  '[x](/y "z" onmouseover="alert(1)")',
  "[x](/y 'z\" onmouseover=\"alert(1)')",
  '[x](/y (z" onmouseover="alert(1)))',
  '[x](/y"onmouseover="alert(1))',
  "[x](/y'onmouseover='alert(1))",
  '[x](/y "z\\" onmouseover=\\"alert(1)")',
  '![x" onerror="alert(1)](/y)',
  "![x' onerror='alert(1)](/y)",
  '\n\n[x]: /y "z" onmouseover="alert(1)"\n\n[x]',
  "<a href='/y\" onmouseover=\"alert(1)'>x</a>",
  "<a href='/y' title='z\" onmouseover=\"alert(1)'>x</a>",
  "<a href='img/src=x/onerror=alert(1)'>x](y</a>",
  "<a href='https://x.example/onmouseover=alert(1)//'>https://x.example/onmouseover=alert(1)//</a>",
  "<img src=/y alt='\" onerror=\"alert(1)'>",
  "<img src=/y alt=']\\(javascript:alert(1)) <script>'>",
  'https://x.example/"onmouseover="alert(1)',
  "www.x.example/'onmouseover='alert(1)",
  "<sup>x</sup>",
  "<q>x</q>",
  "<td>",
  "<h2>",
  "<li>",
  "<b>",
  "</b>",
  "<div>",
  "</div>",
  "<table><tr><td>",
  "<p>",
  '{: onclick="alert(1)"}',
  '\n\n## x {onclick="alert(1)" style="x"}\n\n',
  '[x](/y){onclick="alert(1)"}',
  "[^n]",
  "\n\n[^n]: ",
  "\n[^n]:javascript:alert(1)\n\n",
  '\n\n[^n]: /y "z"\n\n',
  "\n\n    <script>",
  "\n> [!NOTE]\n> ",
  "\n\n:::tip <b>\n",
  "\n:::\n\n",
  '\n\n!!! note "x"\n    ',
  "\n\nx\n: ",
  '\n\n## x {#y" onclick="alert(1)}\n\n',
  "\n\n## x {#<script>}\n\n",
  "$",
  "$$",
  "\\(",
  "\\)",
  ":tada:",
  "[^n]: [a](javascript:alert(1))",
  '<a data-footnote-ref href="#fn-x](javascript:alert(1)">y</a>',
  '<section data-footnotes><ol><li id="fn-n"><p>javascript:alert(1)</p></li></ol></section>',
  '\n\n```js {onclick="alert(1)"}\nx\n```\n\n',
] as const;

/** The product's own articles, or those in other folders, in the form in which they were written. */
export function readArticles(folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:md|markdown|html)$/.test(name))
      .toSorted()
      .map((name) => readFileSync(join(folder, name), "utf8").replace(/^(?:---|\+\+\+)\n[^]*?\n(?:---|\+\+\+)\n/, ""))
      .filter((text) => text.length < MAX_LENGTH),
  );
}

const MAX_LENGTH = 12_000;
export const OWN_ARTICLES = join(import.meta.dirname, "../../demo/articles");

/** Articles into which pieces are put, and from which pieces are cut; and texts made of pieces alone. */
export function articles(sources: readonly string[]): fc.Arbitrary<Article> {
  const piece = fc.constantFrom(...PIECES);
  const edit = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), cut: fc.nat(30), put: piece });
  const rewritten = fc
    .tuple(fc.constantFrom(...sources), fc.boolean(), fc.array(edit, { minLength: 1, maxLength: 6 }))
    .map(([source, isHtml, edits]) => {
      let text = isHtml ? marked.parse(source, { async: false }) : source;
      for (const { at, cut, put } of edits) {
        const from = Math.floor(at * text.length);
        text = text.slice(0, from) + put + text.slice(from + cut);
      }
      return text;
    });
  const mixed = fc.array(fc.oneof(piece, fc.constantFrom("a", "Some words. ", "\n")), { minLength: 1, maxLength: 8 });
  return fc.record({
    as: fc.constantFrom("html", "markdown"),
    text: fc.oneof(
      { weight: 2, arbitrary: rewritten },
      { weight: 3, arbitrary: mixed.map((parts) => parts.join("")) },
      { weight: 1, arbitrary: markup.filter((text) => text.length < MAX_LENGTH) },
    ),
  });
}

/** @returns the Markdown that receivers get; null if the article is refused. */
export function deliver({ as, text }: Article): string | null {
  try {
    return deriveContent({ ...BLANK_SOURCE, [as]: text }, { clock: Date.now, detectLanguage }).markdown;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

export function tryMarkdown(article: Article): void {
  const markdown = deliver(article);
  if (markdown === null) return;
  for (const [name, render] of Object.entries(RENDERERS)) {
    const html = render(markdown);
    const live = findLive(html);
    assert.equal(live, null, `${name} shows ${live}, of ${JSON.stringify(markdown).slice(0, 2_000)}`);
  }
}
