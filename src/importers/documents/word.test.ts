import assert from "node:assert/strict";
import { test } from "node:test";
import { zipOf } from "../../operations/articles/import/zip-test-helpers.ts";
import { articleIn, at, importAll, importFile, reasons, testFolder } from "../import-test-helpers.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A document with this body. */
function documentOf(body: string, more: Record<string, string | Uint8Array> = {}): Buffer {
  return zipOf({
    "[Content_Types].xml":
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
      '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/></Types>',
    "word/document.xml":
      '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ' +
      'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ' +
      'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ' +
      'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ' +
      'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
      'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" ' +
      `xmlns:q="urn:q"><w:body>${body}</w:body></w:document>`,
    "word/styles.xml":
      '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">' +
      ["Title", "Subtitle", "heading 1", "heading 2", "Quote", "Source Code"]
        .map(
          (name) =>
            `<w:style w:type="paragraph" w:styleId="${name.replace(" ", "")}"><w:name w:val="${name}"/></w:style>`,
        )
        .join("") +
      "</w:styles>",
    "word/numbering.xml":
      '<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">' +
      '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl>' +
      '<w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>' +
      '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>',
    "word/footnotes.xml":
      '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">' +
      `<w:footnote w:id="2">${p("A note.")}</w:footnote></w:footnotes>`,
    "word/_rels/document.xml.rels":
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
      '<Relationship Id="i" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/a.png"/>' +
      '<Relationship Id="l" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="https://e.example/" TargetMode="External"/>' +
      '<Relationship Id="o" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="file:///etc/hostname" TargetMode="External"/>' +
      "</Relationships>",
    "word/media/a.png": PNG,
    ...more,
  });
}

const CORE =
  '<cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>Tea &amp; water</dc:title><dc:creator>Ann</dc:creator>' +
  '<cp:keywords>green, hot</cp:keywords><dcterms:created xsi:type="dcterms:W3CDTF">2024-01-02T03:04:05Z</dcterms:created>' +
  "<dcterms:modified>2024-02-03T00:00:00Z</dcterms:modified></cp:coreProperties>";

const r = (text: string, properties = "") =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;

function p(text: string, style = "", properties = ""): string {
  const styled = style === "" ? "" : `<w:pStyle w:val="${style}"/>`;
  return `<w:p><w:pPr>${styled}${properties}</w:pPr>${text.startsWith("<") ? text : r(text)}</w:p>`;
}

const item = (text: string, level: number) =>
  p(text, "", `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`);
const picture = (link: string) =>
  `<w:p><w:r><w:drawing><wp:inline><wp:docPr descr="A hill"/><a:graphic><a:graphicData><pic:pic><pic:blipFill>${link}` +
  "</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>";

test("a Word document is an article, pending, with what its properties say", async () => {
  const input = await articleIn("a tea.docx", documentOf(p("Boil the water."), { "docProps/core.xml": CORE }));
  assert.deepEqual(input, {
    title: "Tea & water",
    content: "<p>Boil the water.</p>",
    status: "pending",
    slug: "a tea",
    seoKeywords: ["green", "hot"],
    authors: [{ name: "Ann", url: null }],
    createdAt: at("2024-01-02T03:04:05Z"),
    updatedAt: at("2024-02-03"),
  });
  const titled = await articleIn("a.docx", documentOf(p("Tea", "Title") + p("x"), { "docProps/core.xml": CORE }));
  assert.deepEqual([titled.title, titled.content], ["Tea", "<p>x</p>"]);
  const headed = await articleIn("a.docx", documentOf(p("Tea", "heading1") + p("x")));
  assert.deepEqual([headed.title, headed.content], ["Tea", "<p>x</p>"]);
  assert.equal((await articleIn("green-tea.docx", documentOf(p("x")))).title, "Green tea");
});

const CASES: Record<string, [body: string, html: string]> = {
  headings: [p("Part", "heading2") + p("x"), "<h2>Part</h2><p>x</p>"],
  marks: [
    p(r("a ", "<w:b/>") + r("b", "<w:i/>") + r("c", "<w:strike/>") + r("2", '<w:vertAlign w:val="superscript"/>')),
    "<p><strong>a </strong><em>b</em><s>c</s><sup>2</sup></p>",
  ],
  "a link": [p(`<w:hyperlink r:id="l">${r("there")}</w:hyperlink>`), '<p><a href="https://e.example/">there</a></p>'],
  "a list in a list": [
    item("one", 0) + item("two", 1) + item("three", 0),
    "<ul><li>one<ol><li>two</li></ol></li><li>three</li></ul>",
  ],
  "a table": [
    `<w:tbl><w:tr><w:tc>${p("1")}</w:tc><w:tc>${p("2")}</w:tc></w:tr></w:tbl>`,
    "<table><tbody><tr><td><p>1</p></td><td><p>2</p></td></tr></tbody></table>",
  ],
  "a quotation": [p("Said", "Quote"), "<blockquote>Said</blockquote>"],
  code: [p("a", "SourceCode") + p("b", "SourceCode"), "<pre>a\nb</pre>"],
  "a picture": [
    picture('<a:blip r:embed="i"/>'),
    `<p><img alt="A hill" src="data:image/png;base64,${PNG.toString("base64")}"></p>`,
  ],
  "a footnote": [
    p(`${r("Tea")}<w:r><w:footnoteReference w:id="2"/></w:r>`),
    '<p>Tea<sup><a href="#footnote-2" id="footnote-ref-2">[1]</a></sup></p>' +
      '<ol><li id="footnote-2"><p>A note. <a href="#footnote-ref-2">↑</a></p></li></ol>',
  ],
  "tracked changes": [
    p(`<w:ins>${r("new")}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>`),
    "<p>new</p>",
  ],
};

for (const [name, [body, html]] of Object.entries(CASES)) {
  test(`Word: ${name}`, async () => {
    const { content } = await articleIn("a.docx", documentOf(p("T", "Title") + body));
    assert.equal(content, html);
  });
}

test("formulas leave their words, unknown elements a warning, and no file outside is read", async () => {
  const formula = "<m:oMathPara><m:oMath><m:r><m:t>x+1</m:t></m:r></m:oMath></m:oMathPara>";
  const body = p("T", "Title") + p(`${r("a ")}${formula}`) + p("<q:unknown/>") + picture('<a:blip r:link="o"/>');
  const [read] = await importFile("a.docx", documentOf(body));
  assert.ok(read?.kind === "draft");
  assert.match(read.input.content ?? "", /^<p>a x\+1<\/p>/);
  assert.doesNotMatch(read.input.content ?? "", /base64/);
  assert.deepEqual(read.warnings?.map(({ kind, detail }) => `${kind}: ${detail}`).slice(0, 3), [
    "construct_replaced: the formula x+1",
    "element_removed: unknown",
    "picture_missing: file:///etc/hostname",
  ]);
});

test("Word documents are recognised by what is in them, also in folders", async () => {
  const bytes = documentOf(p("x"));
  assert.equal((await articleIn("download", bytes)).content, "<p>x</p>");
  await using folder = await testFolder({ "posts/a.docx": bytes, "posts/b.md": "# B\n\nx" });
  const items = await importAll(folder.path);
  assert.deepEqual(reasons(items), []);
  assert.equal(items.length, 2);
});

test("a document that is broken, cut off, deep, encrypted or lies about its size is refused with a sentence", async () => {
  const whole = documentOf(p("x"));
  const deep = documentOf(`${"<w:sdt><w:sdtContent>".repeat(20_000)}${"</w:sdtContent></w:sdt>".repeat(20_000)}`);
  const bomb = zipOf([{ name: "word/document.xml", content: "x".repeat(5_000_000), size: 100 }]);
  const huge = zipOf([{ name: "word/document.xml", content: "x", size: 2_000_000_000 }]);
  const documents = {
    cut: whole.subarray(0, 700),
    deep,
    bomb,
    huge,
    empty: zipOf({ "word/other.xml": "" }),
    noXml: zipOf({ "word/document.xml": "<w:document><" }),
    encrypted: zipOf([{ name: "word/document.xml", content: "x", flags: 0x801 }]),
    entities: zipOf({
      "word/document.xml": `<!DOCTYPE x [<!ENTITY a "${"x".repeat(1000)}"><!ENTITY b "&a;&a;">]><x>&b;</x>`,
    }),
  };
  for (const [name, bytes] of Object.entries(documents)) {
    const items = await importFile("a.docx", bytes);
    assert.match(reasons(items)[0] ?? `${name} was read`, /^failed a\.docx: [A-Z].*\.$/);
  }
});
