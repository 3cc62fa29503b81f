import { Anchor, Button } from "@mantine/core";
import IconKey from "@tabler/icons-react/dist/esm/icons/IconKey.mjs";
import IconPlus from "@tabler/icons-react/dist/esm/icons/IconPlus.mjs";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { NoAccess } from "../../shared/no-access.tsx";
import { Page } from "../../shared/page.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { useDialogInAddress } from "../../shared/use-dialog-in-address.ts";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import { ByState } from "./by-state.tsx";
import { CreateKey } from "./create-key.tsx";
import { KeyTable } from "./key-table.tsx";
import { keysQuery } from "./requests.ts";

export function ApiKeysPage(): ReactNode {
  return useWebsite().can("keys.manage") ? <ApiKeys /> : <NoAccess title="API keys" needs="owner" />;
}

function ApiKeys(): ReactNode {
  const website = useWebsite();
  const { data, error, refetch } = useQuery(keysQuery(website.id));
  const [isCreating, creating] = useDialogInAddress();
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={creating.open}>
      Create a key
    </Button>
  );
  const keys = data?.keys ?? [];
  return (
    <Page
      title="API keys"
      description={`Your site uses a key to read the articles of ${website.name}. Keys are for servers only: never put one into a web page or an app.`}
      actions={keys.length > 0 && create}
    >
      <ErrorNote error={error} title="The keys could not be loaded" onRetry={() => void refetch()} />
      {data === undefined && error === null && <RowsSkeleton rows={3} rowHeight={72} />}
      {data !== undefined && keys.length === 0 && (
        <EmptyState icon={<IconKey size={28} />} title="No API keys yet" actions={create}>
          Create one, then try it with the command shown. For everything else, see the{" "}
          <Anchor href="/docs" inherit underline="always">
            API's documentation
          </Anchor>
          .
        </EmptyState>
      )}
      {keys.length > 0 && <ByState keys={keys} Table={KeyTable} />}
      <CreateKey key={website.id} websiteId={website.id} isOpen={isCreating} onClose={creating.close} />
    </Page>
  );
}
