import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { KeyHint } from "../../../shared/key-hint.tsx";
import classes from "./action-bar.module.css";
import type { Decision, Offer } from "./actions.ts";

interface ActionBarProps {
  offers: readonly Offer[];
  busy: Decision | null;
  /** A newer text is available, so no decision about the one shown is possible. */
  isHeld: boolean;
  onDecide: (decision: Decision) => void;
}

/** The workflow's buttons, the main one last. */
export function ActionBar({ offers, busy, isHeld, onDecide }: ActionBarProps): ReactNode {
  return (
    <Group className={classes.bar} gap={8}>
      {offers.map(({ decision, label, keys, isMain }) => (
        <Button
          key={decision}
          size="sm"
          variant={isMain ? "filled" : "default"}
          className={classes.button}
          aria-keyshortcuts={keys.replace("shift+a", "Shift+A")}
          loading={busy === decision}
          disabled={(busy !== null && busy !== decision) || (isHeld && decision !== "edit")}
          onClick={() => onDecide(decision)}
          rightSection={<KeyHint keys={keys} isFilled={isMain} />}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}
