/** Gives each block of an edited document a unique origin, and a form that its format can express. */
import { Fragment, type Node } from "prosemirror-model";
import type { Format } from "./fingerprint.ts";
import { renameTag, tagName, withoutId } from "./html-tags.ts";
import { schema } from "./schema.ts";

const { nodes } = schema;

/** @returns the same node if nothing has to change. `origins`: the blocks as they were parsed. */
export function normaliseDocument(doc: Node, format: Format, origins: ReadonlyMap<number, Node>): Node {
  const owners = findOwners(doc, origins);
  return visit(doc, null, null);

  function visit(node: Node, parent: Node | null, previous: Node | null): Node {
    const attrs = { ...node.attrs };
    const sid: unknown = attrs["sid"];
    if (typeof sid === "number" && owners.get(sid) !== node) {
      attrs["sid"] = null;
      if (typeof attrs["tag"] === "string" && attrs["tag"] !== "") attrs["tag"] = withoutId(attrs["tag"]);
    }
    if (format === "html") adjustTag(node, parent, previous, attrs);
    const content = node.isTextblock ? node.content : visitChildren(node);
    const isSame = content === node.content && Object.keys(attrs).every((name) => attrs[name] === node.attrs[name]);
    return isSame ? node : node.type.create(attrs, content, node.marks);
  }

  function visitChildren(node: Node): Fragment {
    let isSame = true;
    const children: Node[] = [];
    let section: unknown = null;
    node.forEach((child) => {
      let made = visit(child, node, children.at(-1) ?? null);
      // A new row belongs to the table part in which it stands.
      if (format === "html" && made.type === nodes.table_row) {
        if (made.attrs["section"] === null && section !== null) {
          const attrs = { ...made.attrs, section: section === "thead" ? "tbody" : section };
          made = made.type.create(attrs, made.content);
        }
        ({ section } = made.attrs);
      }
      if (made !== child) isSame = false;
      children.push(made);
    });
    return isSame ? node.content : Fragment.from(children);
  }
}

/** Splitting or copying a block yields two blocks with one origin. It is given to the unchanged one, else to the longest. */
function findOwners(doc: Node, origins: ReadonlyMap<number, Node>): Map<number, Node> {
  const owners = new Map<number, Node>();
  doc.descendants((node) => {
    const sid: unknown = node.attrs["sid"];
    if (typeof sid !== "number" || !origins.has(sid)) return !node.isTextblock;
    const owner = owners.get(sid);
    const original = origins.get(sid);
    const isBetter =
      owner === undefined ||
      (owner !== original && (node === original || (node.nodeSize > owner.nodeSize && owner.childCount > 0))) ||
      (owner.content.size === 0 && node.content.size > 0);
    if (isBetter) owners.set(sid, node);
    return !node.isTextblock;
  });
  return owners;
}

function adjustTag(node: Node, parent: Node | null, previous: Node | null, attrs: Record<string, unknown>): void {
  const { type } = node;
  if (type === nodes.paragraph) {
    const isIn = (...types: unknown[]) => types.includes(parent?.type);
    const isAfterBare = previous?.type === nodes.paragraph && previous.attrs["tag"] === "";
    if (isIn(nodes.table_cell, nodes.table_header)) attrs["tag"] ??= "";
    else if (isIn(nodes.list_item) && parent?.firstChild === node) attrs["tag"] ??= "";
    else if (attrs["tag"] === "" && isAfterBare) attrs["tag"] = null;
    return;
  }
  const tag = attrs["tag"];
  // A node that changed its type but kept the earlier tag.
  const name = typeof tag === "string" ? tagName(tag) : "";
  const names = NAMES[type.name];
  if (name !== "" && names !== undefined && !names.includes(name)) attrs["tag"] = null;
  if (type === nodes.heading && typeof tag === "string") {
    attrs["tag"] = /^h[1-6]$/.test(name) ? renameTag(tag, `h${node.attrs["level"]}`) : null;
  }
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  code_block: ["pre"],
  blockquote: ["blockquote"],
  bullet_list: ["ul"],
  ordered_list: ["ol"],
  table_cell: ["td"],
  table_header: ["th"],
};
