import assert from "node:assert/strict";
import { test } from "node:test";
import { zipOf } from "../operations/articles/import/zip-test-helpers.ts";
import { importAll, importFile, reasons, testFolder } from "./import-test-helpers.ts";

const odt = zipOf([{ name: "mimetype", content: "application/vnd.oasis.opendocument.text", method: 0 }]);

test("a format that cannot be imported is named, with what to do instead, by its ending or its beginning", async () => {
  const files: [name: string, content: string | Uint8Array, reason: RegExp][] = [
    ["a.rst", "Title\n=====\n\nText", /^a\.rst: It is a reStructuredText file, .*pandoc/],
    ["a.textile", "h1. Title", /It is a Textile file, .*pandoc/],
    ["a.org", "* Title", /It is an Org file, .*pandoc/],
    ["a.odt", odt, /It is an OpenDocument .*\.docx/],
    ["download", odt, /It is an OpenDocument .*\.docx/],
    ["a.epub", zipOf([{ name: "mimetype", content: "application/epub+zip", method: 0 }]), /EPUB book, .*pandoc/],
    ["a.rtf", "{\\rtf1 Text}", /It is a Rich Text document, .*\.docx/],
    ["a.txt", "{\\rtf1 Text}", /It is a Rich Text document, .*\.docx/],
    ["a.doc", Buffer.from("d0cf11e0a1b11ae1", "hex"), /Word 97 document, .*\.docx/],
    ["a.bin", "%PDF-1.7\n", /It is a PDF, which cannot be imported: import the document that it was made from/],
    ["a.pages", zipOf({ "Index/Document.iwa": "x" }), /Pages document, .*\.docx/],
    ["a.xlsx", zipOf({ "xl/workbook.xml": "x" }), /Excel workbook, .*CSV/],
  ];
  for (const [name, content, reason] of files) await assert.rejects(importFile(name, content), { message: reason });
});

test("in a folder it is skipped with the same sentence", async () => {
  await using folder = await testFolder({ "a.md": "# A\n\nx", "b.rst": "B\n=\n", "c.csv": "title,content\nA,x\n" });
  assert.deepEqual(reasons(await importAll(folder.path)), [
    "skipped b.rst: It is a reStructuredText file, which cannot be imported: convert it to Markdown first, for example with pandoc -t gfm.",
    "skipped c.csv: It is a table: if its rows are articles, import it by itself.",
  ]);
});
