import assert from "node:assert/strict";
import { test } from "node:test";
import { findLosses, NO_LOSSES } from "./loss.ts";
import { parseFast } from "./html-fast-path.ts";
import { repairHtml } from "./repair.ts";
import { sanitiseHtml } from "./sanitise.ts";
import { scanHtml } from "./html-scanner.ts";
import { collectStats, visibleText } from "./text.ts";
import { parseTree } from "./tree.ts";
import { cases, fc, IS_THOROUGH } from "../../../../../test/helpers/properties.ts";

const REGULAR = [
  "",
  "only text & nothing else",
  '<p>One <strong>two</strong>, <a href="/three?a=1&b=2" rel="noopener  nofollow" title="x: y">three</a>.</p>\n<hr>\n<hr/>',
  '<h2 id="part">A</h2><ul>\n<li>one<ul><li><p>two</p></li></ul></li>\n</ul><dl><dt>t</dt><dd>d</dd></dl>',
  '<figure class=" a b "><img src="https://e.com/a.png" alt="&quot;&amp;&nbsp;" width="1200" height="0x10" /></figure>',
  "<table>\n<thead><tr><th>h</th></tr></thead><tbody>\n<tr>\n<td><p>c</p><table></table></td></tr></tbody></table>",
  "<!---->a<!-- b -->c<table><!--d--> <tbody><!-- e --><tr><td>f<!--g\n--></td></tr></tbody></table><pre><!-- h -->\ni</pre>",
  "<b><b><b><b><b>x</b></b></b></b></b><p>y</p><em></em>",
  '<blockquote cite="https://e.com/"><p>q<br>r</p></blockquote><pre>\u00a0\n a</pre><time datetime="2020-01-01">t</time>',
];
for (const source of REGULAR)
  test(`a parser for everything finds the same tree: ${source.slice(0, 40)}`, () => {
    assert.ok(assertSame(source));
  });

const OTHERS = [
  "<p>one<p>two</p>",
  "<p>one<div>two</div></p>",
  "<p>a</p></p>",
  "<h2>a<h3>b</h3></h2>",
  '<a href="/a">a<a href="/b">b</a></a>',
  "<li>a</li>",
  "<ul><li>a<li>b</li></ul>",
  "<ul><div><li>a</li></div></ul>",
  "<table>x</table>",
  "<table><tr><td>a</td></tr></table>",
  "<td>a</td>",
  "<table><thead><tr><p>a</p></tr></thead></table>",
  "<pre>\na</pre>",
  "<P>a</P>",
  "<p>a</p >",
  "<p/>",
  "<p id=a>b</p>",
  "<p hidden>b</p>",
  `<p title='b'>c</p>`,
  '<p title="a" title="b">c</p>',
  '<p title="a"id="b">c</p>',
  '<p title="a>b">c</p>',
  '<p title="a',
  "a &copy b",
  "AT&T",
  "a < b",
  "a<!-- <p> -->b",
  "a<!-- b -- c -->d",
  "a<!--> b -->c",
  "a<!---> b -->c",
  "a<!-- b --!>c-->d",
  "a<!-- b",
  "<!doctype html>a",
  "a\r\nb",
  "a\0b",
  "\ufeffa",
  '<a href="HTTP://e.com/">a</a>',
  '<a hreflang="en" href="HTTP://e.com/">a</a>',
  '<a href="/a?b=1&copy-c=2">d</a>',
  "<script>a</script>",
  "<iframe></iframe>",
  "<svg></svg>",
  "<b>a",
  "<",
  "<p",
];
for (const source of OTHERS)
  test(`this is left to the parser for everything: ${JSON.stringify(source)}`, () => {
    assert.equal(parseFast(source), undefined);
  });

const NAMES =
  "a abbr article aside b blockquote br code dd del details div dl dt em figcaption figure h1 h2 h6 header hr i img li ol p pre q s small span strong summary sup table tbody td tfoot th thead time tr u ul wbr font center iframe script svg title option video".split(
    " ",
  );
const ATTRIBUTES = [
  ' href="/a?b=1&c=2#d"',
  ' cite="/a?b=1&copy-c=2"',
  ' href="http://e.com/&amp;x"',
  ' href="javascript:x"',
  ' src="a:b"',
  ' class="a  b"',
  ' class=""',
  ' width="10"',
  ' width=" "',
  ' width="1e3%"',
  ' id="user-content-a"',
  ' id="a"',
  ' rel="x"',
  ' colspan="2"',
  ' start="07"',
  ' type="a"',
  ' datetime=""',
  ' lang="en"',
  ' hidden="hidden"',
  ' aria-label="a=\'b"',
  ' data-line="1"',
  ' srcset="a 1x, b 2x"',
  ' cite="/c"',
  ' title="a&quot;b & c"',
  ' title="a&notin;b"',
  ' constructor="a"',
  " checked",
  " x=y",
];
const TEXTS = [
  "a",
  " ",
  "\n",
  "b c",
  "&amp;",
  "&nbsp;",
  "& ",
  "&lt;p&gt;",
  "&#39;",
  "é\u2028",
  "&hellip",
  "𝒳",
  '"=',
  " x='y",
];

/** Mostly well nested: each piece is a text, an element with its end tag, or part of one. */
const { pieces } = fc.letrec<{ pieces: string; piece: string }>((tie) => ({
  pieces: fc.array(tie("piece"), { maxLength: 4 }).map((some) => some.join("")),
  piece: fc.oneof(
    { maxDepth: 6 },
    { weight: 3, arbitrary: fc.constantFrom(...TEXTS) },
    {
      weight: 12,
      arbitrary: fc
        .tuple(fc.constantFrom(...NAMES), fc.array(fc.constantFrom(...ATTRIBUTES), { maxLength: 2 }), tie("pieces"))
        .map(([name, attributes, inside]) => writeElement(name, attributes.join(""), inside)),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "<p>",
        "</p>",
        "</b>",
        "<br/>",
        "<hr />",
        "</td>",
        "<!-- a -->",
        "<!--b-- >",
        "<li>",
        "<",
      ),
    },
  ),
}));

const WRAPPED: Readonly<Record<string, (inside: string) => string>> = {
  li: (inside) => `<ul>${inside}</ul>`,
  dd: (inside) => `<dl>${inside}</dl>`,
  dt: (inside) => `<dl>${inside}</dl>`,
  td: (inside) => `<table><tbody> <tr>${inside}</tr></tbody></table>`,
  th: (inside) => `<table><thead><tr>${inside}</tr>\n</thead></table>`,
};

function writeElement(name: string, attributes: string, inside: string): string {
  const isVoid = ["br", "hr", "img", "wbr"].includes(name);
  const element = isVoid ? `<${name}${attributes}>${inside}` : `<${name}${attributes}>${inside}</${name}>`;
  return (WRAPPED[name] ?? ((same) => same))(element);
}

test("whatever is accepted is what the parser for everything finds, needs no repair, and loses no text", () => {
  let accepted = 0;
  fc.assert(
    fc.property(pieces, (source) => {
      if (assertSame(source)) accepted++;
    }),
    { numRuns: IS_THOROUGH ? 200_000 : cases(5_000) },
  );
  assert.ok(accepted > 50, `${accepted}`);
});

/** @returns whether it was accepted. */
function assertSame(source: string): boolean {
  const tree = parseFast(source);
  if (tree === undefined) return false;
  assert.equal(repairHtml(source), source);
  assert.deepEqual(tree.children, parseTree(source).children);
  assert.deepEqual([...scanHtml(source).foreign], []);
  const { html, tree: sanitised } = sanitiseHtml(source);
  const text = visibleText(collectStats(sanitised).blocks);
  if (sanitiseHtml(source).isWhole === true) assert.deepEqual(findLosses(source, { html, text }), NO_LOSSES);
  return true;
}
