/** Shown in place of the shell while the session is loading, and when it cannot be loaded. */
import type { ErrorComponentProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Logo } from "../shared/logo.tsx";
import { PageError } from "./page-error.tsx";
import { PagePending } from "./page-pending.tsx";
import mark from "./mark.module.css";
import classes from "./shell.module.css";

export function ShellPending(): ReactNode {
  return (
    <EmptyFrame>
      <PagePending />
    </EmptyFrame>
  );
}

export function ShellError(props: ErrorComponentProps): ReactNode {
  return (
    <EmptyFrame>
      <PageError {...props} />
    </EmptyFrame>
  );
}

/** Has the shell's layout, so that nothing moves when the shell appears. */
function EmptyFrame({ children }: { children: ReactNode }): ReactNode {
  const name = (
    <span className={mark.root}>
      <Logo />
      Rostrum
    </span>
  );
  return (
    <div className={classes.frame}>
      <div className={classes.bar}>{name}</div>
      <div className={classes.side}>
        <div className={classes.sticky}>{name}</div>
      </div>
      <main className={classes.main}>{children}</main>
    </div>
  );
}
