import { type RefObject, useEffect, useRef } from "react";

/** @returns a ref for the field to focus when a page or step opens. */
export function useFirstFocus<Field extends HTMLElement = HTMLInputElement>(isFirst = true): RefObject<Field | null> {
  const field = useRef<Field>(null);
  useEffect(() => {
    if (isFirst) field.current?.focus();
  }, [isFirst]);
  return field;
}
