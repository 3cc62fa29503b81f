/** Random edits of fourteen kinds, each of one block of a document. */
import { Fragment, type Node, Slice } from "prosemirror-model";
import { Transform, canJoin, canSplit } from "prosemirror-transform";
import { schema } from "../../src/features/review/editor/document/schema.ts";

export const KINDS = [
  "text",
  "delete",
  "bold",
  "link",
  "address",
  "unlink",
  "paste",
  "level",
  "split",
  "join",
  "move",
  "remove",
  "insert",
  "cell",
] as const;
export type Kind = (typeof KINDS)[number];

export type Random = () => number;

/** mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const TEXTS = [
  "x",
  " and more",
  "snake_case_name",
  "2 * 3 * 4",
  "a < b && c > d",
  "# no heading",
  "[sic]",
  "ünïcode 日本",
  "`",
  "1. one",
  "https://example.org/a_b",
  "|",
  "*",
  " ",
];

/** What is typed, and what it leads to. */
const ADDRESSES = [
  ["https://example.org/a_b?x=1&y=2", "https://example.org/a_b?x=1&y=2"],
  ["http://localhost:3000", "http://localhost:3000"],
  ["https://example.org/tea_(cup)", "https://example.org/tea_(cup)"],
  ["https://example.org/*odd~", "https://example.org/*odd~"],
  ["www.example.org/a|b", "http://www.example.org/a|b"],
  ["me_2@example.org", "mailto:me_2@example.org"],
] as const;

const AROUND = [
  ["", ""],
  [" ", " "],
  ["(", ")"],
  [" ", ", "],
  ["“", "”"],
  ["*", "*"],
  ["[", "](x)"],
] as const;

interface Place {
  node: Node;
  position: number;
}

/** @returns the edited document, and the indexes of the changed top-level blocks; null if the edit does not apply. */
export function edit(doc: Node, kind: Kind, random: Random): { doc: Node; touched: number[] } | null {
  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
  const change = new Transform(doc);
  const texts: Place[] = [];
  const cells: Place[] = [];
  doc.descendants((node, position, parent) => {
    if (node.isTextblock) texts.push({ node, position });
    if (parent?.type === schema.nodes.table_cell) cells.push({ node, position });
    return !node.isTextblock;
  });
  const indexAt = (position: number) => doc.resolve(position).index(0);
  const inline = texts.filter(({ node }) => node.type !== schema.nodes.code_block && node.content.size > 0);
  const range = ({ node, position }: Place): [number, number] => {
    const from = position + 1 + Math.floor(random() * node.content.size);
    const to = Math.min(position + 1 + node.content.size, from + 1 + Math.floor(random() * 20));
    return [from, to];
  };
  const done = (touched: number[]) => (change.docChanged ? { doc: change.doc, touched } : null);
  switch (kind) {
    case "text": {
      const place = pick(texts);
      if (place === undefined) return null;
      const at = place.position + 1 + Math.floor(random() * (place.node.content.size + 1));
      const isCode = place.node.type === schema.nodes.code_block;
      const marks = isCode ? [] : change.doc.resolve(at).marks();
      change.insert(at, schema.text(pick(TEXTS) ?? "x", marks));
      return done([indexAt(place.position)]);
    }
    case "delete": {
      const place = pick(texts.filter(({ node }) => node.content.size > 0));
      if (place === undefined) return null;
      change.delete(...range(place));
      return done([indexAt(place.position)]);
    }
    case "bold": {
      const place = pick(inline);
      if (place === undefined) return null;
      const [from, to] = range(place);
      if (change.doc.rangeHasMark(from, to, schema.marks.strong)) change.removeMark(from, to, schema.marks.strong);
      else change.addMark(from, to, schema.marks.strong.create());
      return done([indexAt(place.position)]);
    }
    case "link": {
      const place = pick(inline);
      if (place === undefined) return null;
      const [from, to] = range(place);
      change.removeMark(from, to, schema.marks.link);
      change.addMark(from, to, schema.marks.link.create({ href: "https://example.org/a?b=c&d=(e)" }));
      return done([indexAt(place.position)]);
    }
    case "address": {
      const place = pick(inline);
      if (place === undefined) return null;
      const at = place.position + 1 + Math.floor(random() * (place.node.content.size + 1));
      const marks = doc.resolve(at).marks();
      if (marks.some(({ type }) => type === schema.marks.link || type === schema.marks.code)) return null;
      const [text, href] = pick(ADDRESSES) ?? ADDRESSES[0];
      const [before, after] = pick(AROUND) ?? AROUND[0];
      const link = schema.marks.link.create({ href });
      if (after !== "") change.insert(at, schema.text(after, marks));
      change.insert(at, schema.text(text, link.addToSet(marks)));
      if (before !== "") change.insert(at, schema.text(before, marks));
      return done([indexAt(place.position)]);
    }
    case "unlink": {
      const place = pick(
        inline.filter(({ node, position }) => doc.rangeHasMark(position, position + node.nodeSize, schema.marks.link)),
      );
      if (place === undefined) return null;
      change.removeMark(place.position, place.position + place.node.nodeSize, schema.marks.link);
      return done([indexAt(place.position)]);
    }
    case "paste": {
      const place = pick(inline);
      if (place === undefined) return null;
      const at = place.position + 1 + Math.floor(random() * (place.node.content.size + 1));
      const { nodes, marks } = schema;
      const line = (text: string) =>
        nodes.paragraph.create(null, [
          schema.text(text),
          schema.text("https://example.org/x", [marks.link.create({ href: "https://example.org/x" })]),
          schema.text(" and "),
          schema.text("words", [marks.link.create({ href: "https://example.org/y" }), marks.strong.create()]),
        ]);
      const pasted = Fragment.from([line(pick(TEXTS) ?? "one"), line(pick(TEXTS) ?? "two")]);
      const isAlone = doc.resolve(place.position).depth === 0;
      const slice = isAlone ? new Slice(pasted, 1, 1) : new Slice(Fragment.from(pasted.child(0)), 1, 1);
      change.replace(at, at, slice);
      return done([indexAt(place.position)]);
    }
    case "level": {
      const place = pick(
        texts.filter(
          ({ node, position }) =>
            node.type !== schema.nodes.code_block &&
            doc.resolve(position).parent.type !== schema.nodes.table_cell &&
            doc.resolve(position).parent.type !== schema.nodes.table_header,
        ),
      );
      if (place === undefined) return null;
      const { node, position } = place;
      const isHeading = node.type === schema.nodes.heading;
      const attrs = { sid: node.attrs["sid"], level: 2 + Math.floor(random() * 3) };
      const type = isHeading && random() < 0.3 ? schema.nodes.paragraph : schema.nodes.heading;
      change.setBlockType(position, position + node.nodeSize, type, attrs);
      return done([indexAt(position)]);
    }
    case "split": {
      const place = pick(inline);
      if (place === undefined) return null;
      const at = place.position + 1 + Math.floor(random() * (place.node.content.size + 1));
      const isItem = doc.resolve(place.position).parent.type === schema.nodes.list_item;
      const depth = isItem ? 2 : 1;
      if (!canSplit(doc, at, depth)) return null;
      change.split(at, depth);
      return done([indexAt(place.position)]);
    }
    case "join": {
      if (doc.childCount < 2) return null;
      const index = 1 + Math.floor(random() * (doc.childCount - 1));
      let at = 0;
      for (let before = 0; before < index; before += 1) at += doc.child(before).nodeSize;
      if (!canJoin(doc, at) || doc.child(index - 1).type !== doc.child(index).type) return null;
      change.join(at);
      return done([index - 1, index]);
    }
    case "move": {
      if (doc.childCount < 3) return null;
      const from = Math.floor(random() * doc.childCount);
      const node = doc.child(from);
      let at = 0;
      for (let before = 0; before < from; before += 1) at += doc.child(before).nodeSize;
      change.delete(at, at + node.nodeSize);
      const to = Math.floor(random() * change.doc.childCount);
      let target = 0;
      for (let before = 0; before < to; before += 1) target += change.doc.child(before).nodeSize;
      change.insert(target, node);
      return done([from]);
    }
    case "remove": {
      if (doc.childCount < 2) return null;
      const index = Math.floor(random() * doc.childCount);
      let at = 0;
      for (let before = 0; before < index; before += 1) at += doc.child(before).nodeSize;
      change.delete(at, at + doc.child(index).nodeSize);
      return done([index]);
    }
    case "insert": {
      const index = Math.floor(random() * (doc.childCount + 1));
      let at = 0;
      for (let before = 0; before < index; before += 1) at += doc.child(before).nodeSize;
      const { nodes } = schema;
      const text = schema.text(pick(TEXTS.filter((one) => one !== " ")) ?? "new");
      const paragraph = nodes.paragraph.create(null, text);
      const made = pick([
        paragraph,
        nodes.heading.create({ level: 3 }, text),
        nodes.bullet_list.create(null, [
          nodes.list_item.create(null, paragraph),
          nodes.list_item.create(null, paragraph),
        ]),
        nodes.code_block.create({ info: "js" }, schema.text("let a = `b`;\n\n  c();")),
        nodes.blockquote.create(null, paragraph),
        nodes.rule.create(),
        nodes.table.create(null, [
          nodes.table_row.create(null, [
            nodes.table_header.create(null, nodes.paragraph.create({ tag: "" }, text)),
            nodes.table_header.create(null, nodes.paragraph.create({ tag: "" })),
          ]),
          nodes.table_row.create(null, [
            nodes.table_cell.create(null, nodes.paragraph.create({ tag: "" })),
            nodes.table_cell.create(null, nodes.paragraph.create({ tag: "" }, text)),
          ]),
        ]),
      ]);
      change.insert(at, made as Node);
      return done([]);
    }
    case "cell": {
      const place = pick(cells);
      if (place === undefined) return null;
      const { node, position } = place;
      change.insert(position + 1 + Math.floor(random() * (node.content.size + 1)), schema.text(pick(TEXTS) ?? "x"));
      return done([indexAt(position)]);
    }
    default:
      return null;
  }
}
