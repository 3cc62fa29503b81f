/** Finds a finding's place in the document that shows the article. */
import type { Place } from "../../../../../src/domain/articles/findings.ts";
import { findRange, listBlocks, type SelectedPassage, type TextIndex } from "../comments/text-index.ts";

/** Null if nothing on the screen is meant: the text as a whole, or a field that is not displayed. */
export function findPlace(shown: Document, index: TextIndex, place: Place): Range | null {
  if (place.quote === "") return null;
  if (place.field === "title") return selectContents(shown.querySelector(".title") ?? findHeading(shown));
  if (place.field === "meta_description") return null;
  const { start, end } = findInText(index, place) ?? { start: 0, end: 0 };
  return findRange(index, start, end, index.text.slice(start, end)) ?? selectContents(findElement(shown, place));
}

/**
 * The service and this page do not always split the text into the same blocks, so of all passages with these words the one is
 * taken whose block is the closest.
 */
export function findInText(index: TextIndex, place: Place): { start: number; end: number } | null {
  const isCut = place.quote.endsWith("…") && place.end - place.start > place.quote.length - 1;
  const words = withoutSpace(isCut ? place.quote.slice(0, -1) : place.quote);
  if (words === "") return null;
  const blocks = listBlocks(index);
  let best: { start: number; end: number; distance: number } | null = null;
  for (let at = index.text.indexOf(words); at >= 0; at = index.text.indexOf(words, at + 1)) {
    const no = blocks.findIndex((block) => block.start <= at && at < block.end);
    const block = blocks[no];
    if (block === undefined) continue;
    // Within a block, the offset decides.
    const distance = Math.abs(no - (place.block ?? no)) * 1e7 + Math.abs(at - block.start - place.start);
    if (best !== null && best.distance <= distance) continue;
    const length = isCut ? measure(block, at - block.start, place.end - place.start) : words.length;
    best = { start: at, end: Math.min(at + length, index.text.length), distance };
  }
  return best && { start: best.start, end: best.end };
}

/** How many characters without white space a passage has: `from` counts them without, `length` with white space. */
function measure({ quote }: SelectedPassage, from: number, length: number): number {
  let begin = 0;
  for (let left = from; begin < quote.length && left > 0; begin++) if (!/\s/.test(quote.charAt(begin))) left--;
  while (/\s/.test(quote.charAt(begin))) begin++;
  return withoutSpace(quote.slice(begin, begin + length)).length;
}

/** A link or a picture whose address is the quote. */
function findElement(shown: Document, { quote }: Place): Element | null {
  const address = quote.replace(/…$/, "");
  const encoded = encodeURIComponent(address);
  const isMeant = (element: Element) =>
    ["title", "src"].some((name) => {
      const value = element.getAttribute(name) ?? "";
      return value.includes(address) || value.includes(encoded);
    }) || element.textContent.includes(address);
  return [...shown.querySelectorAll("article :is(a.link, img, [data-described])")].find(isMeant) ?? null;
}

/** The heading of the page that shows the article. */
function findHeading(shown: Document): Element | null {
  return shown.defaultView?.frameElement?.ownerDocument.querySelector("#main h1") ?? null;
}

function selectContents(element: Element | null): Range | null {
  if (element === null) return null;
  const range = element.ownerDocument.createRange();
  if (element.localName === "img") range.selectNode(element);
  else range.selectNodeContents(element);
  return range;
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
