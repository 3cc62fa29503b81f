/** Reports that the user has the article open while the page is visible, and learns who else has. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { PresentPeople } from "../../../../../src/http/admin/contract/presence.ts";
import { apiPath, del, get, put } from "../../../api/client.ts";

export type PresentPerson = PresentPeople["people"][number];
export type Activity = PresentPerson["activity"];

const REPORT_EVERY_MS = 20_000;
/** Whoever looks through the queue passes an article without having read it. */
const FIRST_REPORT_MS = 1_000;

export function usePresence(websiteId: string, articleId: string, activity: Activity): readonly PresentPerson[] {
  const client = useQueryClient();
  const [isReported, setReported] = useState(false);
  // live.ts invalidates it when somebody comes or goes.
  const { data } = useQuery({
    queryKey: ["presence", websiteId, articleId],
    queryFn: ({ signal }) => get<PresentPeople>(apiPath`/articles/${articleId}/presence`, { signal }),
    enabled: isReported,
    staleTime: Number.POSITIVE_INFINITY,
  });

  useEffect(() => {
    const path = apiPath`/articles/${articleId}/presence`;
    let isGone = false;
    let isThere = false;
    async function report(): Promise<void> {
      if (document.visibilityState === "hidden") return;
      isThere = true;
      // Whoever cannot report is shown as gone for a while.
      const answer = await put<PresentPeople>(path, { body: { activity }, waits: false }).catch(() => null);
      if (answer === null || isGone) return;
      client.setQueryData(["presence", websiteId, articleId], answer);
      setReported(true);
    }
    const leave = () => {
      if (isThere) void del(path, { query: { activity }, keepalive: true, waits: false }).catch(() => undefined);
    };
    const onVisible = () => void report();
    const first = setTimeout(onVisible, FIRST_REPORT_MS);
    const timer = setInterval(onVisible, REPORT_EVERY_MS);
    document.addEventListener("visibilitychange", onVisible);
    window.addEventListener("pagehide", leave);
    return () => {
      isGone = true;
      clearTimeout(first);
      clearInterval(timer);
      document.removeEventListener("visibilitychange", onVisible);
      window.removeEventListener("pagehide", leave);
      leave();
    };
  }, [client, websiteId, articleId, activity]);

  return data?.people ?? [];
}
