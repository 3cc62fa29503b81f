import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import type { Format } from "../document/fingerprint.ts";
import { FloatingBar } from "../visual/floating-bar.tsx";
import type { ChangeStart } from "./picture-task.ts";
import type { ChosenPicture } from "./text-pictures.ts";

interface PictureBarProps {
  chosen: ChosenPicture;
  format: Format;
  onOpen: (start: ChangeStart) => void;
  onRemove: () => void;
  /** Called when the focus goes elsewhere than to the text. */
  onLeave: () => void;
}

/** The actions on the chosen picture, above it. */
export function PictureBar({ chosen: { dom }, format, onOpen, onRemove, onLeave }: PictureBarProps): ReactNode {
  const actions: { label: string; run: () => void }[] = [
    { label: "Caption", run: () => onOpen("caption") },
    { label: "Alternative text", run: () => onOpen("alt") },
    { label: "Replace", run: () => onOpen("replace") },
    ...(format === "html" ? [{ label: "Size", run: () => onOpen("size") }] : []),
    { label: "Remove", run: onRemove },
  ];
  return (
    <FloatingBar label="Picture" dom={dom} side="above" onLeave={onLeave}>
      {actions.map(({ label, run }) => (
        <Button
          key={label}
          size="compact-sm"
          variant="subtle"
          color="gray"
          // Keeps the picture chosen.
          onMouseDown={(event) => event.preventDefault()}
          onClick={run}
        >
          {label}
        </Button>
      ))}
    </FloatingBar>
  );
}
