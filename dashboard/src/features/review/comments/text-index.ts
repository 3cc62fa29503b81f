/**
 * Maps positions in an article's text to the document that shows it. As in the service, positions count characters without white
 * space.
 */

export interface TextIndex {
  /** The text without white space. */
  text: string;
  nodes: readonly IndexedNode[];
}

interface IndexedNode {
  node: Text;
  /** Position of its first character in the whole text. */
  start: number;
}

export interface SelectedPassage {
  start: number;
  end: number;
  quote: string;
}

/** Elements that the service counts no text of: hidden ones, footnotes' links, deleted text, and what the dashboard has added. */
const LEFT_OUT = [
  "audio, canvas, datalist, iframe, noembed, noframes, noscript, object, rp, script, style, svg, template, textarea, title, video",
  "[hidden], [data-footnote-ref], [data-footnote-backref], [data-described], [data-redline=del], [data-redline=note], [data-redline-block=del]",
].join(", ");
const BLOCKS = "p, li, h1, h2, h3, h4, h5, h6, pre, blockquote, tr, figcaption, caption, dt, dd";
const SPACE = /\s+/g;

export function indexText(shown: Document): TextIndex {
  const nodes: IndexedNode[] = [];
  const parts: string[] = [];
  let length = 0;
  for (const part of listParts(shown)) {
    const walker = shown.createTreeWalker(part, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
      isElement(node) && node.matches(LEFT_OUT) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
    );
    for (let node: Node | null = walker.currentNode; node !== null; node = walker.nextNode()) {
      if (node.nodeType !== Node.TEXT_NODE) continue;
      const text = withoutSpace((node as Text).data);
      if (text === "") continue;
      nodes.push({ node: node as Text, start: length });
      parts.push(text);
      length += text.length;
    }
  }
  return { text: parts.join(""), nodes };
}

/** The article's nodes after its title and picture. */
function listParts(shown: Document): ChildNode[] {
  const all = [...(shown.querySelector("article")?.childNodes ?? [])];
  const first = all.findIndex((node) => !(isElement(node) && node.matches(".title, figure.hero")));
  return first < 0 ? [] : all.slice(first).filter((node) => !(isElement(node) && node.matches(LEFT_OUT)));
}

/** Null if the text at these positions is different. */
export function findRange({ text, nodes }: TextIndex, start: number, end: number, expected: string): Range | null {
  if (text.slice(start, end) !== expected || start >= end) return null;
  const [first, last] = [findNode(nodes, start), findNode(nodes, end - 1)];
  if (first === undefined || last === undefined) return null;
  const range = first.node.ownerDocument.createRange();
  range.setStart(first.node, skip(first.node.data, start - first.start));
  range.setEnd(last.node, skip(last.node.data, end - 1 - last.start) + 1);
  return range;
}

/** Null if the range contains no text. */
export function readRange({ nodes }: TextIndex, range: Range): SelectedPassage | null {
  const words: string[] = [];
  let [start, end] = [-1, -1];
  let block: Element | null = null;
  for (const { node, start: nodeStart } of nodes) {
    if (!range.intersectsNode(node)) continue;
    const from = node === range.startContainer ? range.startOffset : 0;
    const to = node === range.endContainer ? range.endOffset : node.length;
    const part = node.data.slice(from, to);
    if (withoutSpace(part) === "") continue;
    const begin = nodeStart + withoutSpace(node.data.slice(0, from)).length;
    const own = node.parentElement?.closest(BLOCKS) ?? null;
    if (start < 0) start = begin;
    else if (own !== block) words.push("\n");
    words.push(part);
    block = own;
    end = begin + withoutSpace(part).length;
  }
  const quote = words
    .join("")
    .trim()
    .replaceAll(/[^\S\n]+/g, " ");
  return start < 0 ? null : { start, end, quote };
}

/** Paragraphs, headings and other blocks that have text. */
export function listBlocks({ nodes }: TextIndex): SelectedPassage[] {
  const blocks: (SelectedPassage & { element: Element | null })[] = [];
  for (const { node, start } of nodes) {
    const element = node.parentElement?.closest(BLOCKS) ?? null;
    const end = start + withoutSpace(node.data).length;
    const last = blocks.at(-1);
    if (last?.element === element && element !== null) Object.assign(last, { end, quote: last.quote + node.data });
    else blocks.push({ start, end, quote: node.data, element });
  }
  return blocks.map(({ start, end, quote }) => ({ start, end, quote: quote.trim().replaceAll(SPACE, " ") }));
}

/** The position of the character at a place in the document; -1 if there is none. */
export function findPosition({ nodes }: TextIndex, node: Node | null, offset: number): number {
  const found = nodes.find((one) => one.node === node);
  return found === undefined ? -1 : found.start + withoutSpace(found.node.data.slice(0, offset)).length;
}

function withoutSpace(text: string): string {
  return text.replaceAll(SPACE, "");
}

function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE;
}

function findNode(nodes: readonly IndexedNode[], position: number): IndexedNode | undefined {
  let [low, high] = [0, nodes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((nodes[middle]?.start ?? Infinity) <= position) low = middle + 1;
    else high = middle;
  }
  return nodes[low - 1];
}

/** The index after this many characters that are not white space. */
function skip(data: string, count: number): number {
  let left = count;
  for (let at = 0; at < data.length; at++) {
    if (/\s/.test(data.charAt(at))) continue;
    if (left === 0) return at;
    left--;
  }
  return data.length;
}
