import { Loader } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./live-hint.module.css";

/** Calm: one can go on working, only what others do is not seen. The room for it is always there. */
export function LiveHint({ isAway }: { isAway: boolean }): ReactNode {
  return (
    <div className={classes.root} role="status">
      {isAway && (
        <>
          <Loader size={12} color="gray" aria-hidden />
          Reconnecting…
        </>
      )}
    </div>
  );
}
