import type { ReactNode } from "react";
import classes from "./pairs.module.css";

/** Names with their values, as of headers. */
export function Pairs({ of }: { of: readonly { name: string; value: string }[] }): ReactNode {
  return (
    <dl className={classes.pairs}>
      {of.map(({ name, value }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a name may come twice; the list never changes
        <div key={`${index} ${name}`} style={{ display: "contents" }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
