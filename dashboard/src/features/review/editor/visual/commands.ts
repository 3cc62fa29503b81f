import { chainCommands, exitCode, lift, setBlockType, toggleMark, wrapIn } from "prosemirror-commands";
import type { Attrs, Node, NodeType } from "prosemirror-model";
import { liftListItem, sinkListItem, splitListItem, wrapInList, wrapRangeInList } from "prosemirror-schema-list";
import { type Command, type EditorState, NodeSelection, TextSelection } from "prosemirror-state";
import { isInTable } from "prosemirror-tables";
import { schema } from "../document/schema.ts";

const { nodes, marks } = schema;

export const bold = toggleMark(marks.strong);
export const italic = toggleMark(marks.em);
export const strike = toggleMark(marks.strike);
export const code = toggleMark(marks.code);
export const indent = sinkListItem(nodes.list_item);
export const outdent = chainCommands(liftListItem(nodes.list_item), lift);

/** A task is followed by one that is not done. */
export const splitItem: Command = (state, dispatch, view) => {
  const { $from } = state.selection;
  const item = $from.depth > 1 ? $from.node(-1) : null;
  const checked = item?.type === nodes.list_item && item.attrs["checked"] !== null ? false : null;
  return splitListItem(nodes.list_item, { checked })(state, dispatch, view);
};

/** Changes the type of text blocks, which keep their source. */
export function setBlock(type: NodeType, attrs: Attrs = {}): Command {
  return (state, dispatch) => {
    if (!setBlockType(type, attrs)(state)) return false;
    const { from, to } = state.selection;
    const keep = ({ type: former, attrs: { sid, tag } }: Node) => ({ sid, ...(former === type && { tag }) });
    dispatch?.(state.tr.setBlockType(from, to, type, (node) => ({ ...attrs, ...keep(node) })).scrollIntoView());
    return true;
  };
}

export const quote: Command = (state, dispatch) =>
  isWithin(state, nodes.blockquote) ? lift(state, dispatch) : wrapIn(nodes.blockquote)(state, dispatch);

export function list(type: NodeType): Command {
  return (state, dispatch, view) => {
    const { $from } = state.selection;
    for (let { depth } = $from; depth > 0; depth -= 1) {
      const node = $from.node(depth);
      if (node.type === type) return liftListItem(nodes.list_item)(state, dispatch, view);
      if (node.type === nodes.bullet_list || node.type === nodes.ordered_list) {
        dispatch?.(
          state.tr.setNodeMarkup($from.before(depth), type, { sid: node.attrs["sid"], tight: node.attrs["tight"] }),
        );
        return true;
      }
    }
    return wrapInList(type)(state, dispatch, view);
  };
}

export const taskList: Command = (state, dispatch) => {
  const { $from } = state.selection;
  const range = $from.blockRange();
  if (!range || isInTable(state) || isWithin(state, nodes.list_item)) return false;
  const tr = state.tr;
  if (!wrapRangeInList(tr, range, nodes.bullet_list)) return false;
  dispatch?.(tr.setNodeAttribute(tr.mapping.map($from.before()) - 1, "checked", false).scrollIntoView());
  return true;
};

export function isWithin(state: EditorState, type: NodeType): boolean {
  const { $from } = state.selection;
  for (let { depth } = $from; depth > 0; depth -= 1) if ($from.node(depth).type === type) return true;
  return false;
}

/** Inserts a line break. Enter does this in tables, because a cell is one paragraph. */
export const lineBreak: Command = chainCommands(exitCode, (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView());
  return true;
});

export const breakInCell: Command = (state, dispatch, view) => isInTable(state) && lineBreak(state, dispatch, view);

/** Inserts a block at the caret, replacing an empty paragraph. If no text follows, there is a paragraph to go on in. */
export function insertBlock(made: Node): Command {
  return (state, dispatch) => {
    if (isInTable(state)) return false;
    const { $from } = state.selection;
    const isEmpty = $from.parent.type === nodes.paragraph && $from.parent.content.size === 0 && $from.depth > 0;
    const at = isEmpty ? $from.before() : $from.depth === 0 ? $from.pos : $from.after();
    const end = isEmpty ? $from.after() : at;
    const hasText = state.doc.resolve(end).nodeAfter?.isTextblock === true;
    const tr = state.tr.replaceWith(at, end, hasText ? made : [made, nodes.paragraph.create()]);
    const inside = tr.doc.resolve(hasText || !made.isAtom ? at + 1 : at + made.nodeSize + 1);
    tr.setSelection(hasText && made.isAtom ? NodeSelection.create(tr.doc, at) : TextSelection.near(inside));
    dispatch?.(tr.scrollIntoView());
    return true;
  };
}

export const rule: Command = insertBlock(nodes.rule.create());

export function newTable(): Node {
  const row = (type: NodeType, section: string) =>
    nodes.table_row.create(
      { section },
      Array.from({ length: 3 }, () => type.create(null, nodes.paragraph.create({ tag: "" }))),
    );
  return nodes.table.create(null, [
    row(nodes.table_header, "thead"),
    row(nodes.table_cell, "tbody"),
    row(nodes.table_cell, "tbody"),
  ]);
}

/** A copy of the block without its origin, for another document. */
export function withoutOrigin(node: Node): Node {
  if (node.isText) return node;
  const children: Node[] = [];
  node.forEach((child) => children.push(withoutOrigin(child)));
  const attrs = {
    ...node.attrs,
    ...("sid" in node.attrs && { sid: null }),
    ...("reference" in node.attrs && { reference: null, label: null }),
  };
  const kept = node.marks.map((mark) =>
    mark.type === marks.link ? marks.link.create({ ...mark.attrs, reference: null, label: null }) : mark,
  );
  return node.type.create(
    attrs,
    children.map((child) =>
      child.mark(
        child.marks.map((mark) =>
          mark.type === marks.link ? marks.link.create({ ...mark.attrs, reference: null, label: null }) : mark,
        ),
      ),
    ),
    kept,
  );
}
