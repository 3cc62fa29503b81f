import { useLayoutEffect, useRef, useState } from "react";
import { TextHistory } from "./text-history.ts";
import type { EditorValues } from "./values.ts";

/** The history that both views share. `onText` is to be called with what is typed in them. */
export function useTextHistory(source: EditorValues["source"], text: string, onText: (text: string) => void) {
  const [history] = useState(() => new TextHistory(text));
  const format = useRef(source);
  useLayoutEffect(() => {
    if (format.current === source) history.replace(text);
    else history.reset(text);
    format.current = source;
  }, [history, source, text]);
  return {
    history,
    onText: (typed: string) => {
      history.record(typed, performance.now());
      onText(typed);
    },
  };
}
