import { VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import IconBell from "@tabler/icons-react/dist/esm/icons/IconBell.mjs";
import type { ReactNode } from "react";
import { formatUnread, unreadQuery } from "../shared/inbox.ts";
import classes from "./navigation-links.module.css";

/** Link to the inbox, with the number of unread notifications. `isShort`: only the bell and the number. */
export function InboxLink({ isShort = false }: { isShort?: boolean }): ReactNode {
  const { data } = useQuery(unreadQuery);
  const unread = data?.unread ?? 0;
  return (
    <Link to="/inbox" className={isShort ? classes.bell : classes.link} activeOptions={{ includeSearch: false }}>
      <IconBell size={isShort ? 20 : 18} stroke={1.7} aria-hidden />
      {isShort ? <VisuallyHidden>Inbox</VisuallyHidden> : <span className={classes.text}>Inbox</span>}
      {unread > 0 && (
        <span className={classes.unread}>
          {formatUnread(unread)}
          <VisuallyHidden> unread</VisuallyHidden>
        </span>
      )}
    </Link>
  );
}
