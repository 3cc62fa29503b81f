import { type RefObject, useEffect, useRef } from "react";

/** @returns the ref of a field that has the focus when the page or step is new: the one thing to do there is to type. */
export function useFirstFocus(isFirst = true): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst) field.current?.focus();
  }, [isFirst]);
  return field;
}
