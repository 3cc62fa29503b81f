/** The signed-in user, the current website, and the user's permissions. The service enforces all of them itself. */
import { createContext, type ReactNode, useContext, useMemo } from "react";
import type { WhoAmI } from "../../../src/http/admin/contract/session.ts";

/** A permission, such as `articles.publish`. */
export type Action = WhoAmI["everywhere"]["permissions"][number];
export type Role = WhoAmI["websites"][number]["role"];

export interface CurrentWebsite {
  id: string;
  name: string;
  role: Role;
  /** IANA name: the zone in which its people plan. */
  timeZone: string;
  /** The website is closed until this session has passed a second factor. */
  needsSecondFactor: boolean;
  can: (action: Action) => boolean;
}

interface Known {
  session: WhoAmI;
  /** null: there is none. */
  website: CurrentWebsite | null;
}

const SessionContext = createContext<Known | null>(null);

/** `websiteId`: the selected one; null: none. */
export function SessionProvider(props: { session: WhoAmI; websiteId: string | null; children: ReactNode }): ReactNode {
  const { session, websiteId, children } = props;
  const known = useMemo<Known>(() => {
    const found = session.websites.find(({ id }) => id === websiteId);
    if (found === undefined) return { session, website: null };
    const { id, name, role, permissions, time_zone: timeZone, needs_second_factor: needsSecondFactor } = found;
    const can = (action: Action) => permissions.includes(action);
    return { session, website: { id, name, role, timeZone, needsSecondFactor, can } };
  }, [session, websiteId]);
  return <SessionContext value={known}>{children}</SessionContext>;
}

/** Only inside the shell, where a user is signed in. */
export function useSession(): WhoAmI {
  return useKnown().session;
}

/** The current website. Only on pages inside the website gate. */
export function useWebsite(): CurrentWebsite {
  const { website } = useKnown();
  if (website === null) throw new Error("a page that needs a website was shown without one");
  return website;
}

/** The same for pages that exist without a website, too. */
export function useWebsiteOrNull(): CurrentWebsite | null {
  return useKnown().website;
}

/** The current website's time zone; null: there is none, or nobody is signed in. */
export function useTimeZone(): string | null {
  return useContext(SessionContext)?.website?.timeZone ?? null;
}

/** Whether the user has the permission on the current website. */
export function useMay(action: Action): boolean {
  const { website, session } = useKnown();
  return website === null ? session.everywhere.permissions.includes(action) : website.can(action);
}

/** Whether the user has the permission on every website, future ones included. */
export function useMayEverywhere(action: Action): boolean {
  return useKnown().session.everywhere.permissions.includes(action);
}

function useKnown(): Known {
  const known = useContext(SessionContext);
  if (known === null) throw new Error("a page for people who are signed in was shown without a session");
  return known;
}
