/** Finds and replaces: a bar above the text. */
import { ActionIcon, Button, Checkbox, CloseButton, TextInput } from "@mantine/core";
import IconChevronDown from "@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs";
import IconChevronUp from "@tabler/icons-react/dist/esm/icons/IconChevronUp.mjs";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useAnnounce } from "../../../../shared/announce.tsx";
import type { VisualField } from "../visual/field.ts";
import classes from "./find-bar.module.css";
import { describeFound, type Found } from "./found.ts";
import { type Sought, VisualFind } from "./visual-find.ts";

interface FindBarProps {
  field: VisualField;
  /** Changes whenever the bar is asked for again. */
  asked: number;
  onClose: () => void;
}

export function FindBar({ field, asked, onClose }: FindBarProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const [sought, setSought] = useState<Sought>(() => ({
    text: readSelected(field),
    replacement: "",
    matchesCase: false,
    wholeWords: false,
  }));
  const [found, setFound] = useState<Found>({ count: 0, current: null });
  const [find] = useState(() => new VisualFind(field, setFound));
  const announce = useAnnounce();
  const [known, setKnown] = useState(asked);
  if (asked !== known) {
    setKnown(asked);
    const selected = readSelected(field);
    if (selected !== "") setSought({ ...sought, text: selected });
  }
  useEffect(() => find.attach(), [find]);
  useEffect(() => find.seek(sought), [find, sought]);
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- whenever it is asked for
  }, [asked]);

  function change(changed: Partial<Sought>): void {
    setSought({ ...sought, ...changed });
  }

  function press(event: KeyboardEvent): void {
    const isMod = event.ctrlKey || event.metaKey;
    if (event.key === "Escape") onClose();
    else if (isMod && event.key === "f") input.current?.select();
    else if (!find.press(event.nativeEvent)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  const isNone = found.count === 0;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys of the fields in it
    <div className={classes.bar} role="search" aria-label="Find and replace" onKeyDown={press}>
      <div className={classes.row}>
        <TextInput
          ref={input}
          size="xs"
          className={classes.field}
          aria-label="Find"
          placeholder="Find"
          spellCheck={false}
          value={sought.text}
          onChange={(event) => change({ text: event.currentTarget.value })}
          onKeyDown={(event) => pressEnter(event, () => (event.shiftKey ? find.previous() : find.next()))}
        />
        <span className={classes.count} role="status">
          {sought.text === "" ? "" : describeFound(found)}
        </span>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Previous"
          disabled={isNone}
          onClick={() => find.previous()}
        >
          <IconChevronUp size={18} />
        </ActionIcon>
        <ActionIcon variant="subtle" color="gray" aria-label="Next" disabled={isNone} onClick={() => find.next()}>
          <IconChevronDown size={18} />
        </ActionIcon>
        <Checkbox
          size="xs"
          label="Match case"
          checked={sought.matchesCase}
          onChange={(event) => change({ matchesCase: event.currentTarget.checked })}
        />
        <Checkbox
          size="xs"
          label="Whole words"
          checked={sought.wholeWords}
          onChange={(event) => change({ wholeWords: event.currentTarget.checked })}
        />
      </div>
      <div className={classes.row}>
        <TextInput
          size="xs"
          className={classes.field}
          aria-label="Replace"
          placeholder="Replace"
          value={sought.replacement}
          onChange={(event) => change({ replacement: event.currentTarget.value })}
          onKeyDown={(event) => pressEnter(event, () => find.replace())}
        />
        <Button size="compact-sm" variant="default" disabled={isNone} onClick={() => find.replace()}>
          Replace
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={isNone}
          onClick={() => {
            announce(`${find.replaceAll()} replaced.`);
            // The button is off now.
            input.current?.focus();
          }}
        >
          Replace all
        </Button>
      </div>
      <CloseButton className={classes.close} size="sm" aria-label="Close" onClick={onClose} />
    </div>
  );
}

function pressEnter(event: KeyboardEvent, run: () => void): void {
  if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
  // The bar is in the article's form.
  event.preventDefault();
  run();
}

/** Text of one line that is selected. */
function readSelected({ view: { state } }: VisualField): string {
  const { $from, $to, from, to } = state.selection;
  return $from.sameParent($to) && to - from <= MAX_SELECTED ? state.doc.textBetween(from, to) : "";
}

const MAX_SELECTED = 200;
