import { Loader } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./live-hint.module.css";

/** A quiet hint: work can continue, but others' changes do not appear. Its space is always reserved. */
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
