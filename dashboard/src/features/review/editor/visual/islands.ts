/** Views of islands. A video is shown as a card; other islands as the text of their source, which never becomes part of the page. */
import type { Node } from "prosemirror-model";
import type { Command } from "prosemirror-state";
import type { EditorView, NodeViewConstructor } from "prosemirror-view";

import { schema } from "../document/schema.ts";
import { EmbedView, readEmbed } from "./nodes/embed-view.ts";

type EditIsland = (node: Node, position: number) => void;

export function islandViews(edit: EditIsland): Record<string, NodeViewConstructor> {
  return {
    island: (node, view, getPosition) => {
      const editIt = (now: Node) => {
        const position = getPosition();
        if (position !== undefined) edit(now, position);
      };
      const embed = readEmbed(String(node.attrs["source"]));
      return embed === null ? new IslandView(node, view, editIt) : new EmbedView(node, embed, { view, edit: editIt });
    },
    inline_island: (node) => {
      const dom = document.createElement("code");
      dom.dataset["island"] = "";
      dom.textContent = String(node.attrs["source"]);
      return { dom };
    },
  };
}

/** Replaces the source of the island at the position; empty source deletes it. */
export function replaceIsland(position: number, source: string): Command {
  return (state, dispatch) => {
    const node = state.doc.nodeAt(position);
    if (node?.type !== schema.nodes.island) return false;
    const tr = state.tr;
    if (source.trim() === "") tr.delete(position, position + node.nodeSize);
    else tr.setNodeMarkup(position, null, { ...node.attrs, source });
    dispatch?.(tr);
    return true;
  };
}

class IslandView {
  readonly dom: HTMLElement;
  readonly #source: HTMLElement;
  #node: Node;

  constructor(node: Node, view: EditorView, edit: (node: Node) => void) {
    this.#node = node;
    this.dom = document.createElement("div");
    this.dom.dataset["island"] = "";
    const bar = document.createElement("div");
    const label = document.createElement("span");
    label.textContent = node.attrs["label"] === null ? "HTML" : "Link definition";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Edit source";
    button.addEventListener("click", () => view.editable && edit(this.#node));
    bar.append(label, button);
    this.#source = document.createElement("pre");
    this.#source.textContent = String(node.attrs["source"]);
    this.dom.append(bar, this.#source);
  }

  update(node: Node): boolean {
    if (node.type !== this.#node.type || readEmbed(String(node.attrs["source"])) !== null) return false;
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
