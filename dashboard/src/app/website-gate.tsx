import { Outlet } from "@tanstack/react-router";
import IconWorldPlus from "@tabler/icons-react/dist/esm/icons/IconWorldPlus.mjs";
import IconWorldQuestion from "@tabler/icons-react/dist/esm/icons/IconWorldQuestion.mjs";
import type { ReactNode } from "react";
import { EmptyState } from "../shared/empty-state.tsx";
import { ButtonLink } from "../shared/links.tsx";
import { Page } from "../shared/page.tsx";
import { useMayEverywhere, useSession, useWebsiteOrNull } from "../shared/session.tsx";

/** Pages of a website, for whoever has one. */
export function WebsiteGate(): ReactNode {
  const website = useWebsiteOrNull();
  const { websites } = useSession();
  // Another website is another page: nothing of what was typed or chosen on the one is left on the other.
  if (website !== null) return <Outlet key={website.id} />;
  return websites[0] === undefined ? <NoWebsite /> : <UnknownWebsite first={websites[0]} />;
}

function NoWebsite(): ReactNode {
  const mayCreate = useMayEverywhere("website.manage");
  if (!mayCreate) {
    return (
      <Page title="No website yet">
        <EmptyState icon={<IconWorldPlus size={28} />} title="You are not a member of any website">
          Ask an owner to add you to one; then load this page again.
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
    <Page title="This website is not one of yours">
      <EmptyState
        icon={<IconWorldQuestion size={28} />}
        title="There is no such website, or you are not a member of it"
        actions={
          <ButtonLink to="/" search={{ website: first.id }}>
            Go to {first.name}
          </ButtonLink>
        }
      >
        Ask an owner for access if you followed a link that somebody gave you.
      </EmptyState>
    </Page>
  );
}
