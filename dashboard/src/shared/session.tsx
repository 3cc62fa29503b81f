/** Who is signed in, on which website, and what they may do there. The service enforces all of it by itself. */
import { createContext, type ReactNode, useContext, useMemo } from "react";
import type { WhoAmI } from "../../../src/http/admin/contract/session.ts";

/** Such as `articles.publish`. */
export type Action = WhoAmI["everywhere"]["permissions"][number];
export type Role = WhoAmI["websites"][number]["role"];

export interface CurrentWebsite {
  id: string;
  name: string;
  role: Role;
  /** Nothing of it is possible before this session has shown a second factor. */
  needsSecondFactor: boolean;
  can: (action: Action) => boolean;
}

interface Known {
  session: WhoAmI;
  /** null: there is none. */
  website: CurrentWebsite | null;
}

const SessionContext = createContext<Known | null>(null);

/** `websiteId`: the one that was chosen; null: none. */
export function SessionProvider(props: { session: WhoAmI; websiteId: string | null; children: ReactNode }): ReactNode {
  const { session, websiteId, children } = props;
  const known = useMemo<Known>(() => {
    const found = session.websites.find(({ id }) => id === websiteId);
    if (found === undefined) return { session, website: null };
    const { id, name, role, permissions, needs_second_factor: needsSecondFactor } = found;
    return { session, website: { id, name, role, needsSecondFactor, can: (action) => permissions.includes(action) } };
  }, [session, websiteId]);
  return <SessionContext value={known}>{children}</SessionContext>;
}

/** Only below the shell: there somebody is signed in. */
export function useSession(): WhoAmI {
  return useKnown().session;
}

/** The current website. Only on pages that the router gives to people who have one. */
export function useWebsite(): CurrentWebsite {
  const { website } = useKnown();
  if (website === null) throw new Error("a page that needs a website was shown without one");
  return website;
}

/** The same for pages that are there without a website, too. */
export function useWebsiteOrNull(): CurrentWebsite | null {
  return useKnown().website;
}

/** Whether the person may do that on the current website. */
export function useMay(action: Action): boolean {
  const { website, session } = useKnown();
  return website === null ? session.everywhere.permissions.includes(action) : website.can(action);
}

/** Whether the person may do that on every website, those of the future too. */
export function useMayEverywhere(action: Action): boolean {
  return useKnown().session.everywhere.permissions.includes(action);
}

function useKnown(): Known {
  const known = useContext(SessionContext);
  if (known === null) throw new Error("a page for people who are signed in was shown without a session");
  return known;
}
