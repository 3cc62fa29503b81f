import type { ReactNode } from "react";
import classes from "./facts.module.css";

/** Facts side by side at the top of a page. */
export function Facts({ children }: { children: ReactNode }): ReactNode {
  return <dl className={classes.facts}>{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
