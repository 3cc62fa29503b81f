import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import type { ReactNode } from "react";
import { Title } from "@mantine/core";
import classes from "./step.module.css";

interface StepProps {
  number: number;
  title: string;
  isDone: boolean;
  /** Shows that the step is done, or what it is waiting for. */
  state: ReactNode;
  children: ReactNode;
}

export function SetupStep({ number, title, isDone, state, children }: StepProps): ReactNode {
  return (
    <section className={classes.root} aria-label={title}>
      <span className={classes.mark} data-done={isDone || undefined} aria-hidden>
        {isDone ? <IconCheck size={16} stroke={2.5} /> : number}
      </span>
      <div className={classes.body}>
        <div className={classes.head}>
          <Title order={2} size="h4">
            {title}
          </Title>
          <span className={classes.state} role="status" data-done={isDone || undefined}>
            {state}
          </span>
        </div>
        {children}
      </div>
    </section>
  );
}
