import { ActionIcon, Button, Group, Menu, Tooltip } from "@mantine/core";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import IconLock from "@tabler/icons-react/dist/esm/icons/IconLock.mjs";
import IconPencil from "@tabler/icons-react/dist/esm/icons/IconPencil.mjs";
import { memo, type ReactNode } from "react";
import { KeyHint } from "../../../shared/key-hint.tsx";
import classes from "./action-bar.module.css";
import { chooseButtons, type Decision, type Offer } from "./actions.ts";

interface ActionBarProps {
  offers: readonly Offer[];
  busy: Decision | null;
  /** A newer text is available, so no decision about the one shown is possible. */
  isHeld: boolean;
  onDecide: (decision: Decision) => void;
  /** What the menu offers about the list; null: the article was not opened from one. */
  list: ListActions | null;
}

interface ListActions {
  autoAdvance: boolean;
  setAutoAdvance: (autoAdvance: boolean) => void;
  /** The article decided last. */
  last: { id: string; title: string; done: string } | null;
  go: (id: string) => void;
}

/** The likely decisions, the main one last, and a menu of the others. On phones they stay at the bottom of the screen. */
export const ActionBar = memo(function ActionBar({ offers, busy, isHeld, onDecide, list }: ActionBarProps): ReactNode {
  const buttons = chooseButtons(offers);
  const edit = offers.find((offer) => offer.decision === "edit" && !buttons.includes(offer));
  const others = offers.filter((offer) => offer !== edit && !buttons.includes(offer));
  if (offers.length === 0 && list === null) return null;
  return (
    <Group className={classes.bar} gap={6}>
      <MoreActions offers={others} isDisabled={busy !== null || isHeld} onDecide={onDecide} list={list} />
      {edit !== undefined && (
        <Tooltip
          label={
            <Group gap={6} wrap="nowrap">
              Edit
              <KeyHint keys={edit.keys} />
            </Group>
          }
        >
          <ActionIcon
            variant="default"
            size={30}
            className={classes.icon}
            aria-label="Edit"
            aria-keyshortcuts={edit.keys}
            disabled={busy !== null}
            onClick={() => onDecide("edit")}
          >
            <IconPencil size={17} />
          </ActionIcon>
        </Tooltip>
      )}
      {buttons.map(({ decision, label, keys, isMain, isHeld: isLocked }) => (
        <Button
          key={decision}
          size="xs"
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

const HELD = "Blocked by findings in the text";

/** The next article usually has the same actions. */
function looksTheSame(one: ActionBarProps, other: ActionBarProps): boolean {
  return (
    one.busy === other.busy &&
    one.isHeld === other.isHeld &&
    one.onDecide === other.onDecide &&
    JSON.stringify([one.offers, one.list]) === JSON.stringify([other.offers, other.list])
  );
}

interface MoreActionsProps extends Pick<ActionBarProps, "offers" | "onDecide" | "list"> {
  isDisabled: boolean;
}

function MoreActions({ offers, isDisabled, onDecide, list }: MoreActionsProps): ReactNode {
  if (offers.length === 0 && list === null) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={30} className={classes.icon} aria-label="More actions">
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {offers.map(({ decision, label, keys, isHeld }) => (
          <Menu.Item
            key={decision}
            {...(isHeld && { leftSection: <IconLock size={14} aria-hidden />, "aria-description": HELD })}
            disabled={isDisabled}
            onClick={() => onDecide(decision)}
            rightSection={<KeyHint keys={keys} />}
          >
            {label}
          </Menu.Item>
        ))}
        {list !== null && <ListItems list={list} hasLine={offers.length > 0} />}
      </Menu.Dropdown>
    </Menu>
  );
}

function ListItems({ list, hasLine }: { list: ListActions; hasLine: boolean }): ReactNode {
  const { autoAdvance, setAutoAdvance, last, go } = list;
  return (
    <>
      {hasLine && <Menu.Divider />}
      {last !== null && (
        <Menu.Item onClick={() => go(last.id)} maw={320}>
          {last.done}: {last.title}
        </Menu.Item>
      )}
      <Menu.CheckboxItem checked={autoAdvance} onChange={setAutoAdvance} closeMenuOnClick={false}>
        Go to next after deciding
      </Menu.CheckboxItem>
    </>
  );
}
