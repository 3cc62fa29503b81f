/** Converts typed Markdown: `# `, `- `, `**bold**`. */
import { InputRule, inputRules, wrappingInputRule } from "prosemirror-inputrules";
import type { MarkType, NodeType } from "prosemirror-model";
import type { Plugin } from "prosemirror-state";
import { schema } from "../document/schema.ts";

const { nodes, marks } = schema;

export function typingShortcuts(): Plugin {
  return inputRules({
    rules: [
      block(/^(#{1,6})\s$/, nodes.heading, ([, signs]) => ({ level: signs?.length ?? 1 })),
      block(/^```\s?$/, nodes.code_block, () => ({})),
      wrappingInputRule(/^>\s$/, nodes.blockquote),
      wrappingInputRule(/^[-*+]\s$/, nodes.bullet_list),
      wrappingInputRule(/^(\d{1,9})[.)]\s$/, nodes.ordered_list, ([, number]) => ({ order: Number(number) })),
      new InputRule(/^(?:---|\*\*\*|___)$/, (state, _, start) => {
        const place = state.doc.resolve(start);
        if (place.parent.type !== nodes.paragraph || place.depth !== 1) return null;
        return state.tr.replaceWith(place.before(), place.after(), [nodes.rule.create(), nodes.paragraph.create()]);
      }),
      marked(/(?:^|[\s(])\*\*([^*\s](?:[^*]*[^*\s])?)\*\*$/, "**", marks.strong),
      marked(/(?:^|[\s(])\*([^*\s](?:[^*]*[^*\s])?)\*$/, "*", marks.em),
      marked(/(?:^|[\s(])_([^_\s](?:[^_]*[^_\s])?)_$/, "_", marks.em),
      marked(/(?:^|[\s(])~~([^~\s](?:[^~]*[^~\s])?)~~$/, "~~", marks.strike),
      marked(/(?:^|[\s(])`([^`]+)`$/, "`", marks.code),
    ],
  });
}

function block(pattern: RegExp, type: NodeType, toAttrs: (match: RegExpMatchArray) => object): InputRule {
  return new InputRule(pattern, (state, match, start, end) => {
    const { parent } = state.doc.resolve(start);
    const place = state.doc.resolve(start);
    if (parent.type === type || !place.node(-1).canReplaceWith(place.index(-1), place.indexAfter(-1), type))
      return null;
    const { sid } = parent.attrs;
    return state.tr.delete(start, end).setBlockType(start, start, type, { ...toAttrs(match), sid });
  });
}

/** The last character of the sign was just typed, and is not yet in the document. */
function marked(pattern: RegExp, sign: string, type: MarkType): InputRule {
  return new InputRule(pattern, (state, match, start, end) => {
    const text = match[1] ?? "";
    const from = start + match[0].indexOf(sign);
    if (state.doc.rangeHasMark(from, end, marks.code)) return null;
    return state.tr
      .delete(from + sign.length + text.length, end)
      .addMark(from + sign.length, from + sign.length + text.length, type.create())
      .delete(from, from + sign.length)
      .removeStoredMark(type);
  });
}
