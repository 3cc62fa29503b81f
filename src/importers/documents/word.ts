/** Word documents, converted by the meaning of their styles. */
import type { Element, ElementContent } from "hast";
import { Warnings } from "../../domain/articles/warnings.ts";
import { AppError } from "../../domain/system/errors.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { decodeText } from "../import-file.ts";
import { elementText, findElement, hasClass, nodesToHtml, parseHtml, plainLine, rebuild } from "../html/html-tree.ts";
import { replaceBetween } from "../delimited.ts";
import { failedItem, type ImportContext, toText } from "../import-item.ts";
import { toDocumentDraft } from "./document-draft.ts";

/** A document of a thousand pages has some 10 MB of XML. */
const MAX_PARTS = 5_000;
const MAX_UNPACKED_BYTES = 100_000_000;
/** Pictures stand in the text, which holds 10 MB, a third longer than they are. */
const MAX_PICTURES_BYTES = 6_000_000;
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"]);

const STYLES = [
  "p[style-name='Title'] => h1.title:fresh",
  "p[style-name='Subtitle'] => p.subtitle:fresh",
  "p[style-name='Quote'] => blockquote:fresh",
  "p[style-name='Intense Quote'] => blockquote:fresh",
  "p[style-name='HTML Preformatted'] => pre:separator('\n')",
  "p[style-name='Source Code'] => pre:separator('\n')",
  "r[style-name='HTML Code'] => code",
  "r[style-name='Verbatim Char'] => code",
];

export async function readWordFile(name: string, bytes: Buffer, context: ImportContext): Promise<ImportItem> {
  try {
    const warnings = new Warnings();
    const parts = await unpack(bytes);
    const html = await convert(parts, warnings);
    const { title, content } = takeTitle(parseHtml(html, true).children as ElementContent[]);
    const { created, modified, ...fields } = readProperties(parts.get("docProps/core.xml"));
    const heading = title ?? fields["title"];
    return toDocumentDraft(
      name,
      { label: "Word", fields: { ...fields, title: heading }, content, warnings, created, updated: modified },
      context,
    );
  } catch (error) {
    return failedItem(name, error);
  }
}

const UNREADABLE = "It is not a readable Word document: open it in Word or LibreOffice, and save it again as .docx.";

/** The parts by their names; their sizes are checked while they are unpacked. */
async function unpack(bytes: Buffer): Promise<Map<string, Buffer>> {
  const { fromBufferPromise } = await import("yauzl");
  const parts = new Map<string, Buffer>();
  let unpacked = 0;
  try {
    const archive = await fromBufferPromise(bytes, { decodeStrings: false });
    for await (const entry of archive.eachEntry()) {
      unpacked += entry.uncompressedSize;
      if (unpacked > MAX_UNPACKED_BYTES || parts.size >= MAX_PARTS) {
        throw new AppError(
          "invalid",
          `It unpacks to more than ${MAX_UNPACKED_BYTES / 1_000_000} MB, or has more than ${MAX_PARTS.toLocaleString("en-US")} parts: split it, or save it without what is embedded in it.`,
        );
      }
      if (entry.isEncrypted()) throw new AppError("invalid", "It is encrypted: save it without a password.");
      // Names may begin with a slash, by the standard.
      const name = new TextDecoder().decode(entry.fileNameRaw).replace(/^\//, "");
      if (name.endsWith("/")) continue;
      const chunks: Buffer[] = [];
      for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(chunk);
      parts.set(name, Buffer.concat(chunks));
    }
    return parts;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("invalid", UNREADABLE, { cause: error });
  }
}

async function convert(parts: Map<string, Buffer>, warnings: Warnings): Promise<string> {
  const { default: mammoth } = await import("mammoth");
  let pictures = 0;
  const convertImage = mammoth.images.imgElement(async (image) => {
    const { contentType } = image;
    const picture = await image.readAsBuffer();
    pictures += picture.length;
    if (PICTURES.has(contentType) && pictures <= MAX_PICTURES_BYTES) {
      return { src: `data:${contentType};base64,${picture.toString("base64")}` };
    }
    const why = PICTURES.has(contentType) ? "the pictures are larger than 6 MB in all" : contentType;
    warnings.add("picture_missing", `a picture of the document: ${why}`);
    return { src: "" };
  });
  // Mammoth takes an opened archive, too, which its types do not say: its own reader would trust the archive's sizes.
  const input = { file: toArchive(parts, warnings) } as unknown as { buffer: Buffer };
  try {
    const { value, messages } = await mammoth.convertToHtml(input, { styleMap: STYLES, convertImage });
    for (const { message } of messages) {
      const [, element] = /^An unrecognised element was ignored: (?:\{[^}]*\})?(.+)$/.exec(message) ?? [];
      const [, outside] = /^could not read external image '([^']*)'/.exec(message) ?? [];
      if (outside !== undefined) warnings.add("picture_missing", outside);
      if (element !== undefined) warnings.add("element_removed", element);
    }
    return value;
  } catch (error) {
    if (error instanceof RangeError || error instanceof AppError) throw error;
    throw new AppError("invalid", UNREADABLE, { cause: error });
  }
}

function toArchive(parts: Map<string, Buffer>, warnings: Warnings) {
  return {
    exists: (name: string) => parts.has(name),
    read: async (name: string, encoding?: string) => {
      const part = parts.get(name) ?? Buffer.alloc(0);
      if (encoding === undefined) return new Uint8Array(part);
      if (encoding === "base64") return part.toString("base64");
      return /\.xml$/i.test(name) ? withoutFormulas(decodeText(part), warnings) : decodeText(part);
    },
  };
}

/** Mammoth drops formulas: their words stay. */
function withoutFormulas(xml: string, warnings: Warnings): string {
  if (!xml.includes("<m:oMath")) return xml;
  return replaceBetween(xml, /<m:oMath>/g, /<\/m:oMath>/g, (_start, inside) => {
    const words = Array.from(inside.matchAll(/<m:t(?:\s[^<>]*)?>([^<]*)<\/m:t>/g), ([, text]) => text).join("");
    warnings.add("construct_replaced", `the formula ${words}`);
    return `<w:r><w:t xml:space="preserve">${words}</w:t></w:r>`;
  }).replaceAll(/<\/?m:oMathPara>/g, "");
}

/** The paragraph that Word calls the title, else a first heading that is the only one of its level. */
function takeTitle(nodes: ElementContent[]): { title: string | undefined; content: string } {
  const root: Element = { type: "element", tagName: "div", properties: {}, children: nodes };
  const titled = findElement(root, (element) => element.tagName === "h1" && hasClass(element, "title"));
  const first = nodes.find((node) => node.type === "element");
  const isOnly =
    first?.tagName === "h1" && nodes.filter((node) => node.type === "element" && node.tagName === "h1").length === 1;
  const heading = titled ?? (isOnly ? first : undefined);
  const content = rebuild(nodes, (element) => {
    const isDropped = element === heading || (element.tagName === "img" && element.properties["src"] === "");
    return isDropped ? "drop" : "keep";
  });
  const title = heading === undefined ? undefined : toText(elementText(heading).replace(/\s+/g, " "));
  return { title, content: nodesToHtml(content) };
}

const PROPERTIES = {
  title: "dc:title",
  author: "dc:creator",
  description: "dc:description",
  keywords: "cp:keywords",
  category: "cp:category",
  created: "dcterms:created",
  modified: "dcterms:modified",
} as const;

function readProperties(part: Buffer | undefined): Record<string, string | undefined> {
  const xml = part === undefined ? "" : decodeText(part);
  return Object.fromEntries(
    Object.entries(PROPERTIES).map(([name, element]) => {
      const start = xml.indexOf(`<${element}`);
      const from = xml.indexOf(">", start) + 1;
      const to = xml.indexOf(`</${element}>`, start);
      return [name, start < 0 || to < from ? undefined : toText(plainLine(xml.slice(from, to)))];
    }),
  );
}
