/** Pictures in the document: where they stand, their captions and their sizes. */
import type { Node, ResolvedPos } from "prosemirror-model";
import { type Command, type EditorState, NodeSelection, TextSelection, type Transaction } from "prosemirror-state";
import type { Format } from "../document/fingerprint.ts";
import { readAttribute, tagOf, withAttribute, withoutAttribute } from "../document/html-tags.ts";
import { schema } from "../document/schema.ts";
import type { FoundPicture, PictureValues } from "./picture-values.ts";

const { nodes } = schema;

/** The selected picture; null if none is. */
export function findPicture({ doc, selection }: EditorState, format: Format): FoundPicture | null {
  if (!(selection instanceof NodeSelection) || selection.node.type !== nodes.image) return null;
  const { node, from: position } = selection;
  const $position = doc.resolve(position);
  const values = { src: String(node.attrs["src"]), alt: String(node.attrs["alt"]) };
  if (format === "markdown") {
    return { ...values, caption: String(node.attrs["title"] ?? ""), width: null, canCaption: true, position };
  }
  const width = Number.parseInt(readAttribute(tagOf(node), "width") ?? "", 10);
  const figure = findFigure($position);
  const isAlone = $position.parent.childCount === 1 && !isInCell($position);
  return {
    ...values,
    caption: figure === null ? "" : (findCaption(figure.node)?.node.textContent ?? ""),
    width: width > 0 ? width : null,
    canCaption: figure !== null || isAlone,
    position,
  };
}

/** Changes the selected picture. What is equal stays as it was written. */
export function changePicture(format: Format, values: PictureValues): Command {
  return (state, dispatch) => {
    const found = findPicture(state, format);
    const { selection, tr } = state;
    if (found === null || !(selection instanceof NodeSelection)) return false;
    const { position } = found;
    const isSame = found.src === values.src && found.alt === values.alt && found.width === values.width;
    if (!isSame || (format === "markdown" && found.caption !== values.caption)) {
      const made = withValues(selection.node, format, found, values);
      tr.replaceWith(position, position + 1, made.mark(selection.node.marks));
    }
    const steps = tr.steps.length;
    if (format === "html" && found.canCaption && found.caption !== values.caption) {
      setCaption(tr, position, values.caption);
    }
    if (!tr.docChanged) return true;
    // A picture that got a figure is one level deeper.
    const at = findImage(tr.doc, tr.mapping.slice(steps).map(position, -1), values.src);
    if (at !== null) tr.setSelection(NodeSelection.create(tr.doc, at));
    dispatch?.(tr.scrollIntoView());
    return true;
  };
}

/** Removes the selected picture, with its figure if that has no other. */
export function removePicture(format: Format): Command {
  return (state, dispatch) => {
    const found = findPicture(state, format);
    if (found === null) return false;
    const { doc, tr } = state;
    const $position = doc.resolve(found.position);
    const figure = findFigure($position);
    let depth: number | null = null;
    if (figure !== null && countImages(figure.node) === 1) depth = figure.depth;
    else if ($position.parent.childCount === 1 && !isInCell($position)) ({ depth } = $position);
    if (depth === null) tr.delete(found.position, found.position + 1);
    else if ($position.node(depth - 1).childCount > 1) tr.delete($position.before(depth), $position.after(depth));
    else tr.replaceWith($position.before(depth), $position.after(depth), nodes.paragraph.create());
    const near = tr.doc.resolve(Math.min(tr.mapping.map(found.position), tr.doc.content.size));
    dispatch?.(tr.setSelection(TextSelection.near(near, -1)).scrollIntoView());
    return true;
  };
}

/** Inserts pictures at the caret, each as a block of its own or all in a row, and puts the caret behind them. */
export function insertPictures(format: Format, pictures: readonly PictureValues[], isRow: boolean): Command {
  return (state, dispatch) => {
    const { doc, selection, tr } = state;
    const isBlock = selection instanceof NodeSelection && selection.node.isBlock;
    const end = putPictures(tr, isBlock ? selection.to : pictureSpot(doc, selection.head), format, pictures, isRow);
    if (end === tr.doc.content.size) tr.insert(end, nodes.paragraph.create());
    dispatch?.(tr.setSelection(TextSelection.near(tr.doc.resolve(end))).scrollIntoView());
    return true;
  };
}

/** @returns the position behind the pictures. */
export function putPictures(
  tr: Transaction,
  position: number,
  format: Format,
  pictures: readonly PictureValues[],
  isRow = false,
): number {
  const made = tr.doc.resolve(position).parent.inlineContent
    ? pictures.map((picture) => toImage(format, picture))
    : toBlocks(format, pictures, isRow && pictures.length > 1);
  tr.insert(position, made);
  return position + made.reduce((size, { nodeSize }) => size + nodeSize, 0);
}

/** Where a picture goes that is inserted at a position: between the blocks there, and in a table into the cell. */
export function pictureSpot(doc: Node, position: number): number {
  const $position = doc.resolve(Math.min(position, doc.content.size));
  const { parent, parentOffset } = $position;
  if (!parent.isTextblock || isInCell($position)) return $position.pos;
  const figure = findFigure($position);
  if (figure !== null) return $position.after(outermostFigure($position));
  return parentOffset === 0 ? $position.before() : $position.after();
}

/** In a figure, Enter leaves it. */
export const leaveFigure: Command = (state, dispatch) => {
  const { $from, $to } = state.selection;
  if (!(state.selection instanceof TextSelection) || !$from.sameParent($to) || findFigure($from) === null) return false;
  const end = $from.after(outermostFigure($from));
  const tr = state.tr.insert(end, nodes.paragraph.create());
  dispatch?.(tr.setSelection(TextSelection.create(tr.doc, end + 1)).scrollIntoView());
  return true;
};

/** Whether the paragraph is several pictures and nothing else, which are shown as a row. */
export function isRow(node: Node): boolean {
  if (node.type !== nodes.paragraph) return false;
  let count = 0;
  for (const child of node.children) {
    if (child.type === nodes.image) count += 1;
    else if (!child.isText || child.text?.trim() !== "") return false;
  }
  return count > 1;
}

function toBlocks(format: Format, pictures: readonly PictureValues[], isInRow: boolean): Node[] {
  if (format === "html") {
    const figures = pictures.map(toFigure);
    return isInRow ? [nodes.container.create({ tag: '<figure class="gallery">' }, figures)] : figures;
  }
  const images = pictures.map((picture) => toImage(format, picture));
  if (!isInRow) return images.map((image) => nodes.paragraph.create(null, image));
  const row = images.flatMap((image, index) => (index === 0 ? [image] : [schema.text(" "), image]));
  return [nodes.paragraph.create(null, row)];
}

function toFigure(picture: PictureValues): Node {
  const image = nodes.paragraph.create({ tag: "" }, toImage("html", picture));
  const caption = picture.caption === "" ? [] : [toCaption(picture.caption)];
  return nodes.container.create({ tag: "<figure>" }, [image, ...caption]);
}

function toCaption(text: string): Node {
  return nodes.paragraph.create({ tag: "<figcaption>" }, schema.text(text));
}

function toImage(format: Format, { src, alt, caption, width }: PictureValues): Node {
  if (format === "markdown") return nodes.image.create({ src, alt, title: caption === "" ? null : caption });
  const plain = nodes.image.create({ src, alt });
  return width === null ? plain : withTag(plain, withAttribute(tagOf(plain), "width", String(width)));
}

function withTag(image: Node, tag: string): Node {
  return nodes.image.create({ ...image.attrs, tag });
}

function withValues(image: Node, format: Format, was: PictureValues, values: PictureValues): Node {
  const { src, alt, caption, width } = values;
  const made = nodes.image.create({
    ...image.attrs,
    src,
    alt,
    ...(format === "markdown" && { title: caption === "" ? null : caption }),
    reference: null,
    label: null,
  });
  if (format === "markdown") return made;
  let tag = tagOf(made);
  if (src !== was.src) for (const name of ["srcset", "sizes", "height"]) tag = withoutAttribute(tag, name);
  if (width !== was.width) {
    tag = withoutAttribute(tag, "height");
    tag = width === null ? withoutAttribute(tag, "width") : withAttribute(tag, "width", String(width));
  }
  return withTag(made, tag);
}

function setCaption(tr: Transaction, position: number, text: string): void {
  const $position = tr.doc.resolve(position);
  const figure = findFigure($position);
  if (figure === null) {
    const content = nodes.paragraph.create({ tag: "" }, $position.parent.content);
    const made = nodes.container.create({ tag: "<figure>" }, [content, toCaption(text)]);
    tr.replaceWith($position.before(), $position.after(), made);
    return;
  }
  const start = $position.start(figure.depth);
  const caption = findCaption(figure.node);
  if (caption === null) {
    tr.insert(start + figure.node.content.size, toCaption(text));
    return;
  }
  const from = start + caption.offset;
  const to = from + caption.node.nodeSize;
  if (text === "") tr.delete(from, to);
  else tr.replaceWith(from, to, nodes.paragraph.create({ ...captionAttrs(caption.node) }, schema.text(text)));
}

function captionAttrs({ attrs, type }: Node): Record<string, unknown> {
  return type === nodes.paragraph ? attrs : { tag: attrs["tag"] };
}

function findFigure($position: ResolvedPos): { node: Node; depth: number } | null {
  for (let { depth } = $position; depth > 0; depth -= 1) {
    const node = $position.node(depth);
    if (isFigure(node)) return { node, depth };
  }
  return null;
}

function outermostFigure($position: ResolvedPos): number {
  for (let depth = 1; depth < $position.depth; depth += 1) if (isFigure($position.node(depth))) return depth;
  return $position.depth;
}

function isFigure({ type, attrs }: Node): boolean {
  return type === nodes.container && /^<figure[\s>]/i.test(String(attrs["tag"] ?? ""));
}

function findCaption(figure: Node): { node: Node; offset: number } | null {
  let found: { node: Node; offset: number } | null = null;
  figure.forEach((node, offset) => {
    if (/^<figcaption[\s>]/i.test(String(node.attrs["tag"] ?? ""))) found ??= { node, offset };
  });
  return found;
}

function isInCell($position: ResolvedPos): boolean {
  for (let { depth } = $position; depth > 0; depth -= 1) {
    const { type } = $position.node(depth);
    if (type === nodes.table_cell || type === nodes.table_header) return true;
  }
  return false;
}

function countImages(node: Node): number {
  let count = 0;
  node.descendants(({ type }) => {
    if (type === nodes.image) count += 1;
  });
  return count;
}

/** The picture at the position or just behind it; null if it is not there. */
function findImage(doc: Node, from: number, src: string): number | null {
  for (let at = from; at <= from + 2 && at < doc.content.size; at += 1) {
    const node = doc.nodeAt(at);
    if (node?.type === nodes.image && node.attrs["src"] === src) return at;
  }
  return null;
}
