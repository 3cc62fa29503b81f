import { VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ArticleCounts } from "../../../src/http/admin/contract/articles.ts";
import { get } from "../api/client.ts";
import { useMay, useSession, useWebsiteOrNull } from "../shared/session.tsx";
import { InboxLink } from "./inbox-link.tsx";
import { listPages, NAVIGATION } from "./navigation.ts";
import classes from "./navigation-links.module.css";

export function NavigationLinks(): ReactNode {
  return (
    <nav className={classes.root} aria-label="Main">
      <div className={classes.group}>
        <InboxLink />
      </div>
      {NAVIGATION.map(({ label, items }) => (
        <Group key={label} label={label} items={items} />
      ))}
    </nav>
  );
}

function Group({ label, items }: (typeof NAVIGATION)[number]): ReactNode {
  const website = useWebsiteOrNull();
  const shown = useShown(items);
  const pending = usePending(website?.id ?? null);
  if (shown.length === 0) return null;
  return (
    <div className={classes.group}>
      {label !== null && <div className={classes.label}>{label}</div>}
      {shown.map(({ to, label, Icon }) => (
        <Link key={to} to={to} className={classes.link} activeOptions={{ exact: to === "/", includeSearch: false }}>
          <Icon size={18} stroke={1.7} />
          <span className={classes.text}>{label}</span>
          {to === "/articles" && pending > 0 && (
            <span className={classes.count}>
              {pending > 999 ? "999+" : pending}
              <VisuallyHidden> pending</VisuallyHidden>
            </span>
          )}
        </Link>
      ))}
    </div>
  );
}

function useShown(items: (typeof NAVIGATION)[number]["items"]) {
  return listPages(useWebsiteOrNull(), useSession(), useMay("members.manage"), items);
}

function usePending(websiteId: string | null): number {
  const { data } = useQuery({
    queryKey: ["articles", websiteId, "counts"],
    queryFn: ({ signal }) => get<ArticleCounts>("/articles/counts", { query: { website_id: websiteId }, signal }),
    enabled: websiteId !== null,
  });
  return data === undefined ? 0 : data.in_review + data.resubmitted;
}
