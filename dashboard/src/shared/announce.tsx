/** Announces visible changes to screen readers. */
import { VisuallyHidden } from "@mantine/core";
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";

type Announce = (message: string) => void;

/** @returns a function that announces a sentence politely. */
export function useAnnounce(): Announce {
  return useContext(AnnounceContext);
}

export function AnnounceProvider({ children }: { children: ReactNode }): ReactNode {
  const [said, setSaid] = useState({ message: "", count: 0 });
  const announce = useCallback<Announce>((message) => setSaid(({ count }) => ({ message, count: count + 1 })), []);
  return (
    <AnnounceContext value={announce}>
      {children}
      <VisuallyHidden role="status" aria-live="polite">
        {/* A new key announces the same sentence again. */}
        <span key={said.count}>{said.message}</span>
      </VisuallyHidden>
    </AnnounceContext>
  );
}

const AnnounceContext = createContext<Announce>(() => undefined);
