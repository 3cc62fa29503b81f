/** Name and value pairs, as listed in the sidebar. */
import { Pill, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./facts.module.css";

export function FactList({ children }: { children: ReactNode }): ReactNode {
  return <dl className={classes.root}>{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children ?? <None />}</dd>
    </div>
  );
}

export function LabelList({ labels }: { labels: readonly string[] }): ReactNode {
  if (labels.length === 0) return <None />;
  return (
    <span className={classes.labels}>
      {labels.map((label) => (
        <Pill key={label} size="sm" className={classes.label}>
          {label}
        </Pill>
      ))}
    </span>
  );
}

function None(): ReactNode {
  return (
    <Text span inherit c="dimmed">
      none
    </Text>
  );
}
