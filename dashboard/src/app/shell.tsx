/** The layout around every page of a signed-in user. */
import { Burger, Drawer } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouter, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import type { WhoAmI } from "../../../src/http/admin/contract/session.ts";
import { useLive } from "../api/live.ts";
import { useServiceAway } from "../api/service-away.ts";
import { LEFT, SERVICE_BACK, SIGNED_OUT } from "../api/service-events.ts";
import { SESSION_KEY, sessionQuery } from "../api/session.ts";
import { lazyComponent, LazyPart } from "../shared/lazy-part.tsx";
import { SessionProvider } from "../shared/session.tsx";
import { chooseWebsite, rememberWebsite } from "./current-website.ts";
import { useFocusOnNavigation } from "./focus.ts";
import { GlobalShortcuts } from "./global-shortcuts.tsx";
import { InboxLink } from "./inbox-link.tsx";
import { LiveHint } from "./live-hint.tsx";
import { Mark } from "./mark.tsx";
import { NavigationLinks } from "./navigation-links.tsx";
import classes from "./shell.module.css";
import { PaletteButton, usePalette } from "./palette-button.tsx";
import { ServiceBanner } from "./service-banner.tsx";
import { UserMenu } from "./user-menu.tsx";
import { WebsiteSwitcher } from "./website-switcher.tsx";

export function Shell(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  const [known, setKnown] = useState(session ?? null);
  if (session != null && session !== known) setKnown(session);
  const [isLeaving, setLeaving] = useState(false);
  const goToSignIn = useGoToSignIn();
  useSessionCheck();
  if (known === null || isLeaving) return null;
  const leave = () => {
    setLeaving(true);
    goToSignIn();
  };
  return <Frame session={known} hasEnded={session === null} onLeave={leave} />;
}

interface FrameProps {
  session: WhoAmI;
  /** Signed out elsewhere, or expired: the page stays, and asks to sign in again. */
  hasEnded: boolean;
  onLeave: () => void;
}

function Frame({ session, hasEnded, onLeave }: FrameProps): ReactNode {
  const { website: named } = useSearch({ strict: false });
  const websiteId = chooseWebsite(session, named);
  const isGated = session.websites.some((one) => one.id === websiteId && one.needs_second_factor);
  const isAway = useLive(isGated || hasEnded ? null : websiteId);
  const service = useServiceAway();
  const [isOpen, { open, close }] = useDisclosure(false);
  const palette = usePalette();
  const router = useRouter();
  useFocusOnNavigation();
  useEffect(() => {
    if (websiteId !== null) rememberWebsite(websiteId);
  }, [websiteId]);
  useEffect(() => router.subscribe("onBeforeNavigate", close), [router, close]);

  const navigation = (
    <>
      <WebsiteSwitcher />
      <PaletteButton
        onClick={() => {
          close();
          palette.open();
        }}
      />
      <NavigationLinks />
      <div className={classes.foot}>
        <LiveHint isAway={isAway && !service.isAway} />
        <UserMenu onSignedOut={onLeave} />
      </div>
    </>
  );

  return (
    <SessionProvider session={session} websiteId={websiteId}>
      <a className={classes.skip} href="#main">
        Skip to the content
      </a>
      <GlobalShortcuts onSearch={palette.open} />
      {palette.part}
      {hasEnded && (
        <LazyPart fallback={null}>
          <SignInAgain account={session.account} onLeave={onLeave} />
        </LazyPart>
      )}
      <div className={classes.frame}>
        <nav className={classes.bar} aria-label="Top">
          <Burger size="sm" opened={isOpen} onClick={open} aria-label="Open the navigation" />
          <Mark />
          <InboxLink isShort />
        </nav>
        <aside className={classes.side}>
          <div className={classes.sticky}>
            <Mark />
            {navigation}
          </div>
        </aside>
        <Drawer opened={isOpen} onClose={close} title={<Mark />} size={300} classNames={{ body: classes.drawer }}>
          {navigation}
        </Drawer>
        <main id="main" className={classes.main} tabIndex={-1}>
          <ServiceBanner {...service} />
          <Outlet />
        </main>
      </div>
    </SessionProvider>
  );
}

/** @returns a function that goes to the sign-in page; signing in returns here. */
function useGoToSignIn(): () => void {
  const client = useQueryClient();
  const router = useRouter();
  return () => {
    client.setQueryData(SESSION_KEY, null);
    window.dispatchEvent(new Event(LEFT));
    // The next user to sign in must not see this data.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
    void router.navigate({ to: "/sign-in", search: { to: router.state.location.href }, replace: true });
  };
}

/** Asks whether the session has ended once any request was refused for that. */
function useSessionCheck(): void {
  const client = useQueryClient();
  useEffect(() => {
    const isSignedIn = () => client.getQueryData(SESSION_KEY) != null;
    const check = async () => {
      await client.invalidateQueries({ queryKey: SESSION_KEY });
      // Signed in again in another tab, meanwhile.
      if (isSignedIn()) window.dispatchEvent(new Event(SERVICE_BACK));
    };
    const onSignedOut = (event: Event) => {
      event.preventDefault();
      if (isSignedIn()) void check();
    };
    window.addEventListener(SIGNED_OUT, onSignedOut);
    return () => window.removeEventListener(SIGNED_OUT, onSignedOut);
  }, [client]);
}

const SignInAgain = lazyComponent(() => import("../features/session/sign-in-again.tsx"), "SignInAgain");
