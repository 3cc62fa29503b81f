/** Views of islands. An island is shown as the text of its source, and never becomes part of the page. */
import type { Node } from "prosemirror-model";
import type { EditorView, NodeViewConstructor } from "prosemirror-view";

type EditIsland = (node: Node, position: number) => void;

export function islandViews(edit: EditIsland): Record<string, NodeViewConstructor> {
  return {
    island: (node, view, getPosition) => new IslandView(node, view, getPosition, edit),
    inline_island: (node) => {
      const dom = document.createElement("code");
      dom.dataset["island"] = "";
      dom.textContent = String(node.attrs["source"]);
      return { dom };
    },
  };
}

class IslandView {
  readonly dom: HTMLElement;
  readonly #source: HTMLElement;
  #node: Node;

  constructor(node: Node, view: EditorView, getPosition: () => number | undefined, edit: EditIsland) {
    this.#node = node;
    this.dom = document.createElement("div");
    this.dom.dataset["island"] = "";
    const bar = document.createElement("div");
    const label = document.createElement("span");
    label.textContent = node.attrs["label"] === null ? "HTML" : "Link definition";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Edit source";
    button.addEventListener("click", () => {
      const position = getPosition();
      if (position !== undefined && view.editable) edit(this.#node, position);
    });
    bar.append(label, button);
    this.#source = document.createElement("pre");
    this.#source.textContent = String(node.attrs["source"]);
    this.dom.append(bar, this.#source);
  }

  update(node: Node): boolean {
    if (node.type !== this.#node.type) return false;
    this.#node = node;
    this.#source.textContent = String(node.attrs["source"]);
    return true;
  }

  stopEvent(event: Event): boolean {
    return event.target instanceof HTMLButtonElement && event.type !== "dragstart";
  }

  ignoreMutation(): boolean {
    return true;
  }
}
