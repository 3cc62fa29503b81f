/** Parses the inline content of a block: text with marks, line breaks, images, and islands for what the editor does not know. */
import type { Mark, Node } from "prosemirror-model";
import { type ChildNode, type Element, hasText, isElement, MARKS } from "./html-elements.ts";
import { extent, NotEditable, type TagPlace, placeOf, type Range } from "./html-places.ts";
import { alignText } from "./parsed.ts";
import { schema } from "./schema.ts";
import type { InlineUnit } from "./units.ts";

const { nodes, marks } = schema;

/** One unit for each character, leaf and island. @throws NotEditable for markup that marks cannot express. */
export function inlineUnits(
  source: string,
  children: readonly ChildNode[],
  inside: Range,
  within: readonly Mark[] = [],
): InlineUnit[] {
  const units: InlineUnit[] = [];
  let cursor = inside.start;
  for (const child of children) {
    const range = extent(child);
    if (range === null || range.start !== cursor || range.end > inside.end) throw new NotEditable();
    cursor = range.end;
    if (child.nodeName === "#text" && "value" in child) {
      const places = alignText(source, child.value, range, false);
      if (places === null) throw new NotEditable();
      places.forEach((place, index) => {
        units.push({ ...place, text: child.value[index] as string, leaf: null, marks: within });
      });
      continue;
    }
    const leaf = leafNode(source, child, range);
    if (leaf !== null) {
      units.push({ ...range, text: "", leaf, marks: within });
      continue;
    }
    const element = child as Element;
    const place = placeOf(element);
    if (element.sourceCodeLocation?.endTag === undefined) throw new NotEditable();
    const mark = toMark(source, element, place);
    // An element nested in one of the same kind.
    if (within.some(({ type }) => type === mark.type && type !== marks.span)) throw new NotEditable();
    units.push(...inlineUnits(source, element.childNodes, place.inner, mark.addToSet(within)));
  }
  if (cursor !== inside.end) throw new NotEditable();
  return units;
}

/** Null: a mark around other content. */
function leafNode(whole: string, child: ChildNode, range: Range): Node | null {
  const source = whole.slice(range.start, range.end);
  if (!isElement(child)) return nodes.inline_island.create({ source });
  const { tagName: name, attrs } = child;
  if (name === "br") return nodes.hard_break.create({ tag: source });
  if (name === "img") {
    const read = (one: string) => attrs.find((attribute) => attribute.name === one)?.value;
    return nodes.image.create({
      src: read("src") ?? "",
      alt: read("alt") ?? "",
      title: read("title") ?? null,
      tag: source,
    });
  }
  const isText = (MARKS.has(name) || (name === "a" && attrs.some((one) => one.name === "href"))) && hasText(child);
  return isText ? null : nodes.inline_island.create({ source });
}

function toMark(source: string, element: Element, place: TagPlace): Mark {
  const tag = source.slice(place.start, place.inner.start);
  const { tagName: name, attrs } = element;
  if (name === "a") {
    const read = (one: string) => attrs.find((attribute) => attribute.name === one)?.value;
    return marks.link.create({ href: read("href") ?? "", title: read("title") ?? null, tag });
  }
  const type = MARKS.get(name);
  return type === undefined || type === "span" ? marks.span.create({ tag, name }) : marks[type].create({ tag });
}
