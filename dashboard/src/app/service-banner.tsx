import { Button } from "@mantine/core";
import IconPlugConnectedX from "@tabler/icons-react/dist/esm/icons/IconPlugConnectedX.mjs";
import type { ReactNode } from "react";
import type { ServiceState } from "../api/service-away.ts";
import classes from "./service-banner.module.css";

/** Shown above the page while the service is unreachable; the page itself stays as it is. */
export function ServiceBanner({ isAway, retry }: ServiceState): ReactNode {
  return (
    <div role="alert">
      {isAway && (
        <div className={classes.root}>
          <IconPlugConnectedX size={20} aria-hidden />
          <span className={classes.text}>
            <strong>The service cannot be reached.</strong> What you see may be out of date. What you type is kept in
            this browser and saved when the connection is back. Trying again…
          </span>
          <Button size="xs" variant="default" onClick={retry}>
            Try now
          </Button>
        </div>
      )}
    </div>
  );
}
