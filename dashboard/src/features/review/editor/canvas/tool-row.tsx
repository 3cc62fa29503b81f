/**
 * The formatting toolbar: one row, whatever the width; what does not fit is in the menu at its end. It is one stop of the Tab
 * key, after the text, and Alt F10 leads to it, too. On a telephone it is above the keyboard.
 */
import { ActionIcon, Group, Menu, Toolbar, Tooltip } from "@mantine/core";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import {
  type ComponentType,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { KeyHint } from "../../../../shared/key-hint.tsx";
import classes from "./tool-row.module.css";
import { useKeyboardHeight } from "./use-keyboard-height.ts";

export interface Tool {
  label: string;
  keys: string | null;
  Icon: ComponentType<{ size: number }>;
  /** null if it is not a toggle. */
  isOn: boolean | null;
  isDisabled?: boolean;
  run: () => void;
}

interface ToolRowProps {
  /** A menu before the tools. */
  lead?: ReactNode;
  /** The most important one first. */
  tools: readonly Tool[];
  /** Entries that are in the menu at every width; null if there are none. */
  more: ReactNode;
  isMoreOn?: boolean;
  /** Shown at the very end. */
  aside: ReactNode;
  /** Moves the focus back to the text. */
  onLeave: () => void;
}

export function ToolRow({ lead, tools, more, isMoreOn = false, aside, onLeave }: ToolRowProps): ReactNode {
  const bar = useRef<HTMLDivElement>(null);
  const row = useRef<HTMLDivElement>(null);
  const count = useFitting(row, tools.length, more !== null);
  useKeyboardHeight(bar);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "F10" || !event.altKey) return;
      event.preventDefault();
      bar.current?.querySelector<HTMLElement>('[data-toolbar-toggle][tabindex="0"]')?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  const hidden = tools.slice(count);
  return (
    <Toolbar
      ref={bar}
      unstyled
      className={classes.bar}
      aria-label="Formatting"
      aria-keyshortcuts="Alt+F10"
      onKeyDown={({ key, target }) => {
        if (
          key === "Escape" &&
          target instanceof Element &&
          target.matches("[data-toolbar-toggle]:not([data-expanded])")
        )
          onLeave();
      }}
    >
      <div ref={row} className={classes.row}>
        {lead}
        {tools.slice(0, count).map((tool) => (
          <ToolButton key={tool.label} {...tool} />
        ))}
        {(more !== null || hidden.length > 0) && (
          <Menu position="bottom-start">
            <Menu.Target>
              <ActionIcon
                className={classes.tool}
                variant={isMoreOn ? "light" : "subtle"}
                color="gray"
                aria-label="Table and more"
                data-toolbar-toggle
              >
                <IconDots size={18} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown className={classes.menu}>
              {hidden.map((tool) => (
                <ToolItem key={tool.label} {...tool} />
              ))}
              {hidden.length > 0 && more !== null && <Menu.Divider />}
              {more}
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
      {aside}
    </Toolbar>
  );
}

function ToolButton({ label, keys, Icon, isOn, isDisabled = false, run }: Tool): ReactNode {
  const hint = (
    <Group gap={6} wrap="nowrap">
      {label}
      {keys !== null && <KeyHint keys={keys} />}
    </Group>
  );
  return (
    <Tooltip label={hint}>
      <ActionIcon
        className={classes.tool}
        variant={isOn === true ? "light" : "subtle"}
        color="gray"
        aria-label={label}
        {...(isOn !== null && { "aria-pressed": isOn })}
        disabled={isDisabled}
        data-tool
        data-toolbar-toggle
        // The text keeps the focus, and a telephone its keyboard.
        onMouseDown={(event) => event.preventDefault()}
        onClick={run}
      >
        <Icon size={17} />
      </ActionIcon>
    </Tooltip>
  );
}

function ToolItem({ label, Icon, isOn, isDisabled = false, run }: Tool): ReactNode {
  const common = { leftSection: <Icon size={17} />, disabled: isDisabled };
  if (isOn === null) {
    return (
      <Menu.Item {...common} onClick={run}>
        {label}
      </Menu.Item>
    );
  }
  return (
    <Menu.CheckboxItem {...common} checked={isOn} onChange={run} closeMenuOnClick>
      {label}
    </Menu.CheckboxItem>
  );
}

/** @returns how many of the tools have room in the row. All are as wide as the first. */
function useFitting(row: RefObject<HTMLDivElement | null>, total: number, hasMore: boolean): number {
  const [count, setCount] = useState(total);
  useLayoutEffect(() => {
    const element = row.current;
    if (element === null) return undefined;
    const fit = () => {
      const first = element.querySelector<HTMLElement>("[data-tool]");
      const size = (first?.offsetWidth ?? 0) + GAP_PX;
      const room = element.getBoundingClientRect().right - (first?.getBoundingClientRect().left ?? 0) + GAP_PX;
      const slots = Math.floor(room / size);
      setCount(!hasMore && total <= slots ? total : Math.min(total, Math.max(1, slots - 1)));
    };
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    return () => observer.disconnect();
  }, [row, total, hasMore]);
  return count;
}

/** As in the style sheet. */
const GAP_PX = 2;
