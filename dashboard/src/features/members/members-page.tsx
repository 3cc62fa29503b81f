import { Button, SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import IconUserPlus from "@tabler/icons-react/dist/esm/icons/IconUserPlus.mjs";
import { type ReactNode, useState } from "react";
import type { Invited } from "../../../../src/http/admin/contract/members.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { NoAccess } from "../../shared/no-access.tsx";
import { Page } from "../../shared/page.tsx";
import { useMay, useMayEverywhere, useSession, useWebsiteOrNull } from "../../shared/session.tsx";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import { useDialogInAddress } from "../../shared/use-dialog-in-address.ts";
import { InviteDialog } from "./invite-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { MemberTable } from "./member-table.tsx";
import { membersQuery } from "./requests.ts";

export function MembersPage(): ReactNode {
  const mayManage = useMay("members.manage");
  return mayManage ? <Members /> : <NoAccess title="Members" needs="owner" />;
}

function Members(): ReactNode {
  const { websites } = useSession();
  const website = useWebsiteOrNull();
  const mayEverywhere = useMayEverywhere("members.manage");
  const { scope } = useSearch({ strict: false });
  const navigate = useNavigate();
  const isAll = mayEverywhere && (scope === "all" || website === null);
  const members = useQuery(membersQuery(isAll ? null : (website?.id ?? null)));
  const [isInviting, inviting] = useDialogInAddress();
  const [invited, setInvited] = useState<Invited | null>(null);

  return (
    <Page
      title="Members"
      description={isAll ? "Everybody who can sign in here." : `Who can see and change ${website?.name ?? ""}.`}
      actions={
        <Button leftSection={<IconUserPlus size={17} />} onClick={inviting.open}>
          Invite
        </Button>
      }
    >
      {mayEverywhere && website !== null && websites.length > 1 && (
        <SegmentedControl
          w="fit-content"
          size="sm"
          aria-label="Which members"
          value={isAll ? "all" : "one"}
          onChange={(value) =>
            void navigate({ to: "/settings/members", search: value === "all" ? { scope: "all" } : {}, replace: true })
          }
          data={[
            { value: "one", label: "This website" },
            { value: "all", label: "All websites" },
          ]}
        />
      )}
      <ErrorNote error={members.error} onRetry={() => void members.refetch()} />
      {members.isPending && <RowsSkeleton rows={4} rowHeight={64} />}
      {members.data && <MemberTable members={members.data.members} onInvited={setInvited} />}
      <InviteDialog opened={isInviting} onClose={inviting.close} onInvited={setInvited} />
      <LinkDialog invited={invited} onClose={() => setInvited(null)} />
    </Page>
  );
}
