/** Formats that cannot be imported, by a file's ending or its first bytes, and what to do instead. */

const BY_PANDOC = "convert it to Markdown first, for example with pandoc -t gfm";
const AS_WORD = "save it as a Word document (.docx) and import that";
const FROM_ITS_PROGRAM = "export the articles from the program that stores them in it";

const FORMATS: Record<string, readonly [what: string, way: string]> = {
  rst: ["a reStructuredText file", BY_PANDOC],
  textile: ["a Textile file", BY_PANDOC],
  org: ["an Org file", BY_PANDOC],
  tex: ["a LaTeX document", BY_PANDOC],
  latex: ["a LaTeX document", BY_PANDOC],
  mediawiki: ["a file of MediaWiki markup", BY_PANDOC],
  wiki: ["a file of wiki markup", BY_PANDOC],
  typ: ["a Typst file", BY_PANDOC],
  ipynb: ["a Jupyter notebook", "convert it to Markdown first, with jupyter nbconvert --to markdown"],
  epub: ["an EPUB book", BY_PANDOC],
  odt: ["an OpenDocument text", AS_WORD],
  rtf: ["a Rich Text document", AS_WORD],
  doc: ["a Word 97 document", AS_WORD],
  pages: ["a Pages document", AS_WORD],
  wpd: ["a WordPerfect document", AS_WORD],
  gdoc: ["a link to a Google document", "download the document itself as .docx and import that"],
  pdf: ["a PDF", "import the document that it was made from, as a PDF does not say what is a paragraph or a heading"],
  xlsx: ["an Excel workbook", "save its table as CSV and import that file by itself"],
  xls: ["an Excel workbook", "save its table as CSV and import that file by itself"],
  pptx: ["a PowerPoint presentation", "save its text as a Word document (.docx) and import that"],
  sql: ["a database dump", FROM_ITS_PROGRAM],
  sqlite: ["a database", FROM_ITS_PROGRAM],
};

/** Why a file with this ending cannot be imported; null if it may be. */
export function whyEndingNotRead(extension: string): string | null {
  const [what, way] = (Object.hasOwn(FORMATS, extension) ? FORMATS[extension] : undefined) ?? [];
  return what === undefined ? null : `It is ${what}, which cannot be imported: ${way}.`;
}

const BEGINNINGS: readonly (readonly [string, string])[] = [
  ["{\\rtf", "rtf"],
  ["%PDF-", "pdf"],
  ["\u00d0\u00cf\u0011\u00e0", "doc"],
  ["SQLite format 3", "sqlite"],
];

/** As `whyEndingNotRead`, by what the file begins with, whatever it is called. */
export function whyHeadNotRead(head: Uint8Array): string | null {
  const start = Buffer.from(head.subarray(0, 16)).toString("latin1");
  const found = BEGINNINGS.find(([beginning]) => start.startsWith(beginning));
  return found === undefined ? null : whyEndingNotRead(found[1]);
}
