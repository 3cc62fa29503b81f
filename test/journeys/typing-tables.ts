/** What is typed or pasted, key by key, and what must be stored. */
import type { Copied } from "./clipboard.ts";
import * as docs from "./pasted-fixtures.ts";

export type Step =
  | string
  | { press: string }
  | Pasted
  /** Text that must be on the page before the next step. */
  | { see: string | RegExp };

export interface Pasted extends Copied {
  /** Absent: Control+V. */
  keys?: string;
}

export interface Row {
  steps: readonly Step[];
  stored: string;
}

interface Table {
  format?: "html";
  rows: Readonly<Record<string, Row>>;
}

const VIDEO = "https://www.youtube.com/watch?v=abcDEF12345&t=1m30s";
const FRAME =
  '<iframe src="https://www.youtube-nocookie.com/embed/abcDEF12345?start=90" title="YouTube video" width="560" height="315" loading="lazy" allowfullscreen></iframe>';
const MARKDOWN = "# Title\n- a\n**b** and [c](https://example.org/c)";

const press = (keys: string): Step => ({ press: keys });

export const TABLES: Readonly<Record<string, Table>> = {
  "typed addresses are links, and nothing else of the paragraph is escaped": {
    rows: {
      "an address and a word": {
        steps: ["See https://example.org/a_b?x=1 now."],
        stored: "See https://example.org/a_b?x=1 now.",
      },
      "without a scheme, in parentheses": {
        steps: ["At (www.example.org), they say."],
        stored: "At (www.example.org), they say.",
      },
      "an e-mail address": {
        steps: ["Write to me@example.com, please."],
        stored: "Write to me@example.com, please.",
      },
      "at the end, saved at once": { steps: ["See https://example.org/a-b"], stored: "See https://example.org/a-b" },
      "before Enter": {
        steps: ["See https://example.org/*x*/y", press("Enter"), "next"],
        stored: "See https://example.org/*x*/y\n\nnext",
      },
      "with a sentence's sign": {
        steps: ["Is it https://example.org/a? Yes."],
        stored: "Is it https://example.org/a? Yes.",
      },
      "taken back by Backspace": {
        steps: ["See https://example.org/ ", press("Backspace"), "now"],
        stored: "See https\\://example.org/ now",
      },
      "taken back by undo": {
        steps: ["See https://example.org/ ", press("Control+z"), "then"],
        stored: "See https\\://example.org/ then",
      },
      "of a host without a dot": { steps: ["On http://localhost:3000, now"], stored: "On http://localhost:3000, now" },
      "in a word's place": {
        steps: ["One two", press("Control+Shift+ArrowLeft"), "https://example.org/x and"],
        stored: "One https://example.org/x and",
      },
      "no addresses": {
        steps: ["a_b_c and 2 * 3, 2024. was [sic], AT&T, $x^2$ 🎉"],
        stored: "a_b_c and 2 * 3, 2024. was [sic], AT&T, $x^2$ 🎉",
      },
      "a tag is text": { steps: ["<b>bold</b>"], stored: "\\<b>bold\\</b>" },
    },
  },
  "typed Markdown means what Markdown says": {
    rows: {
      "bold italic at a line's beginning": { steps: ["***both***, next"], stored: "***both***, next" },
      bold: { steps: ["a **b** and __c__."], stored: "a **b** and **c**." },
      italic: { steps: ["an *i* and _j_."], stored: "an *i* and *j*." },
      struck: { steps: ["~~s~~ no"], stored: "~~s~~ no" },
      code: { steps: ["`c` d"], stored: "`c` d" },
      "a link": {
        steps: ["[text](https://example.org/a_(b)) on"],
        stored: "[text](<https://example.org/a_(b)>) on",
      },
      "an image": { steps: ["![alt](/dashboard/favicon.svg) on"], stored: "![alt](/dashboard/favicon.svg) on" },
      tasks: {
        steps: ["- [ ] todo", press("Enter"), "next", press("Enter Enter"), "- [x] done"],
        stored: "- [ ] todo\n- [ ] next\n- [x] done",
      },
      "a quote": { steps: ["> wise"], stored: "> wise" },
      "code with a language": { steps: ["```js", press("Enter"), "let a;"], stored: "```js\nlet a;\n```" },
      "a divider": { steps: ["one", press("Enter"), "---two"], stored: "one\n\n---\n\ntwo" },
      "a divider of stars": {
        steps: ["one", press("Enter"), "***", press("Enter"), "three"],
        stored: "one\n\n---\n\nthree",
      },
      "a numbered list": { steps: ["1. one", press("Enter"), "two"], stored: "1. one\n2. two" },
      "a year": { steps: ["2024. was"], stored: "2024\\. was" },
      "a heading": { steps: ["## Two"], stored: "## Two" },
      "a heading's id": { steps: ["## Two {#second_part}"], stored: "## Two {#second_part}" },
      "an emoji's name": { steps: ["So :smile: and :+1: at 10:30:00"], stored: "So :smile: and :+1: at 10:30:00" },
      "a formula": { steps: ["Let $a*b*c$ and $x_1 + y_1$ be"], stored: "Let $a*b*c$ and $x_1 + y_1$ be" },
      "a formula in parentheses": { steps: ["So \\(a_1*b*c\\) is"], stored: "So \\(a_1*b*c\\) is" },
      "a formula in a heading": { steps: ["## On $a*b*$ and $\\{x\\}$"], stored: "## On $a*b*$ and $\\{x\\}$" },
      "prices that would be a formula": { steps: ["$5 and *i*, 10$ and _j_"], stored: "\\$5 and *i*, 10$ and *j*" },
      "a backtick alone": { steps: ["a ` b"], stored: "a ` b" },
      "a backtick alone in a link's text": {
        steps: ["[a`b](https://example.org/) on"],
        stored: "[a`b](https://example.org/) on",
      },
      "bold taken back by Backspace": { steps: ["**b**", press("Backspace"), " on"], stored: "\\*\\*b\\*\\* on" },
      "a list taken back by undo": { steps: ["- ", press("Control+z"), "on"], stored: "\\- on" },
      "code taken back by undo": { steps: ["```js", press("Enter Control+z"), "on"], stored: "\\`\\`\\`json" },
    },
  },
  "Tab nests, lifts, moves and indents; after Escape it leaves": {
    rows: {
      nests: {
        steps: ["- one", press("Enter Tab"), "two", press("Enter Shift+Tab"), "three"],
        stored: "- one\n  - two\n- three",
      },
      "stays in a list": { steps: ["- one", press("Tab"), "!"], stored: "- one!" },
      "in a table": {
        steps: [
          "/table",
          press("Enter"),
          "a",
          press("Tab Tab Tab Tab Tab Tab Tab Tab Tab"),
          "new",
          press("Shift+Tab"),
          "z",
        ],
        stored: "| a |  |  |\n| --- | --- | --- |\n|  |  |  |\n|  |  | z |\n| new |  |  |",
      },
      "in code": {
        steps: ["```", press("Enter Tab"), "a;", press("Enter Tab"), "b;", press("Shift+Tab")],
        stored: "```\n  a;\nb;\n```",
      },
    },
  },
  "an address pasted over words links them": {
    rows: {
      "over a word": {
        steps: ["See the tea", press("Control+Shift+ArrowLeft"), { text: "https://example.org/tea?a=1" }],
        stored: "See the [tea](https://example.org/tea?a=1)",
      },
      "into a sentence": {
        steps: ["See ", { text: "https://example.org/a_b" }, " now"],
        stored: "See https://example.org/a_b now",
      },
      "in a text": {
        steps: [{ text: "One https://example.org/a_b.\nTwo www.example.org" }],
        stored: "One https://example.org/a_b.\n\nTwo www.example.org",
      },
    },
  },
  "text from other programs keeps what it is, under the page's policy": {
    rows: {
      "from Google Docs": { steps: [{ html: docs.GOOGLE_DOCS }], stored: docs.GOOGLE_DOCS_STORED },
      "from Word": { steps: [{ html: docs.WORD }], stored: docs.WORD_STORED },
      "from Word on the web": { steps: [{ html: docs.WORD_ONLINE }], stored: docs.WORD_ONLINE_STORED },
      "from Notion": { steps: [{ html: docs.NOTION }], stored: docs.NOTION_STORED },
      "from a web page": { steps: [{ html: docs.WEB_PAGE }], stored: docs.WEB_PAGE_STORED },
      "from an editor of code": { steps: [{ html: docs.CODE_EDITOR }], stored: docs.CODE_EDITOR_STORED },
    },
  },
  "a video is offered as one, and Markdown as what it means": {
    rows: {
      "a video's address": { steps: [{ text: VIDEO }], stored: VIDEO },
      "a video that is embedded": {
        steps: [{ text: VIDEO }, { see: "Embed" }, press("Tab Enter"), "after"],
        stored: `${FRAME}\n\nafter`,
      },
      "a video that stays a link": {
        steps: [{ text: VIDEO }, { see: "Embed" }, press("ArrowDown ArrowDown Enter"), "!"],
        stored: `${VIDEO}!`,
      },
      "a video in a sentence": {
        steps: ["See ", { text: VIDEO }, press("Tab"), press("Shift+Tab")],
        stored: `See ${VIDEO}`,
      },
      "a post that is quoted": {
        steps: [{ text: "https://x.com/ann/status/1234567890" }, { see: "Quote" }, press("Tab Enter"), "Tea first."],
        stored: "> Tea first.\n>\n> — [@ann on X](https://x.com/ann/status/1234567890)",
      },
      "a post that stays a link": {
        steps: [{ text: "https://mastodon.example/@ann/113456789012345678" }, { see: "Quote" }, press("Escape")],
        stored: "https://mastodon.example/@ann/113456789012345678",
      },
      "Markdown as text": {
        steps: [{ text: MARKDOWN }, { see: "Paste as Markdown" }, "!"],
        stored: "\\# Title\n\n\\- a\n\n\\*\\*b\\*\\* and \\[c\\](https://example.org/c)!",
      },
      "Markdown that is converted": {
        steps: [{ text: MARKDOWN }, { see: "Paste as Markdown" }, press("Tab Enter")],
        stored: "# Title\n\n- a **b** and [c](https://example.org/c)",
      },
      "Markdown by keys": {
        steps: ["one", press("Enter"), { text: "## Two\n\n- a", keys: "Control+Shift+v" }],
        stored: "one\n\n## Two\n\n- a",
      },
      "Markdown taken back": {
        steps: [
          { text: "**b** only" },
          { see: "Paste as Markdown" },
          press("Tab Enter"),
          press("Control+z"),
          press("End"),
          ".",
        ],
        stored: "\\*\\*b\\*\\* only.",
      },
    },
  },
  "footnotes are references with their texts": {
    rows: {
      "by the menu": {
        steps: ["Tea /foot", { see: "Footnote" }, press("Enter"), "Green."],
        stored: "Tea [^1]\n\n[^1]: Green.",
      },
      typed: {
        steps: ["Tea[^a] and", press("Enter"), "[^a]: Black.", press("Enter Enter"), "More[^a]."],
        stored: "Tea[^a] and\n\n[^a]: Black.\n\nMore[^a].",
      },
    },
  },
  "an article in HTML": {
    format: "html",
    rows: {
      "typed addresses": {
        steps: ["See https://example.org/a?b=1&c=2 or me@example.com, now"],
        stored:
          '<p>See <a href="https://example.org/a?b=1&amp;c=2">https://example.org/a?b=1&amp;c=2</a> or <a href="mailto:me@example.com">me@example.com</a>, now</p>',
      },
      "typed Markdown": {
        steps: ["***both*** __b__ _i_ ~~s~~ `c`", press("Enter"), "```js", press("Enter"), "a;"],
        stored:
          '<p><strong><em>both</em></strong> <strong>b</strong> <em>i</em> <s>s</s> <code>c</code></p>\n<pre><code class="language-js">a;</code></pre>',
      },
      "an address over a word": {
        steps: ["See tea", press("Control+Shift+ArrowLeft"), { text: "https://example.org/" }],
        stored: '<p>See <a href="https://example.org/">tea</a></p>',
      },
      "from Google Docs": { steps: [{ html: docs.GOOGLE_DOCS }], stored: docs.GOOGLE_DOCS_AS_HTML },
      "a video": { steps: [{ text: VIDEO }, { see: "Embed" }, press("Tab Enter")], stored: FRAME },
      "Markdown with a footnote": {
        steps: [{ text: "**b**[^1]\n\n[^1]: Note" }, { see: "Paste as Markdown" }, press("Tab Enter")],
        stored: "<p><strong>b</strong>[1]</p>\n<p>[1]</p>\n<p>Note</p>",
      },
    },
  },
};
