/** The content as source, in CodeMirror. The source stays byte for byte the same wherever nothing was changed. */
import { useMantineStyleNonce } from "@mantine/core";
import IconBlockquote from "@tabler/icons-react/dist/esm/icons/IconBlockquote.mjs";
import IconBold from "@tabler/icons-react/dist/esm/icons/IconBold.mjs";
import IconCode from "@tabler/icons-react/dist/esm/icons/IconCode.mjs";
import IconHeading from "@tabler/icons-react/dist/esm/icons/IconHeading.mjs";
import IconItalic from "@tabler/icons-react/dist/esm/icons/IconItalic.mjs";
import IconLink from "@tabler/icons-react/dist/esm/icons/IconLink.mjs";
import IconList from "@tabler/icons-react/dist/esm/icons/IconList.mjs";
import IconListNumbers from "@tabler/icons-react/dist/esm/icons/IconListNumbers.mjs";
import { Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from "react";
import { flushSync } from "react-dom";
import { useAnnounce } from "../../../../shared/announce.tsx";
import { ToolRow } from "../canvas/tool-row.tsx";
import { useMergedText } from "../merged-passages.ts";
import type { TextHistory } from "../text-history.ts";
import type { EditorValues } from "../values.ts";
import { readLineEnds, setLineEnds, toDocument, toSource } from "./line-ends.ts";
import { bold, bulletList, code, heading, italic, link, numberedList, quote } from "./markdown-commands.ts";
import { findTextChanges, markMerged, unmarkMerged } from "./merged-ranges.ts";
import { createSourceState, LOADED, applyCommand } from "./setup.ts";
import classes from "./source-editor.module.css";

interface SourceEditorProps {
  id: string;
  source: EditorValues["source"];
  text: string;
  /** The language of the text; undefined: unknown. */
  lang: string | undefined;
  onText: (text: string) => void;
  /** Goes on where the field's own undo history ends. */
  history: TextHistory;
  /** The caret's position in the source when the editor appears and disappears; null before the first edit. */
  caret: RefObject<number | null>;
  /** Set to a function that returns the caret's current position in the source. */
  readCaret: RefObject<(() => number) | null>;
  /** Id of the error; undefined if there is none. */
  describedBy: string | undefined;
  /** Id of the text that explains the keys. */
  keysId: string;
  /** Shown at the end of the toolbar. */
  aside: ReactNode;
}

export function SourceEditor(props: SourceEditorProps): ReactNode {
  const { id, source, text, lang, onText, history, caret, readCaret, describedBy, keysId, aside } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const getNonce = useMantineStyleNonce();
  const announce = useAnnounce();
  const saveText = useEffectEvent((written: string) => onText(written));
  const onTabFreed = useEffectEvent(() => announce("Tab leaves the text now."));
  const showEarlier = useEffectEvent((changed: EditorView, earlier: string | null) => {
    if (earlier === null) return false;
    load(changed, earlier, false);
    saveText(earlier);
    return true;
  });
  const open = useEffectEvent((parent: HTMLElement) => {
    const state = createSourceState({
      format: source,
      source: text,
      nonce: getNonce?.() ?? "",
      attributes: { id, "aria-label": "Content", dir: "auto" },
      // At once, so that a shortcut of the page never saves an earlier text.
      onSource: ({ state: changed }) => flushSync(() => saveText(toSource(changed))),
      onTabFreed: () => onTabFreed(),
      onHistoryEnd: (changed, isUndo) => showEarlier(changed, isUndo ? history.undo() : history.redo()),
    });
    const made = new EditorView({ parent, state });
    if (caret.current !== null) {
      const position = toDocument(text.slice(0, caret.current)).length;
      made.dispatch({ selection: { anchor: position }, effects: EditorView.scrollIntoView(position, { y: "center" }) });
      made.focus();
    }
    return made;
  });

  useEffect(() => {
    if (place.current === null) return undefined;
    const made = open(place.current);
    view.current = made;
    return () => {
      if (made.hasFocus || caret.current !== null) caret.current = readPosition(made);
      view.current = null;
      made.destroy();
    };
  }, [caret]);

  useImperativeHandle(readCaret, () => () => (view.current === null ? 0 : readPosition(view.current)), []);

  const merged = useMergedText();
  const loadText = useEffectEvent((wanted: string) => {
    if (view.current !== null) load(view.current, wanted, merged?.text === wanted);
  });
  useLayoutEffect(() => loadText(text), [text]);
  useEffect(() => {
    if (merged === null) view.current?.dispatch({ effects: unmarkMerged() });
  }, [merged]);

  useEffect(() => {
    const element = view.current?.contentDOM;
    element?.setAttribute("aria-describedby", describedBy === undefined ? keysId : `${describedBy} ${keysId}`);
    if (describedBy === undefined) element?.removeAttribute("aria-invalid");
    else element?.setAttribute("aria-invalid", "true");
  }, [describedBy, keysId]);

  return (
    <>
      <div ref={place} className={classes.place} lang={lang} />
      {/* Shown above the headline, reached after the text. */}
      <ToolRow
        tools={
          source === "markdown"
            ? BUTTONS.map(({ command, ...button }) => ({
                ...button,
                isOn: null,
                run: () => view.current !== null && applyCommand(view.current, command),
              }))
            : []
        }
        more={null}
        aside={aside}
        onLeave={() => view.current?.focus()}
      />
    </>
  );
}

function readPosition({ state }: EditorView): number {
  return toSource(state, state.selection.main.head).length;
}

/** Shows a text from elsewhere, such as a merge; `isMarked`: marks what changes. */
function load(view: EditorView, text: string, isMarked: boolean): void {
  const { state } = view;
  if (toSource(state) === text) return;
  const changes = findTextChanges(state.doc.toString(), toDocument(text));
  const ends = readLineEnds(text);
  const isUniform = ends.each === null && readLineEnds(toSource(state)).each === null;
  const transaction = state.update({
    changes,
    effects: [setLineEnds.of(ends), ...(isMarked ? [markMerged(changes)] : [])],
    // Undo takes back what the user has typed, and this stays. Mixed line ends are kept only with the whole history.
    annotations: Transaction.addToHistory.of(!isUniform),
    userEvent: LOADED,
  });
  view.dispatch(transaction);
}

const BUTTONS = [
  { label: "Bold", keys: "mod+b", Icon: IconBold, command: bold },
  { label: "Italic", keys: "mod+i", Icon: IconItalic, command: italic },
  { label: "Link", keys: "mod+k", Icon: IconLink, command: link },
  { label: "Heading", keys: null, Icon: IconHeading, command: heading },
  { label: "List", keys: null, Icon: IconList, command: bulletList },
  { label: "Numbered list", keys: null, Icon: IconListNumbers, command: numberedList },
  { label: "Quote", keys: null, Icon: IconBlockquote, command: quote },
  { label: "Code", keys: "mod+e", Icon: IconCode, command: code },
] as const;
