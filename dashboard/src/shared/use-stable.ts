import { useLayoutEffect, useRef, useState } from "react";

// oxlint-disable-next-line typescript/no-explicit-any -- functions of any kind
type Functions = Record<string, (...given: any[]) => unknown>;

/** The same functions at every rendering, which do what those of the last one do: memoised parts need not render again. */
export function useStable<T extends Functions>(functions: T): T {
  const latest = useRef(functions);
  useLayoutEffect(() => {
    latest.current = functions;
  });
  const [stable] = useState(() =>
    Object.fromEntries(
      Object.keys(functions).map((name) => [name, (...given: unknown[]) => latest.current[name]?.(...given)]),
    ),
  );
  // It has the same names, and each function calls the one of its name.
  return stable as T;
}
