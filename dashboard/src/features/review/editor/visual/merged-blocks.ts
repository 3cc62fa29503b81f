/** Marks the blocks that a colleague's change has brought. */
import { Plugin, PluginKey, type Transaction } from "prosemirror-state";
import { Decoration, DecorationSet } from "prosemirror-view";
import classes from "./merged-blocks.module.css";

interface Range {
  from: number;
  to: number;
}

const KEY = new PluginKey<DecorationSet>("merged");

export class MergedBlocks {
  readonly plugin = new Plugin<DecorationSet>({
    key: KEY,
    state: {
      init: () => DecorationSet.empty,
      apply: (transaction, marks) => {
        const given = transaction.getMeta(KEY) as readonly Range[] | undefined;
        if (given === undefined) return marks.map(transaction.mapping, transaction.doc);
        const found: Decoration[] = [];
        for (const { from, to } of given) {
          found.push(Decoration.inline(from, to, { class: classes.passage ?? "" }));
          transaction.doc.nodesBetween(from, to, (node, position) => {
            found.push(Decoration.node(position, position + node.nodeSize, { class: classes.merged ?? "" }));
            return false;
          });
        }
        return DecorationSet.create(transaction.doc, found);
      },
    },
    props: { decorations: (state) => KEY.getState(state) },
  });

  mark(transaction: Transaction, ranges: readonly Range[]): void {
    transaction.setMeta(KEY, ranges);
  }

  unmark(transaction: Transaction): Transaction {
    return transaction.setMeta(KEY, []);
  }
}
