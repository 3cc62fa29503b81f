import { Button, Table, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Invited, Member, MemberChange } from "../../../../src/http/admin/contract/members.ts";
import { apiPath, patch, post } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { useMayEverywhere, useSession } from "../../shared/session.tsx";
import { MemberState } from "../../shared/status-badge.tsx";
import { Time } from "../../shared/time.tsx";
import { MemberMenu } from "./member-menu.tsx";
import classes from "./member-table.module.css";
import { MEMBERS_KEY } from "./requests.ts";
import { RoleSelect } from "./role-select.tsx";

interface MemberRowProps {
  member: Member;
  onInvited: (invited: Invited) => void;
}

export function MemberRow({ member, onInvited }: MemberRowProps): ReactNode {
  const { account, websites } = useSession();
  const mayChange = useMayChange(member);
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: MEMBERS_KEY });
  const change = useMutation({
    mutationFn: (body: MemberChange) => patch<Member>(apiPath`/members/${member.id}`, { body }),
    onSuccess: refresh,
  });
  const inviteAgain = useMutation({
    mutationFn: () => post<Invited>(apiPath`/members/${member.id}/invitation`),
    onSuccess: onInvited,
  });
  const error = change.error ?? inviteAgain.error;
  const isSelf = member.account_id === account.id;
  const where =
    member.website_id === null
      ? "Every website"
      : (websites.find(({ id }) => id === member.website_id)?.name ?? "Another website");

  return (
    <>
      <Table.Tr>
        <Table.Td>
          <div className={classes.person}>
            <span className={classes.name}>
              {member.name === "" ? member.email : member.name}
              {isSelf && (
                <Text span size="xs" c="dimmed">
                  (you)
                </Text>
              )}
            </span>
            <span className={classes.email}>
              {member.name !== "" && <span>{member.email}</span>}
              <span className={classes.compact}>
                {member.name !== "" && " · "}
                {where} · last sign-in <Time at={member.last_sign_in_at} bare />
              </span>
              {member.totp && " · with authenticator"}
            </span>
          </div>
        </Table.Td>
        <Table.Td className={classes.role}>
          <RoleSelect
            member={member}
            isSelf={isSelf}
            disabled={!mayChange || change.isPending}
            onChange={(role) => change.mutateAsync({ role })}
          />
        </Table.Td>
        <Table.Td className={classes.minor}>{where}</Table.Td>
        <Table.Td className={classes.state}>
          <MemberState state={member.state} />
        </Table.Td>
        <Table.Td className={classes.minor}>
          <Time at={member.last_sign_in_at} bare />
        </Table.Td>
        <Table.Td className={classes.actions}>
          <div className={classes.end}>
            {mayChange && member.state === "invited" && (
              <Button
                size="xs"
                variant="default"
                loading={inviteAgain.isPending}
                onClick={() => inviteAgain.mutate()}
                aria-label={`New link for ${member.email}`}
              >
                New link
              </Button>
            )}
            {mayChange && (
              <MemberMenu
                member={member}
                isSelf={isSelf}
                onEnable={() => change.mutate({ disabled: false })}
                onChanged={refresh}
              />
            )}
          </div>
        </Table.Td>
      </Table.Tr>
      {error && (
        <Table.Tr>
          <Table.Td colSpan={6} className={classes.problem}>
            <ErrorNote error={error} title={`${member.email} was not changed`} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

/** An owner of one website cannot change members of all websites. */
function useMayChange({ website_id }: Member): boolean {
  const { websites } = useSession();
  const mayEverywhere = useMayEverywhere("members.manage");
  const website = websites.find(({ id }) => id === website_id);
  return mayEverywhere || website?.permissions.includes("members.manage") === true;
}
