/** What stands there before the shell does: while it is asked who is signed in, and when that cannot be found out. */
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

/** The same places as in the shell: nothing jumps when it comes. */
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
