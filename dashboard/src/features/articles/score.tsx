import type { ReactNode } from "react";
import { qualityLevel } from "../../shared/quality.ts";
import classes from "./score.module.css";

/** A quality score from 0 to 100, as a number, a bar and a word. */
export function ScoreCell({ value }: { value: number }): ReactNode {
  const level = qualityLevel(value);
  return (
    <span className={classes.root} data-level={level} title={`Quality ${value} of 100: ${level}`}>
      <span className={classes.number}>{value}</span>
      <span className={classes.bar} aria-hidden>
        <svg viewBox="0 0 100 4" preserveAspectRatio="none">
          <rect width={value} height="4" rx="2" />
        </svg>
      </span>
      <span className={classes.word}>{level}</span>
    </span>
  );
}
