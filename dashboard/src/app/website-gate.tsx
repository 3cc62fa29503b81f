import { Outlet } from "@tanstack/react-router";
import IconShieldLock from "@tabler/icons-react/dist/esm/icons/IconShieldLock.mjs";
import IconWorldPlus from "@tabler/icons-react/dist/esm/icons/IconWorldPlus.mjs";
import IconWorldQuestion from "@tabler/icons-react/dist/esm/icons/IconWorldQuestion.mjs";
import type { ReactNode } from "react";
import { EmptyState } from "../shared/empty-state.tsx";
import { ButtonLink } from "../shared/links.tsx";
import { Page } from "../shared/page.tsx";
import { useMayEverywhere, useSession, useWebsiteOrNull } from "../shared/session.tsx";

/** Shows a website's pages to users who have one. */
export function WebsiteGate(): ReactNode {
  const website = useWebsiteOrNull();
  const { websites } = useSession();
  if (website?.needsSecondFactor === true) return <NeedsSecondFactor name={website.name} />;
  // The key remounts the page for another website, so that no input or selection carries over.
  if (website !== null) return <Outlet key={website.id} />;
  return websites[0] === undefined ? <NoWebsite /> : <UnknownWebsite first={websites[0]} />;
}

/** The website stays closed until the session has passed a second factor. */
function NeedsSecondFactor({ name }: { name: string }): ReactNode {
  return (
    <Page title="One more step">
      <EmptyState
        icon={<IconShieldLock size={28} />}
        title={`${name} requires a second factor`}
        actions={<ButtonLink to="/settings/account">Set up a second factor</ButtonLink>}
      >
        Set up an authenticator app or add a passkey. If you have one already, sign out and sign in with it.
      </EmptyState>
    </Page>
  );
}

function NoWebsite(): ReactNode {
  const mayCreate = useMayEverywhere("website.manage");
  if (!mayCreate) {
    return (
      <Page title="No website yet">
        <EmptyState icon={<IconWorldPlus size={28} />} title="You are not a member of any website">
          Ask an owner to add you to one; then reload this page.
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page title="Welcome to Rostrum">
      <EmptyState
        icon={<IconWorldPlus size={28} />}
        title="Create your first website"
        actions={<ButtonLink to="/websites/new">Create a website</ButtonLink>}
      >
        Articles, API keys and webhooks belong to a website. Give it a name, and you can start.
      </EmptyState>
    </Page>
  );
}

function UnknownWebsite({ first }: { first: { id: string; name: string } }): ReactNode {
  return (
    <Page title="No access to this website">
      <EmptyState
        icon={<IconWorldQuestion size={28} />}
        title="This website does not exist, or you are not a member of it"
        actions={
          <ButtonLink to="/" search={{ website: first.id }}>
            Go to {first.name}
          </ButtonLink>
        }
      >
        If somebody sent you the link, ask an owner for access.
      </EmptyState>
    </Page>
  );
}
