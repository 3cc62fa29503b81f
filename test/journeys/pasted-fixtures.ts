/** Our own text in the markup with which other programs fill the clipboard. */

const DOCS_PLAIN =
  "font-size:11pt;font-family:Arial,sans-serif;color:#000000;background-color:transparent;font-weight:400;font-style:normal;font-variant:normal;text-decoration:none;vertical-align:baseline;white-space:pre;white-space:pre-wrap;";
const docs = (text: string, changed: Readonly<Record<string, string>> = {}): string => {
  const style = Object.entries(changed).reduce(
    (all, [name, value]) => all.replace(new RegExp(`${name}:[^;]*;`), `${name}:${value};`),
    DOCS_PLAIN,
  );
  return `<span style="${style}">${text}</span>`;
};
const DOCS_BOX =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const docsItem = (level: number, content: string, more = ""): string =>
  `<li dir="ltr" style="list-style-type:disc;${DOCS_PLAIN}" aria-level="${level}"${more}>${content}</li>`;
const docsTask = (isDone: boolean, text: string): string =>
  `<li dir="ltr" role="checkbox" aria-checked="${isDone}" style="list-style-type:none;${DOCS_PLAIN.replace("text-decoration:none", isDone ? "text-decoration:line-through" : "text-decoration:none")}" aria-level="1"><img src="${DOCS_BOX}" width="17.6px" height="17.6px" alt="${isDone ? "checked" : "unchecked"}" aria-roledescription="${isDone ? "checked" : "unchecked"} checkbox" style="margin-right:3px;" /><p dir="ltr" style="line-height:1.38;margin-top:0pt;margin-bottom:0pt;display:inline-block;vertical-align:top;margin-top:0;" role="presentation">${docs(text, isDone ? { "text-decoration": "line-through" } : {})}</p></li>`;
const docsParagraph = (content: string): string =>
  `<p dir="ltr" style="line-height:1.38;margin-top:0pt;margin-bottom:0pt;">${content}</p>`;

export const GOOGLE_DOCS = `<meta charset='utf-8'><meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-6f1c0e53-7fff-2a1b-9c44-0d6f6b7e2a10"><h2 dir="ltr" style="line-height:1.38;margin-top:18pt;margin-bottom:6pt;"><span style="font-size:16pt;font-weight:700;">Brewing</span></h2>${docsParagraph(
  docs("Use ") +
    docs("soft", { "font-weight": "700" }) +
    docs(" and ") +
    docs("fresh", { "font-style": "italic" }) +
    docs(" water, not ") +
    docs("boiled", { "text-decoration": "line-through" }) +
    docs(", as ") +
    `<a href="https://www.google.com/url?q=https://example.org/water&amp;sa=D&amp;source=editors&amp;ust=1700000000000000&amp;usg=AOvVaw0" style="text-decoration:none;">${docs("they say", { "text-decoration": "underline" })}</a>` +
    docs("."),
)}<br /><ul style="margin-top:0;margin-bottom:0;padding-inline-start:48px;">${docsItem(1, docsParagraph(docs("green")))}<ul style="margin-top:0;margin-bottom:0;padding-inline-start:48px;">${docsItem(2, docsParagraph(docs("sencha", { "font-weight": "700" })))}</ul>${docsItem(1, docsParagraph(docs("black")))}</ul><ul style="margin-top:0;margin-bottom:0;padding-inline-start:28px;">${docsTask(true, "buy tea")}${docsTask(false, "boil water")}</ul><br /><div dir="ltr" style="margin-left:0pt;" align="left"><table style="border:none;border-collapse:collapse;table-layout:fixed;width:468pt"><colgroup><col /><col /></colgroup><tbody><tr style="height:0pt"><td style="border-left:solid #000000 1pt;vertical-align:top;padding:5pt;">${docsParagraph(docs("Tea", { "font-weight": "700" }))}</td><td style="vertical-align:top;">${docsParagraph(docs("Minutes"))}</td></tr><tr style="height:0pt"><td>${docsParagraph(docs("green"))}</td><td>${docsParagraph(docs("2"))}${docsParagraph(docs("or 3"))}</td></tr></tbody></table></div>${docsParagraph(
  `<span style="border:none;display:inline-block;overflow:hidden;width:300px;height:200px;"><img src="https://images.example.com/pot.png" width="300" height="200" alt="A pot" style="margin-left:0px;margin-top:0px;" /></span>`,
)}</b><br class="Apple-interchange-newline">`;

export const GOOGLE_DOCS_STORED = `## Brewing

Use **soft** and *fresh* water, not ~~boiled~~, as [they say](https://example.org/water).

- green
  - **sencha**
- black

* [x] buy tea
* [ ] boil water

| **Tea** | Minutes |
| --- | --- |
| green | 2<br>or 3 |

![A pot](https://images.example.com/pot.png)`;

export const GOOGLE_DOCS_AS_HTML = `<h2>Brewing</h2>
<p>Use <strong>soft</strong> and <em>fresh</em> water, not <s>boiled</s>, as <a href="https://example.org/water">they say</a>.</p>
<ul>
<li>green
<ul>
<li><strong>sencha</strong></li>
</ul></li>
<li>black</li>
</ul>
<ul>
<li><input type="checkbox" checked disabled> buy tea</li>
<li><input type="checkbox" disabled> boil water</li>
</ul>
<table>
<tr><td><strong>Tea</strong></td>
<td>Minutes</td></tr>
<tr><td>green</td>
<td>2<br>or 3</td></tr>
</table>
<p><img src="https://images.example.com/pot.png" alt="A pot"></p>`;

export const WORD = `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word" xmlns="http://www.w3.org/TR/REC-html40"><head><meta http-equiv=Content-Type content="text/html; charset=utf-8"><meta name=Generator content="Microsoft Word 15"><!--[if gte mso 9]><xml><o:OfficeDocumentSettings><o:AllowPNG/></o:OfficeDocumentSettings></xml><![endif]--><style><!-- p.MsoNormal, li.MsoNormal {margin:0cm; font-size:12.0pt;} --></style></head><body lang=EN-GB style='tab-interval:36.0pt;word-wrap:break-word'><!--StartFragment-->
<h2>Steeping<o:p></o:p></h2>
<p class=MsoNormal>Leave it for <b><span style='mso-bidi-font-weight:normal'>three</span></b> minutes, <i>never</i> <s>five</s>, <a href="https://example.org/steep">we find</a>.<o:p></o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol;mso-fareast-font-family:Symbol;mso-bidi-font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>pot<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;text-indent:-18.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span style='font-family:"Courier New"'><span style='mso-list:Ignore'>o<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>lid<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>cup<o:p></o:p></p>
<table class=MsoTableGrid border=1 cellspacing=0 cellpadding=0 style='border-collapse:collapse;border:none'><tr style='mso-yfti-irow:0;mso-yfti-firstrow:yes'><td width=301 colspan=2 valign=top style='width:225.4pt;border:solid windowtext 1.0pt'><p class=MsoNormal>Both<o:p></o:p></p></td></tr><tr style='mso-yfti-irow:1'><td valign=top><p class=MsoNormal>one<o:p></o:p></p></td><td valign=top><p class=MsoNormal>two<o:p></o:p></p></td></tr></table>
<p class=MsoNormal><o:p>&nbsp;</o:p></p><!--EndFragment--></body></html>`;

export const WORD_STORED = `## Steeping

Leave it for **three** minutes, *never* ~~five~~, [we find](https://example.org/steep).

- pot
  - lid
- cup

| Both |  |
| --- | --- |
| one | two |`;

const onlineItem = (level: number, text: string): string =>
  `<div class="ListContainerWrapper SCXW201 BCX0" style="margin:0px;padding:0px;position:relative;"><ul class="BulletListStyle1 SCXW201 BCX0" role="list" style="margin:0px;padding:0px;cursor:text;list-style-type:disc;"><li aria-setsize="-1" data-leveltext="" data-font="Symbol" data-listid="1" data-aria-posinset="1" data-aria-level="${level}" role="listitem" class="OutlineElement Ltr SCXW201 BCX0" style="margin:0px 0px 0px 24px;"><p class="Paragraph SCXW201 BCX0" paraid="10" style="margin:0px;font-weight:normal;font-style:normal;vertical-align:baseline;"><span data-contrast="auto" xml:lang="EN-GB" lang="EN-GB" class="TextRun SCXW201 BCX0" style="font-size:11pt;font-weight:normal;"><span class="NormalTextRun SCXW201 BCX0" style="margin:0px;padding:0px;">${text}</span></span><span class="EOP SCXW201 BCX0" style="font-size:11pt;">&nbsp;</span></p></li></ul></div>`;

export const WORD_ONLINE = `<meta charset='utf-8'><div class="OutlineElement Ltr SCXW201 BCX0" style="margin:0px;direction:ltr;"><p class="Paragraph SCXW201 BCX0" xml:lang="EN-GB" lang="EN-GB" style="margin:0px;font-weight:normal;"><span class="TextRun SCXW201 BCX0" style="font-size:11pt;font-weight:bold;"><span class="NormalTextRun SCXW201 BCX0">Warm</span></span><span class="TextRun SCXW201 BCX0" style="font-size:11pt;"><span class="NormalTextRun SCXW201 BCX0"> the pot.</span></span></p></div>${onlineItem(1, "rinse")}${onlineItem(2, "twice")}${onlineItem(1, "dry")}`;

export const WORD_ONLINE_STORED = "**Warm** the pot.\n\n- rinse\n  - twice\n- dry";

export const NOTION = `<meta charset='utf-8'><!-- notionvc: 5d3c1a52-3b0a-4a76-9c0e-6d7d5b0c9e11 --><h3>To do</h3>\n<ul>\n<li>[ ]  order tea</li>\n<li>[x]  clean the <strong>pot</strong></li>\n</ul>\n<pre><code class="language-javascript">const cups = 2;\nbrew(cups);\n</code></pre>\n<blockquote>\n<p>Patience.</p>\n</blockquote>\n<ol>\n<li>one<ul>\n<li>inner</li>\n</ul>\n</li>\n</ol>\n<p>With <code>code</code> and <a href="https://example.org/notion">a link</a>.</p>`;

export const NOTION_STORED = `### To do

- [ ] order tea
- [x] clean the **pot**

\`\`\`javascript
const cups = 2;
brew(cups);
\`\`\`

> Patience.

1. one
   - inner

With \`code\` and [a link](https://example.org/notion).`;

export const WEB_PAGE = `<meta charset='utf-8'><h2 style="box-sizing:border-box;margin:0px 0px 8px;font-weight:600;">A <span style="font-weight:700">page</span></h2><div class="highlight highlight-source-ts notranslate position-relative overflow-auto" dir="auto" style="margin-bottom:16px;"><pre style="font-family:ui-monospace;white-space:pre;"><span class="pl-k" style="color:rgb(207,34,46);">let</span> a;<br>b();</pre><div class="zeroclipboard-container"></div></div><ul class="contains-task-list" style="padding:0px;"><li class="task-list-item" style="list-style-type:none;"><input type="checkbox" id="" disabled="" class="task-list-item-checkbox" checked="" style="margin:0px;"> <span>done</span></li><li class="task-list-item"><input type="checkbox" disabled=""> open</li></ul><figure><iframe width="560" height="315" src="https://www.youtube.com/embed/abcDEF12345?start=30" title="Tea" frameborder="0" allow="autoplay; encrypted-media" allowfullscreen></iframe></figure><iframe src="https://ads.example.net/frame?x=1" title="An advertisement"></iframe><p onclick="x()">See <a href="https://example.org/p" onclick="x()">it</a><script>alert(1)</script>.</p>`;

export const WEB_PAGE_STORED = `## A page

\`\`\`ts
let a;
b();
\`\`\`

- [x] done
- [ ] open

<iframe src="https://www.youtube.com/embed/abcDEF12345?start=30" title="YouTube video" width="560" height="315" loading="lazy" allowfullscreen></iframe>

[An advertisement](https://ads.example.net/frame?x=1)

See [it](https://example.org/p).`;

export const CODE_EDITOR = `<meta charset='utf-8'><div style="color: #d4d4d4;background-color: #1e1e1e;font-family: Menlo, Monaco, 'Courier New', monospace;font-weight: normal;font-size: 12px;line-height: 18px;white-space: pre;"><div><span style="color: #569cd6;">const</span><span style="color: #d4d4d4;"> a = 1;</span></div><div><span>  b();</span></div></div>`;

export const CODE_EDITOR_STORED = "```\nconst a = 1;\n  b();\n```";
