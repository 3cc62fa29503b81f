import { ActionIcon, Button, Group, Menu } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import IconLock from "@tabler/icons-react/dist/esm/icons/IconLock.mjs";
import { memo, type ReactNode } from "react";
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

/** Number of buttons that fit side by side on a phone; the others are in the menu. The main ones come last. */
const MAX_NARROW = 2;

/** The workflow's buttons, the main one last. On phones they stay at the bottom of the screen. */
export const ActionBar = memo(function ActionBar({ offers, busy, isHeld, onDecide }: ActionBarProps): ReactNode {
  const isNarrow = useMediaQuery("(max-width: 768px)", undefined, { getInitialValueInEffect: false });
  const major = offers.filter(({ isMinor }) => !isMinor);
  const buttons = isNarrow ? major.slice(-MAX_NARROW) : major;
  return (
    <Group className={classes.bar} gap={8}>
      <MinorActions
        offers={offers.filter((offer) => !buttons.includes(offer))}
        isDisabled={busy !== null || isHeld}
        onDecide={onDecide}
      />
      {buttons.map(({ decision, label, keys, isMain, isHeld: isLocked }) => (
        <Button
          key={decision}
          size="sm"
          variant={isMain && !isLocked ? "filled" : "default"}
          className={classes.button}
          aria-keyshortcuts={keys.replace("shift+a", "Shift+A")}
          loading={busy === decision}
          disabled={(busy !== null && busy !== decision) || (isHeld && decision !== "edit")}
          onClick={() => onDecide(decision)}
          {...(isLocked && { leftSection: <IconLock size={14} aria-hidden />, title: HELD, "aria-description": HELD })}
          rightSection={<KeyHint keys={keys} isFilled={isMain && !isLocked} />}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}, looksTheSame);

const HELD = "Held by what was found in the text";

/** The next article usually has the same actions. */
function looksTheSame(one: ActionBarProps, other: ActionBarProps): boolean {
  return (
    one.busy === other.busy &&
    one.isHeld === other.isHeld &&
    one.onDecide === other.onDecide &&
    JSON.stringify(one.offers) === JSON.stringify(other.offers)
  );
}

function MinorActions({
  offers,
  isDisabled,
  onDecide,
}: Pick<ActionBarProps, "offers" | "onDecide"> & { isDisabled: boolean }): ReactNode {
  if (offers.length === 0) return null;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label="More actions" disabled={isDisabled}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {offers.map(({ decision, label, keys, isHeld }) => (
          <Menu.Item
            key={decision}
            {...(isHeld && { leftSection: <IconLock size={14} aria-hidden />, "aria-description": HELD })}
            onClick={() => onDecide(decision)}
            rightSection={<KeyHint keys={keys} />}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
