import { ActionIcon, Button, Tooltip } from "@mantine/core";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconCopy from "@tabler/icons-react/dist/esm/icons/IconCopy.mjs";
import { type ReactNode, useEffect, useState } from "react";
import { useAnnounce } from "./announce.tsx";
import { copyText } from "./copy-text.ts";

interface CopyButtonProps {
  value: string;
  /** The button's accessible name: “Copy the key”. Visible with `withLabel`. */
  label: string;
  withLabel?: boolean | undefined;
  onCopied?: (() => void) | undefined;
}

const SHOWN_MS = 2_000;

export function CopyButton({ value, label, withLabel = false, onCopied }: CopyButtonProps): ReactNode {
  const { state, copy } = useCopy(onCopied);
  const isCopied = state === "copied";
  const text = TEXTS[state] ?? label;
  const icon = isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />;
  if (withLabel) {
    return (
      <Button variant="default" leftSection={icon} onClick={() => void copy(value)}>
        {text}
      </Button>
    );
  }
  return (
    <Tooltip label={text}>
      <ActionIcon
        variant="subtle"
        color={isCopied ? "pine" : "gray"}
        aria-label={label}
        onClick={() => void copy(value)}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

const TEXTS: Partial<Record<State, string>> = { copied: "Copied", failed: "Select it and copy by hand" };

type State = "idle" | "copied" | "failed";

function useCopy(onCopied: (() => void) | undefined): { state: State; copy: (value: string) => Promise<void> } {
  const announce = useAnnounce();
  const [state, setState] = useState<State>("idle");
  useEffect(() => {
    if (state === "idle") return undefined;
    const timer = setTimeout(() => setState("idle"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);

  async function copy(value: string): Promise<void> {
    const isCopied = await copyText(value);
    setState(isCopied ? "copied" : "failed");
    if (isCopied) onCopied?.();
    announce(isCopied ? "Copied." : "It could not be copied. Select it and copy by hand.");
  }

  return { state, copy };
}
