/** The selected rows: kept across pages, reset by a change of the tab. */
import { useState } from "react";
import type { ArticleListItem } from "../../../../src/http/admin/contract/articles.ts";

export type ChosenArticle = Pick<ArticleListItem, "id" | "title" | "version">;

export interface Selection {
  readonly chosen: ReadonlyMap<string, ChosenArticle>;
  /** `isRange`: includes all rows between the last selected one and this one. */
  toggle(line: ArticleListItem, isRange?: boolean): void;
  /** All matching articles are selected, on every page. */
  readonly isEverything: boolean;
  selectEverything(): void;
  /** Selects all; if all are selected, none. */
  toggleAll(lines: readonly ArticleListItem[]): void;
  keep(ids: ReadonlySet<string>): void;
  clear(): void;
}

/** `filter`: identifies the search and the filters. `lines`: the rows on the screen, in order. */
export function useSelection(view: string, filter: string, lines: readonly ArticleListItem[]): Selection {
  const [state, setState] = useState<State>(() => emptySelection(view));
  const current = state.view === view ? state : emptySelection(view);
  const choose = (chosen: State["chosen"], last: string | null = null) =>
    setState({ ...emptySelection(view), chosen, last });

  return {
    // Holds the version that was on the screen at selection; the article may have been changed since.
    chosen: current.chosen,
    isEverything: current.everythingOf === filter,
    selectEverything() {
      setState({ ...current, everythingOf: filter });
    },
    toggle(line, isRange = false) {
      const isOn = !current.chosen.has(line.id);
      const chosen = new Map(current.chosen);
      for (const one of isRange ? between(lines, current.last, line.id) : [line]) {
        if (isOn) chosen.set(one.id, one);
        else chosen.delete(one.id);
      }
      choose(chosen, line.id);
    },
    toggleAll(all) {
      const isOn = !all.every(({ id }) => current.chosen.has(id));
      const chosen = new Map(current.chosen);
      for (const line of all) {
        if (isOn) chosen.set(line.id, line);
        else chosen.delete(line.id);
      }
      choose(chosen);
    },
    keep(ids) {
      choose(new Map([...current.chosen].filter(([id]) => ids.has(id))));
    },
    clear() {
      choose(new Map());
    },
  };
}

interface State {
  view: string;
  chosen: ReadonlyMap<string, ChosenArticle>;
  last: string | null;
  /** The filter whose matches are all selected; null for none. */
  everythingOf: string | null;
}

function emptySelection(view: string): State {
  return { view, chosen: new Map(), last: null, everythingOf: null };
}

function between(lines: readonly ArticleListItem[], from: string | null, to: string): readonly ArticleListItem[] {
  const [a, b] = [from, to].map((id) => lines.findIndex((line) => line.id === id));
  if (a === undefined || b === undefined || b < 0) return [];
  return a < 0 ? lines.slice(b, b + 1) : lines.slice(Math.min(a, b), Math.max(a, b) + 1);
}
