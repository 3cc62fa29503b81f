/** Typing `/` offers what can be inserted: blocks in an empty paragraph, and elsewhere what stands within a line. */
import { Paper } from "@mantine/core";
import { type Command, type EditorState, Plugin } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import type { ReactNode } from "react";
import type { Format } from "../document/fingerprint.ts";
import { schema } from "../document/schema.ts";
import { insertBlock, list, newTable, quote, rule, setBlock, taskList } from "./commands.ts";
import { insertFootnote } from "./footnotes.ts";
import classes from "./visual-editor.module.css";

export interface SlashItem {
  label: string;
  /** Whether it can stand within a line. */
  isInline?: true;
  /** The only format that has it. */
  format?: Format;
  /** null opens a dialog first. */
  run: Command | null;
  asks?: "image" | "markdown";
  /** Other words by which it is found. */
  words?: string;
}

export interface Slash {
  items: readonly SlashItem[];
  active: number;
  /** In pixels, relative to the window. */
  left: number;
  /** The menu's top, or, where there is no space below the line, its bottom; and the room that it has. */
  edge: ({ top: number } | { bottom: number }) & { maxHeight: number };
}

const { nodes } = schema;

const GAP_PX = 4;
const MAX_HEIGHT_PX = 300;
/** Height of the menu and the save bar together. */
const SPACE_PX = 370;

const ITEMS: readonly SlashItem[] = [
  { label: "Heading 2", run: setBlock(nodes.heading, { level: 2 }) },
  { label: "Heading 3", run: setBlock(nodes.heading, { level: 3 }) },
  { label: "Heading 4", run: setBlock(nodes.heading, { level: 4 }) },
  { label: "Bulleted list", run: list(nodes.bullet_list) },
  { label: "Numbered list", run: list(nodes.ordered_list) },
  { label: "Task list", run: taskList, format: "markdown" },
  { label: "Quote", run: quote },
  { label: "Code block", run: setBlock(nodes.code_block) },
  { label: "Table", run: (state, dispatch, view) => insertBlock(newTable())(state, dispatch, view) },
  { label: "Picture", run: null, asks: "image", words: "image photo", isInline: true },
  { label: "Footnote", run: insertFootnote, isInline: true, format: "markdown" },
  { label: "Divider", run: rule },
  { label: "Paste as Markdown", run: null, asks: "markdown" },
];

export class SlashMenuState {
  readonly plugin: Plugin;
  readonly #items: readonly SlashItem[];
  readonly #show: (slash: Slash | null) => void;
  readonly #ask: (what: "image" | "markdown") => void;
  #slash: Slash | null = null;
  /** The text for which Escape has closed the menu. */
  #closedAt: string | null = null;

  constructor(format: Format, show: (slash: Slash | null) => void, ask: (what: "image" | "markdown") => void) {
    this.#items = ITEMS.filter((item) => item.format === undefined || item.format === format);
    this.#show = show;
    this.#ask = ask;
    this.plugin = new Plugin({
      view: () => ({ update: (view) => this.#update(view), destroy: () => this.#set(null) }),
      props: {
        handleKeyDown: (view, event) => this.#press(view, event),
        handleDOMEvents: { blur: () => this.#set(null) },
      },
    });
  }

  choose(view: EditorView, item: SlashItem): void {
    const typed = typedSlash(view.state);
    this.#set(null);
    if (typed === null) return;
    view.dispatch(view.state.tr.delete(typed.from, typed.to));
    if (item.asks !== undefined) this.#ask(item.asks);
    else item.run?.(view.state, view.dispatch, view);
  }

  #update(view: EditorView): void {
    const typed = view.hasFocus() ? typedSlash(view.state) : null;
    if (typed === null) this.#closedAt = null;
    const sought = typed?.text.slice(1).toLowerCase() ?? "";
    const items = this.#items.filter(
      ({ label, words = "", isInline }) =>
        (typed?.isAlone === true || isInline) && `${label} ${words}`.toLowerCase().includes(sought),
    );
    if (typed === null || items.length === 0 || this.#closedAt === typed.text) {
      this.#set(null);
      return;
    }
    const { left, top, bottom } = view.coordsAtPos(typed.from);
    const hasSpace = window.innerHeight - bottom > SPACE_PX || top < window.innerHeight / 2;
    const room = (hasSpace ? window.innerHeight - bottom : top) - GAP_PX;
    const edge = {
      ...(hasSpace ? { top: bottom + GAP_PX } : { bottom: window.innerHeight - top + GAP_PX }),
      maxHeight: Math.min(MAX_HEIGHT_PX, room),
    };
    const active = Math.min(this.#slash?.active ?? 0, items.length - 1);
    this.#set({ items, active, left, edge });
  }

  #press(view: EditorView, event: KeyboardEvent): boolean {
    const slash = this.#slash;
    if (slash === null) return false;
    const { items, active } = slash;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : items.length - 1;
      this.#set({ ...slash, active: (active + step) % items.length });
      return true;
    }
    if (event.key === "Escape") {
      this.#closedAt = typedSlash(view.state)?.text ?? null;
      this.#set(null);
      return true;
    }
    const item = items[active];
    if (event.key !== "Enter" || item === undefined) return false;
    this.choose(view, item);
    return true;
  }

  #set(slash: Slash | null): void {
    if (slash === null && this.#slash === null) return;
    this.#slash = slash;
    this.#show(slash);
  }
}

/** A slash with what follows it: in a paragraph of its own, or between a space and the caret. */
function typedSlash({ selection }: EditorState): { text: string; from: number; to: number; isAlone: boolean } | null {
  const { $from, empty } = selection;
  const { parent } = $from;
  if (!empty || parent.type !== nodes.paragraph) return null;
  const all = parent.textContent;
  if (all.startsWith("/")) return { text: all, from: $from.start(), to: $from.end(), isAlone: true };
  const before = parent.textBetween(0, $from.parentOffset, null, "\uFFFC");
  const text = /(?<=\s)\/[\p{L} ]{0,20}$/u.exec(before)?.[0];
  return text === undefined ? null : { text, from: $from.pos - text.length, to: $from.pos, isAlone: false };
}

export function SlashMenu({ slash, onChoose }: { slash: Slash; onChoose: (item: SlashItem) => void }): ReactNode {
  return (
    <Paper
      className={classes.slash}
      shadow="md"
      withBorder
      role="listbox"
      aria-label="Insert"
      style={{ left: slash.left, ...slash.edge }}
    >
      {slash.items.map((item, index) => (
        <div
          key={item.label}
          ref={index === slash.active ? scrollTo : undefined}
          role="option"
          tabIndex={-1}
          aria-selected={index === slash.active}
          className={classes.option}
          // Keeps the caret where it is.
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(item);
          }}
        >
          {item.label}
        </div>
      ))}
    </Paper>
  );
}

function scrollTo(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: "nearest" });
}
