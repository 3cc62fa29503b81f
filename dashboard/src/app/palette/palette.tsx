/** The command palette: type to go to any article, page or action. Opens with Ctrl K. */
import { CloseButton, Kbd, Modal, Text, TextInput, VisuallyHidden } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from "react";
import { KeyHint } from "../../shared/key-hint.tsx";
import { ArticleStatusBadge } from "../../shared/status-badge.tsx";
import type { Entry } from "./entries.ts";
import classes from "./palette.module.css";
import { useArticles } from "./use-articles.ts";
import { useCommands } from "./use-commands.ts";

const SEARCH_AFTER_MS = 150;

interface PaletteProps {
  opened: boolean;
  typed: string;
  onType: (typed: string) => void;
  /** Its field has the focus. */
  onReady: () => void;
  onClose: () => void;
}

export function Palette({ opened, ...search }: PaletteProps): ReactNode {
  return (
    <Modal
      opened={opened}
      onClose={search.onClose}
      // Whoever opens it does that.
      returnFocus={false}
      withCloseButton={false}
      size="lg"
      padding={0}
      yOffset="10vh"
      title={<VisuallyHidden>Go to</VisuallyHidden>}
      classNames={{ header: classes.header, body: classes.body }}
    >
      {/* Remounted at each opening, without the earlier text. */}
      {opened && <Search {...search} />}
    </Modal>
  );
}

function Search({ typed, onType, onReady, onClose }: Omit<PaletteProps, "opened">): ReactNode {
  const [wanted] = useDebouncedValue(typed.trim(), SEARCH_AFTER_MS);
  const [current, setCurrent] = useState(0);
  const listId = useId();
  const articles = useArticles(wanted, typed.trim());
  const commands = useCommands(typed.trim());
  // An article with that very title is what is meant.
  const first = articles.hasSame
    ? [...articles.entries, ...commands.actions]
    : [...commands.actions, ...articles.entries];
  const entries: readonly Entry[] = [...first, ...commands.pages];
  const index = Math.min(current, entries.length - 1);
  const active = entries[index];
  const groups = Map.groupBy(entries, ({ group }) => group);

  useEffect(() => {
    document.querySelector(`#${CSS.escape(`${listId}-${index}`)}`)?.scrollIntoView({ block: "nearest" });
  }, [listId, index]);

  function run(entry: Entry | undefined): void {
    if (entry === undefined) return;
    onClose();
    // Runs after the dialog has returned the focus and the shortcuts.
    setTimeout(entry.run);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (by !== undefined && entries.length > 0) {
      event.preventDefault();
      const isStep = Math.abs(by) === 1;
      setCurrent(
        isStep ? (index + by + entries.length) % entries.length : Math.max(0, Math.min(entries.length - 1, index + by)),
      );
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      run(active);
    }
  }

  return (
    <>
      <TextInput
        data-autofocus
        size="md"
        variant="unstyled"
        className={classes.field}
        role="combobox"
        aria-label="Article, page or action"
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={active === undefined ? undefined : `${listId}-${index}`}
        placeholder="Go to an article, page or action"
        leftSection={<IconSearch size={18} aria-hidden />}
        rightSection={<CloseButton size="sm" aria-label="Close" onClick={onClose} />}
        value={typed}
        onFocus={onReady}
        onChange={(event) => {
          onType(event.currentTarget.value);
          setCurrent(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label="Results" className={classes.list}>
        {[...groups].map(([group, shown]) => (
          <div key={group} role="group" aria-label={group}>
            <div className={classes.group} aria-hidden>
              {group}
            </div>
            {shown.map((entry) => {
              const at = entries.indexOf(entry);
              return (
                <button
                  type="button"
                  tabIndex={-1}
                  key={entry.id}
                  id={`${listId}-${at}`}
                  role="option"
                  aria-selected={at === index}
                  className={classes.option}
                  data-current={at === index || undefined}
                  onPointerMove={() => at !== index && setCurrent(at)}
                  onClick={() => run(entry)}
                >
                  <span className={classes.label}>{entry.label}</span>
                  {entry.line !== undefined && <ArticleStatusBadge article={entry.line} />}
                  {entry.note !== undefined && <span className={classes.note}>{entry.note}</span>}
                  {entry.keys !== undefined && <KeyHint keys={entry.keys} />}
                </button>
              );
            })}
          </div>
        ))}
      </div>
      <div className={classes.foot}>
        <Text size="xs" c="dimmed" role="status">
          {articles.isSearching ? "Searching…" : entries.length === 0 ? "Nothing found." : articles.note}
        </Text>
        <span className={classes.hints} aria-hidden>
          <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> <Kbd size="xs">↵</Kbd> <Kbd size="xs">Esc</Kbd>
        </span>
      </div>
    </>
  );
}
