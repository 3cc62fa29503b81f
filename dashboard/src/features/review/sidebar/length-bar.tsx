import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./length-bar.module.css";
import { measureWidth } from "./text-width.ts";

interface LengthBarProps {
  /** “Title”. */
  label: string;
  text: string;
  /** Characters that fit into search results. */
  good: readonly [least: number, most: number];
}

export const TITLE_LENGTH = [25, 65] as const;
export const DESCRIPTION_LENGTH = [90, 165] as const;

/** The length of a text, as a label and as a bar with the good range marked. */
export function LengthBar({ label, text, good: [least, most] }: LengthBarProps): ReactNode {
  const length = measureWidth(text);
  const verdict = length === 0 ? "missing" : length < least ? "short" : length > most ? "long" : "good";
  const full = most * 1.35;
  const share = (value: number) => `${(Math.min(value, full) / full) * 100}%`;
  return (
    <div className={classes.root}>
      <Text size="xs" c="dimmed" className={classes.words}>
        {label}: {length} of {least}–{most} characters
        <b data-verdict={verdict}>{WORDS[verdict]}</b>
      </Text>
      <div className={classes.bar} aria-hidden>
        <i className={classes.good} style={{ left: share(least), right: `calc(100% - ${share(most)})` }} />
        <i className={classes.length} data-verdict={verdict} style={{ width: share(length) }} />
      </div>
    </div>
  );
}

const WORDS = { missing: "missing", short: "short", long: "too long", good: "good" } as const;
