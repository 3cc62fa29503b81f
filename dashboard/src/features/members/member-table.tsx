import { Table, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import type { Invited, Member } from "../../../../src/http/admin/contract/members.ts";
import { MemberRow } from "./member-row.tsx";
import classes from "./member-table.module.css";

interface MemberTableProps {
  members: readonly Member[];
  onInvited: (invited: Invited) => void;
}

export function MemberTable({ members, onInvited }: MemberTableProps): ReactNode {
  return (
    <Table className={classes.table} verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Person</Table.Th>
          <Table.Th className={classes.role}>Role</Table.Th>
          <Table.Th className={classes.minor}>Access</Table.Th>
          <Table.Th className={classes.state}>State</Table.Th>
          <Table.Th className={classes.minor}>Last sign-in</Table.Th>
          <Table.Th className={classes.actions}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {inOrder(members).map((member) => (
          <MemberRow key={member.id} member={member} onInvited={onInvited} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Sorts by name, open invitations last. */
function inOrder(members: readonly Member[]): Member[] {
  return members.toSorted(
    (a, b) =>
      isInvited(a) - isInvited(b) || (a.name || a.email).localeCompare(b.name || b.email) || a.id.localeCompare(b.id),
  );
}

function isInvited({ state }: Member): number {
  return Number(state === "invited");
}
