/** The field for the content, in a visual and a source view; one key switches between them. */
import { Input } from "@mantine/core";
import { type ReactNode, type RefObject, useId, useImperativeHandle, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { KeyHint } from "../../../shared/key-hint.tsx";
import { LazyPart } from "../../../shared/lazy-part.tsx";
import { useShortcuts } from "../../../shared/shortcuts.tsx";
import { readView, saveView, SourceEditor, type View, VisualEditor } from "./canvas/editors.ts";
import { FirstScreen } from "./canvas/first-screen.tsx";
import { ViewMenu } from "./canvas/view-menu.tsx";
import classes from "./content-field.module.css";
import { SourceChanges } from "./source-changes.tsx";
import { useTextHistory } from "./use-text-history.ts";
import type { EditorValues } from "./values.ts";

interface ContentFieldProps {
  /** Returns the caret's position in the source; null unless the source is shown. */
  readCaret: RefObject<(() => number) | null>;
  /** Set to a function that moves the focus to the text. */
  focusText: RefObject<(() => void) | null>;
  source: EditorValues["source"];
  text: string;
  /** The language of the text; undefined: unknown. */
  lang: string | undefined;
  /** The text as it was saved; null if nothing is saved in this format. */
  savedText: string | null;
  onText: (text: string) => void;
  onSource: (source: EditorValues["source"]) => void;
  /** Returns the URL from which to load a picture of the text; null if it cannot be loaded. */
  pictureUrl: (src: string) => string | null;
  /** What relative addresses begin with; null while it is unknown. */
  pageUrl: string | null;
  /** The saved text as HTML, shown while the editor is loading; null: unknown. */
  savedHtml: string | null;
  /** Such as “1,204 words, 6 min”. */
  counted: string;
  error: ReactNode;
  /** Starts a comment on what is selected; null: the user may not comment. */
  onComment: (() => void) | null;
}

export function ContentField(props: ContentFieldProps): ReactNode {
  const { readCaret, focusText, source, text, lang, savedText, onSource, pictureUrl, pageUrl, counted } = props;
  const { savedHtml, error, onComment } = props;
  const id = useId();
  const [view, setView] = useState<View>(readView);
  const caret = useRef<number | null>(null);
  const { history, onText } = useTextHistory(source, text, props.onText);
  const describedBy = error ? `${id}-error` : undefined;
  useImperativeHandle(
    focusText,
    () => () => {
      const field = document.querySelector<HTMLElement>(`#${CSS.escape(id)}`);
      // While the editor is loading, it takes the focus as soon as it is there.
      if (field === null) caret.current ??= 0;
      else field.focus();
    },
    [id],
  );

  function show(next: View): void {
    if (next === view) return;
    // The caret's last position; at first, the beginning.
    caret.current ??= 0;
    flushSync(() => setView(next));
    history.enter();
    saveView(next);
  }

  useShortcuts([
    {
      keys: "mod+shift+x",
      label: view === "visual" ? "Show the source" : "Show the formatted text",
      run: () => show(view === "visual" ? "source" : "visual"),
    },
  ]);

  const waiting = (
    <FirstScreen html={view === "visual" ? savedHtml : null} base={pageUrl} lang={lang} pictureUrl={pictureUrl} />
  );
  const aside = <ViewMenu view={view} onView={show} source={source} onSource={onSource} />;
  return (
    <div className={classes.root}>
      {Boolean(error) && (
        <Input.Error id={`${id}-error`} className={classes.error}>
          {error}
        </Input.Error>
      )}
      {view === "visual" ? (
        <LazyPart fallback={waiting}>
          <VisualEditor
            id={id}
            format={source}
            text={text}
            lang={lang}
            savedText={savedText}
            onText={onText}
            history={history}
            pictureUrl={pictureUrl}
            pageUrl={pageUrl}
            caret={caret}
            onSource={(written) => {
              onText(written);
              show("source");
            }}
            describedBy={describedBy}
            keysId={`${id}-keys`}
            aside={aside}
            waiting={waiting}
            onComment={onComment}
          />
        </LazyPart>
      ) : (
        <LazyPart fallback={waiting}>
          <SourceEditor
            key={source}
            id={id}
            source={source}
            text={text}
            lang={lang}
            onText={onText}
            history={history}
            caret={caret}
            readCaret={readCaret}
            describedBy={describedBy}
            keysId={`${id}-keys`}
            aside={aside}
          />
        </LazyPart>
      )}
      <div className={classes.foot}>
        <span>{counted}</span>
        {savedText !== null && <SourceChanges saved={savedText} text={text} />}
        <span className={classes.keys} id={`${id}-keys`}>
          {view === "visual" ? (
            <>
              <KeyHint keys="/" /> inserts, <KeyHint keys="Tab" /> nests items, <KeyHint keys="Escape" /> then{" "}
              <KeyHint keys="Tab" /> leaves the text, <KeyHint keys="mod+f" /> finds, <KeyHint keys="mod+shift+x" />{" "}
              shows the source
            </>
          ) : (
            <>
              <KeyHint keys="Tab" /> indents, <KeyHint keys="Escape" /> then <KeyHint keys="Tab" /> leaves the text,{" "}
              <KeyHint keys="mod+f" /> finds, <KeyHint keys="mod+shift+x" /> shows the formatted text
            </>
          )}
        </span>
      </div>
    </div>
  );
}
