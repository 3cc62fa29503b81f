import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import IconPlus from "@tabler/icons-react/dist/esm/icons/IconPlus.mjs";
import IconRobot from "@tabler/icons-react/dist/esm/icons/IconRobot.mjs";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { NoAccess } from "../../shared/no-access.tsx";
import { Page } from "../../shared/page.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import { ByState } from "./by-state.tsx";
import { CreateToken } from "./create-token.tsx";
import { tokensQuery } from "./requests.ts";
import { TokenTable } from "./token-table.tsx";

export function AccessTokensPage(): ReactNode {
  return useWebsite().can("keys.manage") ? <AccessTokens /> : <NoAccess title="Access tokens" needs="owner" />;
}

function AccessTokens(): ReactNode {
  const website = useWebsite();
  const { data, error, refetch } = useQuery(tokensQuery(website.id));
  const [isCreating, creating] = useDisclosure(false);
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={creating.open}>
      Create a token
    </Button>
  );
  const tokens = data?.tokens ?? [];
  return (
    <Page
      title="Access tokens"
      description={`Generators, scripts and agents use a token to write articles for ${website.name}. Writing an article does not approve it.`}
      actions={tokens.length > 0 && create}
    >
      <ErrorNote error={error} title="The access tokens could not be loaded" onRetry={() => void refetch()} />
      {data === undefined && error === null && <RowsSkeleton rows={3} rowHeight={72} />}
      {data !== undefined && tokens.length === 0 && (
        <EmptyState icon={<IconRobot size={28} />} title="No access tokens yet" actions={create}>
          Create one for each program, so that the history names it and you can revoke it on its own.
        </EmptyState>
      )}
      {tokens.length > 0 && <ByState keys={tokens} Table={TokenTable} />}
      <CreateToken key={website.id} websiteId={website.id} isOpen={isCreating} onClose={creating.close} />
    </Page>
  );
}
