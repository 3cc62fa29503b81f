/** Says in the search bar how many matches there are, and which of them is selected. */
import { getSearchQuery, searchPanelOpen } from "@codemirror/search";
import type { EditorState } from "@codemirror/state";
import { ViewPlugin } from "@codemirror/view";
import { describeFound, type Found } from "../find/found.ts";
import classes from "./source-editor.module.css";

/** A pattern can match at every character of a long text. */
const MAX_COUNTED = 10_000;

export const matchCount = ViewPlugin.define((view) => {
  const label = document.createElement("span");
  label.className = classes.count ?? "";
  label.setAttribute("role", "status");
  // The bar is created after this.
  const attach = {
    key: label,
    read: () => view.dom.querySelector(".cm-search [name=search]"),
    write: (field: Element | null) => {
      if (!label.isConnected) field?.after(label);
    },
  };
  return {
    update({ state, transactions }) {
      if (transactions.length === 0 || !searchPanelOpen(state)) return;
      label.textContent = getSearchQuery(state).valid ? describeFound(findMatches(state)) : "";
      view.requestMeasure(attach);
    },
  };
});

function findMatches(state: EditorState): Found {
  const { from, to } = state.selection.main;
  let [count, current]: [number, number | null] = [0, null];
  const cursor = getSearchQuery(state).getCursor(state);
  for (let match = cursor.next(); match.done !== true && count < MAX_COUNTED; match = cursor.next()) {
    if (match.value.from === from && match.value.to === to) current = count;
    count += 1;
  }
  return { count, current };
}
