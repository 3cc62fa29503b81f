/** Keyboard navigation of the list: the current row is the one whose title has the focus. */
import type { RefObject } from "react";
import type { ArticleListItem } from "../../../../src/http/admin/contract/articles.ts";
import { useShortcuts } from "../../shared/shortcuts.tsx";
import type { Selection } from "./selection.ts";

interface RowKeysOptions {
  table: RefObject<HTMLElement | null>;
  searchField: RefObject<HTMLInputElement | null>;
  lines: readonly ArticleListItem[];
  selection: Selection | null;
  page: {
    from: number;
    size: number;
    total: number;
    go: (change: { from: number | undefined }, isPlace: boolean) => void;
  };
}

export function useRowKeys({ table, searchField, lines, selection, page }: RowKeysOptions): void {
  const titles = () => [...(table.current?.querySelectorAll<HTMLAnchorElement>("tr[data-article] a") ?? [])];
  const current = () => titles().findIndex((title) => title.closest("tr")?.contains(document.activeElement) === true);

  function move(by: 1 | -1): void {
    const all = titles();
    const at = current();
    const next = all[at < 0 ? (by === 1 ? 0 : all.length - 1) : at + by];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }

  function toggle(): void {
    const line = lines[current()];
    if (line !== undefined) selection?.toggle(line);
  }

  const { from, size, total, go } = page;
  useShortcuts([
    { keys: "j", label: "Next article", run: () => move(1) },
    { keys: "k", label: "Previous article", run: () => move(-1) },
    ...(selection === null
      ? []
      : [
          { keys: "x", label: "Select the article", run: toggle },
          { keys: "shift+x", label: "Select all on this page", run: () => selection.toggleAll(lines) },
        ]),
    { keys: "/", label: "Search", run: () => searchField.current?.focus() },
    { keys: "]", label: "Next page", disabled: from + size >= total, run: () => go({ from: from + size }, true) },
    {
      keys: "[",
      label: "Previous page",
      disabled: from === 0,
      run: () => go({ from: Math.max(0, from - size) || undefined }, true),
    },
  ]);
}
