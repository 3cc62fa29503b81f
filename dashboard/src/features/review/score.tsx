import type { ReactNode } from "react";
import { toneOf, wordOf } from "./rail/quality-panel.tsx";
import classes from "./score.module.css";

/** The article's score in a line: number and word, with a colour for those who see it. */
export function Score({ score }: { score: number }): ReactNode {
  return (
    <span className={classes.root} data-tone={toneOf(score)} title="Quality score, of 100">
      <b>{score}</b> {wordOf(score)}
    </span>
  );
}
