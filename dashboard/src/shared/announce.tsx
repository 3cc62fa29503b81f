/** Says to those who listen what others see change. */
import { VisuallyHidden } from "@mantine/core";
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";

type Announce = (message: string) => void;

/** @returns what reads a sentence out, politely. */
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
        {/* The same sentence twice is two announcements. */}
        <span key={said.count}>{said.message}</span>
      </VisuallyHidden>
    </AnnounceContext>
  );
}

const AnnounceContext = createContext<Announce>(() => undefined);
