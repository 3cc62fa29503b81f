/** How CodeMirror behaves here. What concerns the page (shortcuts, saving) stays with the page. */
import {
  history,
  historyKeymap,
  indentLess,
  indentMore,
  moveLineDown,
  moveLineUp,
  standardKeymap,
} from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { indentUnit, syntaxHighlighting } from "@codemirror/language";
import { closeSearchPanel, findNext, findPrevious, openSearchPanel, search } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightSpecialChars, type KeyBinding, keymap, lineNumbers } from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";
import { lineEnds, toDocument } from "./line-ends.ts";
import { mergedRanges } from "./merged-ranges.ts";
import { matchCount } from "./match-count.ts";
import classes from "./source-editor.module.css";
import type { Format } from "../document/fingerprint.ts";
import { bold, code, type Command, italic, link } from "./markdown-commands.ts";

export interface SetupOptions {
  format: Format;
  source: string;
  /** The nonce that the page's content security policy requires of styles. */
  nonce: string;
  attributes: Record<string, string>;
  onSource: (view: EditorView) => void;
  /** Escape was pressed: the next Tab leaves the field. */
  onTabFreed: () => void;
  /** The history has nothing more to undo, or `isUndo` false: perhaps nothing to redo. @returns whether the text changed. */
  onHistoryEnd: (view: EditorView, isUndo: boolean) => boolean;
}

export function createSourceState(options: SetupOptions): EditorState {
  const { format, source, nonce, attributes, onSource, onTabFreed, onHistoryEnd } = options;
  const goForth = (view: EditorView) => onHistoryEnd(view, false);
  const isMarkdown = format === "markdown";
  return EditorState.create({
    doc: toDocument(source),
    extensions: [
      lineEnds(source),
      history(),
      mergedRanges,
      lineNumbers(),
      highlightSpecialChars(),
      EditorView.lineWrapping,
      EditorView.perLineTextDirection.of(true),
      EditorView.cspNonce.of(nonce),
      EditorView.contentAttributes.of({ spellcheck: String(isMarkdown), autocorrect: "on", ...attributes }),
      EditorView.updateListener.of(({ docChanged, transactions, view }) => {
        if (!docChanged) return;
        view.setTabFocusMode(false);
        if (!transactions.some((transaction) => transaction.isUserEvent(LOADED))) onSource(view);
      }),
      EditorView.domEventHandlers({ blur: (_, view) => view.setTabFocusMode(false) }),
      // The page's bars cover the text above and below.
      EditorView.scrollMargins.of(() => ({ top: 130, bottom: 60 })),
      indentUnit.of("  "),
      syntaxHighlighting(highlighter),
      isMarkdown
        ? markdown({ base: markdownLanguage, completeHTMLTags: false })
        : html({ autoCloseTags: false, matchClosingTags: false }),
      search({ top: true }),
      matchCount,
      EditorState.phrases.of(PHRASES),
      keymap.of([
        ...(isMarkdown ? MARKDOWN_KEYS : []),
        ...SEARCH_KEYS,
        { key: "Mod-y", mac: "Mod-Shift-z", run: goForth },
        { linux: "Ctrl-Shift-z", run: goForth },
        ...historyKeymap,
        { key: "Mod-z", run: (view) => onHistoryEnd(view, true) },
        { key: "Tab", run: indentMore, shift: indentLess },
        { key: "Mod-]", run: indentMore },
        { key: "Mod-[", run: indentLess },
        { key: "Alt-ArrowUp", run: moveLineUp },
        { key: "Alt-ArrowDown", run: moveLineDown },
        {
          key: "Escape",
          run: (view) => {
            view.setTabFocusMode(true);
            onTabFreed();
            return true;
          },
        },
        ...standardKeymap,
      ]),
    ],
  });
}

/** The event of a text that comes from elsewhere, such as a merge. */
export const LOADED = "load";

/** Runs a command of the toolbar. */
export function applyCommand(view: EditorView, command: Command): boolean {
  const { state } = view;
  const { from: start, to: end } = state.selection.main;
  const change = command({ text: state.doc.toString(), start, end });
  view.dispatch({
    changes: { from: change.from, to: change.to, insert: change.insert },
    selection: { anchor: change.start, head: change.end },
    scrollIntoView: true,
    userEvent: "input",
  });
  view.focus();
  return true;
}

const MARKDOWN_KEYS: readonly KeyBinding[] = (
  [
    ["Mod-b", bold],
    ["Mod-i", italic],
    ["Mod-k", link],
    ["Mod-e", code],
  ] as const
).map(([key, command]) => ({ key, run: (view) => applyCommand(view, command) }));

const PHRASES = {
  next: "Next",
  previous: "Previous",
  "match case": "Match case",
  regexp: "Regular expression",
  "by word": "Whole words",
  replace: "Replace",
  "replace all": "Replace all",
  close: "Close",
};

/** The browser's own search would only find what is on the screen. */
const SEARCH_KEYS: readonly KeyBinding[] = [
  { key: "Mod-f", run: openSearchPanel, scope: "editor search-panel" },
  { key: "F3", run: findNext, shift: findPrevious, scope: "editor search-panel", preventDefault: true },
  { key: "Mod-g", run: findNext, shift: findPrevious, scope: "editor search-panel", preventDefault: true },
  { key: "Escape", run: closeSearchPanel, scope: "editor search-panel" },
];

const highlighter = tagHighlighter([
  { tag: tags.heading, class: style("heading") },
  { tag: tags.strong, class: style("strong") },
  { tag: tags.emphasis, class: style("emphasis") },
  { tag: tags.strikethrough, class: style("struck") },
  { tag: [tags.link, tags.tagName], class: style("name") },
  { tag: [tags.url, tags.attributeValue, tags.string, tags.labelName], class: style("value") },
  { tag: [tags.attributeName, tags.character, tags.keyword], class: style("attribute") },
  { tag: tags.monospace, class: style("code") },
  { tag: [tags.comment, tags.processingInstruction, tags.contentSeparator, tags.documentMeta], class: style("quiet") },
  { tag: tags.quote, class: style("quote") },
]);

function style(name: string): string {
  return classes[name] ?? "";
}
