/** Finds and replaces in the visual view. */
import { closeHistory } from "prosemirror-history";
import {
  findNext,
  findPrev,
  getMatchHighlights,
  replaceAll,
  replaceNext,
  search,
  SearchQuery,
  setSearchState,
} from "prosemirror-search";
import { type Command, Plugin, TextSelection } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import type { VisualField } from "../visual/field.ts";
import type { Found } from "./found.ts";

export interface Sought {
  text: string;
  replacement: string;
  matchesCase: boolean;
  wholeWords: boolean;
}

const ACTIVE = ".ProseMirror-active-search-match";

export class VisualFind {
  readonly #field: VisualField;
  /** The query is read again for each document that is loaded. */
  readonly #options = { initialQuery: new SearchQuery({ search: "" }) };
  readonly #onFound: (found: Found) => void;

  constructor(field: VisualField, onFound: (found: Found) => void) {
    this.#field = field;
    this.#onFound = onFound;
  }

  /** @returns a function that ends the search. */
  attach(): () => void {
    const keys = new Plugin({
      view: () => ({ update: () => this.#report() }),
      props: { handleKeyDown: (_, event) => this.press(event) },
    });
    return this.#field.addPlugins([search(this.#options), keys]);
  }

  get #view(): EditorView {
    return this.#field.view;
  }

  /** Selects the first match behind the selection's beginning. */
  seek(sought: Sought): void {
    const query = toQuery(sought);
    this.#options.initialQuery = query;
    const { state } = this.#view;
    const tr = setSearchState(state.tr, query);
    const match = query.valid ? (query.findNext(state, state.selection.from) ?? query.findNext(state)) : null;
    if (match !== null) tr.setSelection(TextSelection.create(tr.doc, match.from, match.to));
    this.#view.dispatch(tr);
    this.#reveal();
  }

  next(): void {
    this.#run(findNext);
  }

  previous(): void {
    this.#run(findPrev);
  }

  /** Replaces the selected match and selects the next one. */
  replace(): void {
    this.#run(replaceNext);
  }

  /** @returns how many were replaced, in one step of the undo history. */
  replaceAll(): number {
    const { length } = getMatchHighlights(this.#view.state).find();
    this.#run(replaceAll);
    return length;
  }

  /** @returns whether the key goes to another match. */
  press(event: KeyboardEvent): boolean {
    const isMod = (event.ctrlKey || event.metaKey) && !event.altKey;
    if (event.key !== "F3" && !(isMod && event.key.toLowerCase() === "g")) return false;
    event.preventDefault();
    if (event.shiftKey) this.previous();
    else this.next();
    return true;
  }

  #run(command: Command): void {
    command(this.#view.state, (tr) => this.#view.dispatch(tr.docChanged ? closeHistory(tr) : tr), this.#view);
    this.#reveal();
  }

  /** ProseMirror itself scrolls only while the text has the focus. */
  #reveal(): void {
    this.#view.dom.querySelector(ACTIVE)?.scrollIntoView({ block: "nearest" });
  }

  #report(): void {
    const { state } = this.#view;
    const { from, to } = state.selection;
    const matches = getMatchHighlights(state).find();
    const current = matches.findIndex((match) => match.from === from && match.to === to);
    this.#onFound({ count: matches.length, current: current === -1 ? null : current });
  }
}

function toQuery({ text, replacement, matchesCase, wholeWords }: Sought): SearchQuery {
  return new SearchQuery({
    search: text,
    replace: replacement,
    caseSensitive: matchesCase,
    wholeWord: wholeWords,
    literal: true,
  });
}
