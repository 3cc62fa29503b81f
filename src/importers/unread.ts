/** What is not read, by its ending or its first bytes, with the way on. */

const BY_PANDOC = "convert it to Markdown first, for instance by pandoc -t gfm";
const AS_WORD = "save it as a Word document (.docx), which is read";

const FORMATS: Record<string, readonly [what: string, way: string]> = {
  rst: ["reStructuredText", BY_PANDOC],
  textile: ["Textile", BY_PANDOC],
  org: ["an Org file", BY_PANDOC],
  tex: ["LaTeX", BY_PANDOC],
  latex: ["LaTeX", BY_PANDOC],
  mediawiki: ["MediaWiki's markup", BY_PANDOC],
  wiki: ["a wiki's markup", BY_PANDOC],
  typ: ["a Typst file", BY_PANDOC],
  ipynb: ["a Jupyter notebook", "convert it to Markdown first: jupyter nbconvert --to markdown"],
  epub: ["an EPUB book", BY_PANDOC],
  odt: ["an OpenDocument text", AS_WORD],
  rtf: ["Rich Text Format", AS_WORD],
  doc: ["a document of Word 97", AS_WORD],
  pages: ["a Pages document", AS_WORD],
  wpd: ["a WordPerfect document", AS_WORD],
  gdoc: ["a link to a Google document", "download the document itself as .docx"],
  pdf: ["a PDF", "take what it was made from; a PDF has no paragraphs and headings"],
  xlsx: ["an Excel workbook", "save its table as CSV, which is read by itself"],
  xls: ["an Excel workbook", "save its table as CSV, which is read by itself"],
  pptx: ["a PowerPoint presentation", "save its text as a Word document (.docx)"],
  sql: ["a database dump", "export the articles from the program that they were written in"],
  sqlite: ["a database", "export the articles from the program that they were written in"],
};

/** Why a file with this ending is not read; null: it may be. */
export function whyEndingNotRead(extension: string): string | null {
  const [what, way] = (Object.hasOwn(FORMATS, extension) ? FORMATS[extension] : undefined) ?? [];
  return what === undefined ? null : `It is ${what}, which is not read: ${way}.`;
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
