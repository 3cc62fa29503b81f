import { DOMParser as Reader } from "prosemirror-model";
import { expect, test } from "vitest";
import { parseMarkdown } from "../document/markdown-parse.ts";
import { schema } from "../document/schema.ts";
import { openSource } from "../document/edited-source.ts";
import { createWriter } from "../document/write.ts";
import { cleanPasted } from "./clean-pasted.ts";

/** The pasted content as Markdown. */
function pasted(html: string): string {
  const { body } = new DOMParser().parseFromString(cleanPasted(html, "markdown").html, "text/html");
  const doc = Reader.fromSchema(schema).parse(body);
  const { source, isExact } = createWriter(openSource("", "markdown", parseMarkdown)).write(doc);
  expect(isExact).toBe(true);
  return source.trim();
}

test("from Google Docs: headings, bold, links, nested lists and tables", () => {
  const html = `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1f">
<h2 dir="ltr" style="line-height:1.38"><span style="font-size:16pt;font-weight:700">Heading</span></h2>
<p dir="ltr"><span style="font-weight:400">Plain, </span><span style="font-weight:700">bold</span><span style="font-style:italic"> and italic</span>
<a href="https://www.google.com/url?q=https://example.org/a&amp;sa=D&amp;source=docs" style="text-decoration:none"><span style="text-decoration:underline">link</span></a></p>
<ul><li dir="ltr" aria-level="1"><p role="presentation"><span>one</span></p></li><ul><li dir="ltr" aria-level="2"><p role="presentation"><span>nested</span></p></li></ul></ul>
<div><table><tbody><tr><td><p><span style="font-weight:700">a</span></p></td><td><p>b</p></td></tr><tr><td><p>1</p></td><td><p>2</p></td></tr></tbody></table></div></b>`;
  expect(pasted(html)).toBe(
    "## Heading\n\nPlain, **bold** *and italic* [link](https://example.org/a)\n\n- one\n  - nested\n\n| **a** | b |\n| --- | --- |\n| 1 | 2 |",
  );
});

test("from Word: titles, lists that are paragraphs, and no pictures of its own computer", () => {
  const html = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!-- p.MsoNormal {margin:0} --></style></head><body>
<!--StartFragment--><p class=MsoTitle>Title<o:p></o:p></p><h2>Part<o:p></o:p></h2>
<p class=MsoNormal>Some <b>bold</b><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>&middot;<span>&nbsp;&nbsp;</span></span><![endif]>one<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>o<span>&nbsp;</span></span>nested</p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>&middot;</span>two</p>
<p class=MsoNormal><img src="file:///C:/Temp/image001.png"></p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>1.<span>&nbsp;</span></span>first</p><!--EndFragment--></body></html>`;
  expect(cleanPasted(html, "markdown").hasLostImages).toBe(true);
  expect(pasted(html)).toBe("# Title\n\n## Part\n\nSome **bold**\u00A0\n\n- one\n  - nested\n- two\n\n1. first");
});

test("from Pages and Notion: paragraphs, lists, code and quotes", () => {
  const pages = `<p class="p1"><b>Bold</b><span class="s1"> and plain</span></p><ul class="ul1"><li class="li1"><span class="s2"></span>one</li></ul>`;
  expect(pasted(pages)).toBe("**Bold** and plain\n\n- one");
  const notion = `<!-- notionvc: 1 --><h3>Heading</h3><blockquote>Quote</blockquote><pre><code class="language-js">let a;\n</code></pre><p>Text <code>x</code></p>`;
  expect(pasted(notion)).toBe("### Heading\n\n> Quote\n\n```js\nlet a;\n```\n\nText `x`");
});

test("addresses with white space are written as browsers read them", () => {
  const html = `<p><a href=" https://example.org/my\nfile (1).pdf ">it</a> <img src="https://example.org/a b.png" alt="A"></p>`;
  expect(pasted(html)).toBe("[it](<https://example.org/myfile%20(1).pdf>) ![A](https://example.org/a%20b.png)");
});

test("from a web page: pictures and links stay, scripts, styles and forged islands do not", () => {
  const html = `<div style="color:red"><script>alert(1)</script><style>p{}</style><h2>A <b>b</b></h2><p onclick="x()">See <a href="https://example.org/" onclick="x()">it</a> <img src="https://example.org/a.png" alt="A" onerror="x()"></p>
<div data-island>&lt;script&gt;</div><img src="data:image/png;base64,AA=="></div>`;
  expect(pasted(html)).toBe("## A b\n\nSee [it](https://example.org/) ![A](https://example.org/a.png)");
});
