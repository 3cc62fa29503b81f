import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import IconPlugConnected from "@tabler/icons-react/dist/esm/icons/IconPlugConnected.mjs";
import IconPlus from "@tabler/icons-react/dist/esm/icons/IconPlus.mjs";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Sender } from "../../../../src/http/admin/contract/senders.ts";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import classes from "../../shared/linked-rows.module.css";
import { NoAccess } from "../../shared/no-access.tsx";
import { Page } from "../../shared/page.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import { ConnectDialog } from "./connect-dialog.tsx";
import { sendersQuery } from "./requests.ts";
import { HealthLine, SenderState } from "./sender-state.tsx";

export function SendersPage(): ReactNode {
  return useWebsite().can("keys.manage") ? <Senders /> : <NoAccess title="Senders" needs="owner" />;
}

function Senders(): ReactNode {
  const website = useWebsite();
  const { data, error, refetch } = useQuery(sendersQuery(website.id));
  const [isConnecting, connecting] = useDisclosure(false);
  const connect = (
    <Button leftSection={<IconPlus size={16} />} onClick={connecting.open}>
      Connect a sender
    </Button>
  );
  const senders = data?.senders ?? [];
  return (
    <Page
      title="Senders"
      description={`Writing tools send articles to an address here, each in its own format. New articles wait under To review until a person publishes them.`}
      actions={senders.length > 0 && connect}
    >
      <ErrorNote error={error} title="The senders could not be loaded" onRetry={() => void refetch()} />
      {data === undefined && error === null && <RowsSkeleton rows={3} rowHeight={72} />}
      {data !== undefined && senders.length === 0 && (
        <EmptyState icon={<IconPlugConnected size={28} />} title="No senders yet" actions={connect}>
          Choose the tool you write with, then paste an address and a secret into its settings. It takes a minute.
        </EmptyState>
      )}
      {senders.length > 0 && (
        <ul className={classes.list}>
          {senders.map((sender) => (
            <Row key={sender.id} sender={sender} />
          ))}
        </ul>
      )}
      <ConnectDialog key={website.id} websiteId={website.id} isOpen={isConnecting} onClose={connecting.close} />
    </Page>
  );
}

function Row({ sender }: { sender: Sender }): ReactNode {
  return (
    <li className={classes.row}>
      <div className={classes.main}>
        <div className={classes.heading}>
          <Link to="/settings/senders/$id" params={{ id: sender.id }} className={classes.name}>
            {sender.name}
          </Link>
          <SenderState sender={sender} />
        </div>
        <div className={classes.about}>
          {[
            ...(sender.kind.name === sender.name ? [] : [sender.kind.name]),
            ...(sender.mapping === null ? [] : ["fields mapped here"]),
          ].join(" · ")}
        </div>
      </div>
      <div className={classes.aside}>
        <span>
          <HealthLine sender={sender} />
        </span>
      </div>
    </li>
  );
}
