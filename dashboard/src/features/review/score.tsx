import type { ReactNode } from "react";
import { qualityLevel } from "../../shared/quality.ts";
import classes from "./score.module.css";

/** The article's score in one line: number and word, with a colour. */
export function ScoreBadge({ score }: { score: number }): ReactNode {
  const level = qualityLevel(score);
  return (
    <span className={classes.root} data-tone={level} title="Quality score, of 100">
      <b>{score}</b> <span>{level}</span>
    </span>
  );
}
