import { ActionIcon, Group, Tooltip } from "@mantine/core";
import IconBlockquote from "@tabler/icons-react/dist/esm/icons/IconBlockquote.mjs";
import IconBold from "@tabler/icons-react/dist/esm/icons/IconBold.mjs";
import IconCode from "@tabler/icons-react/dist/esm/icons/IconCode.mjs";
import IconHeading from "@tabler/icons-react/dist/esm/icons/IconHeading.mjs";
import IconItalic from "@tabler/icons-react/dist/esm/icons/IconItalic.mjs";
import IconLink from "@tabler/icons-react/dist/esm/icons/IconLink.mjs";
import IconList from "@tabler/icons-react/dist/esm/icons/IconList.mjs";
import IconListNumbers from "@tabler/icons-react/dist/esm/icons/IconListNumbers.mjs";
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect } from "react";
import { KeyHint } from "../../../shared/key-hint.tsx";
import {
  bold,
  bulletList,
  code,
  type Command,
  heading,
  indent,
  italic,
  link,
  numberedList,
  outdent,
  quote,
} from "./markdown-commands.ts";
import classes from "./source-field.module.css";
import type { EditorValues } from "./values.ts";

interface SourceFieldProps {
  id: string;
  field: RefObject<HTMLTextAreaElement | null>;
  source: EditorValues["source"];
  text: string;
  onText: (text: string) => void;
  /** The caret's position when the field appears and disappears; null before the first edit. */
  caret: RefObject<number | null>;
  describedBy: string | undefined;
  /** Shown at the end of the toolbar. */
  aside: ReactNode;
}

/**
 * The content as source. Tab leaves the field, as everywhere, to avoid a keyboard trap; Ctrl with a bracket indents and
 * outdents lines.
 */
export function SourceField(props: SourceFieldProps): ReactNode {
  const { id, field, source, text, onText, caret, describedBy, aside } = props;
  const isMarkdown = source === "markdown";

  function run(command: Command): void {
    const element = field.current;
    if (element === null) return;
    const { selectionStart: start, selectionEnd: end, value } = element;
    apply(element, command({ text: value, start, end }));
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    const command = KEYS[event.key.toLowerCase()];
    if (command === undefined || (!isMarkdown && command !== indent && command !== outdent)) return;
    event.preventDefault();
    run(command);
  }

  useEffect(() => {
    const element = field.current;
    if (element === null) return undefined;
    if (caret.current !== null) {
      element.focus();
      element.setSelectionRange(caret.current, caret.current);
      // A text area scrolls to its caret when it gets the focus, which has already happened at the beginning.
      element.blur();
      element.focus();
    }
    return () => {
      caret.current = element.selectionStart;
    };
  }, [field, caret]);

  return (
    <>
      <Group className={classes.bar} gap={2} role="toolbar" aria-label="Formatting">
        {isMarkdown &&
          BUTTONS.map(({ label, keys, Icon, command }) => (
            <Tooltip key={label} label={<ButtonHint label={label} keys={keys} />}>
              <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={() => run(command)}>
                <Icon size={17} />
              </ActionIcon>
            </Tooltip>
          ))}
        {aside}
      </Group>
      <textarea
        ref={field}
        id={id}
        className={classes.text}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        spellCheck={isMarkdown}
        dir="auto"
        aria-label="Content"
        aria-invalid={describedBy !== undefined || undefined}
        aria-describedby={describedBy}
      />
    </>
  );
}

const BUTTONS = [
  { label: "Bold", keys: "mod+b", Icon: IconBold, command: bold },
  { label: "Italic", keys: "mod+i", Icon: IconItalic, command: italic },
  { label: "Link", keys: "mod+k", Icon: IconLink, command: link },
  { label: "Heading", keys: null, Icon: IconHeading, command: heading },
  { label: "List", keys: null, Icon: IconList, command: bulletList },
  { label: "Numbered list", keys: null, Icon: IconListNumbers, command: numberedList },
  { label: "Quote", keys: null, Icon: IconBlockquote, command: quote },
  { label: "Code", keys: "mod+e", Icon: IconCode, command: code },
] as const;

const KEYS: Record<string, Command> = { b: bold, i: italic, k: link, e: code, "]": indent, "[": outdent };

function ButtonHint({ label, keys }: { label: string; keys: string | null }): ReactNode {
  return (
    <Group gap={6} wrap="nowrap">
      {label}
      {keys !== null && <KeyHint keys={keys} />}
    </Group>
  );
}

/** Inserts text as if typed, so that the browser can undo it. */
function apply(element: HTMLTextAreaElement, change: ReturnType<Command>): void {
  element.focus();
  element.setSelectionRange(change.from, change.to);
  // oxlint-disable-next-line typescript/no-deprecated -- Nothing else keeps the browser's undo history intact.
  if (!document.execCommand("insertText", false, change.insert)) {
    element.setRangeText(change.insert, change.from, change.to, "end");
    element.dispatchEvent(new Event("input", { bubbles: true }));
  }
  element.setSelectionRange(change.start, change.end);
}
