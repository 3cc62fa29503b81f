import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyButton } from "../../../../../shared/copy-button.tsx";
import { FloatingBar } from "../floating-bar.tsx";
import type { ChosenLink } from "./links.ts";
import classes from "./link-bar.module.css";
import { toUrl } from "./use-text-links.ts";

interface LinkBarProps {
  chosen: ChosenLink;
  pageUrl: string | null;
  onChange: () => void;
  onRemove: () => void;
  /** Called when the focus goes elsewhere than to the text. */
  onLeave: () => void;
  onEscape: () => void;
}

/** The address of the link at the caret, with what can be done with it. */
export function LinkBar({ chosen, pageUrl, onChange, onRemove, onLeave, onEscape }: LinkBarProps): ReactNode {
  const { href, dom } = chosen;
  const url = toUrl(href, pageUrl);
  const look = {
    size: "compact-sm",
    variant: "subtle",
    color: "gray",
    // The caret stays in the link.
    onMouseDown: (event: { preventDefault: () => void }) => event.preventDefault(),
  };
  return (
    <FloatingBar label="Link" dom={dom} side="below" onLeave={onLeave} onEscape={onEscape}>
      <span className={classes.address} title={href}>
        {href}
      </span>
      {url !== null && (
        <Button {...look} component="a" href={url} target="_blank" rel="noopener noreferrer">
          Open
        </Button>
      )}
      <Button {...look} onClick={onChange}>
        Change
      </Button>
      <Button {...look} onClick={onRemove}>
        Remove
      </Button>
      <CopyButton value={href} label="Copy the address" />
    </FloatingBar>
  );
}
