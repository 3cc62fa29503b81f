/** What Markdown has and HTML has not, in the form of HTML. */
import { Fragment, type Node } from "prosemirror-model";
import { boxSource, schema } from "../document/schema.ts";

const { nodes } = schema;

/** Tasks have their boxes in the text; footnotes are their numbers and texts. */
export function forHtml(content: Fragment): Fragment {
  const made: Node[] = [];
  content.forEach((node) => {
    const label = String(node.attrs["label"]);
    if (node.type === nodes.footnote_reference) {
      made.push(schema.text(`[${label}]`, node.marks));
    } else if (node.type === nodes.footnote) {
      made.push(nodes.paragraph.create(null, schema.text(`[${label}]`)));
      forHtml(node.content).forEach((child) => made.push(child));
    } else if (node.type === nodes.list_item && typeof node.attrs["checked"] === "boolean") {
      made.push(
        withBox(node.type.create({ ...node.attrs, checked: null }, forHtml(node.content)), node.attrs["checked"]),
      );
    } else {
      made.push(node.isText ? node : node.copy(forHtml(node.content)));
    }
  });
  return Fragment.from(made);
}

function withBox(item: Node, isChecked: boolean): Node {
  const { firstChild } = item;
  if (firstChild?.type !== nodes.paragraph) return item;
  const box = nodes.inline_island.create({ source: boxSource(isChecked) });
  const text = Fragment.from([box, schema.text(" ")]).append(firstChild.content);
  return item.copy(item.content.replaceChild(0, firstChild.copy(text)));
}
