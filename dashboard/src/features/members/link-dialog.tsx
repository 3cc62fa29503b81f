import { Button, Group, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Invited, Member } from "../../../../src/http/admin/contract/members.ts";
import { CodeBlock } from "../../shared/code-block.tsx";
import { SecretDialog } from "../../shared/secret-dialog.tsx";

interface LinkDialogProps {
  invited: Invited | null;
  onClose: () => void;
}

/** Shows the link of an invitation, only once. */
export function LinkDialog({ invited, onClose }: LinkDialogProps): ReactNode {
  // Keep the content during the closing transition.
  const [last, setLast] = useState(invited);
  if (invited !== null && invited !== last) setLast(invited);
  if (last === null) return null;
  const { member, link, mailed } = last;
  const isMember = link === null && member.state !== "invited";
  const who = member.name === "" ? member.email : member.name;
  return (
    <SecretDialog
      opened={invited !== null}
      onClose={onClose}
      title={isMember ? `${who} is a member now` : `Invitation for ${who}`}
      secret={link}
      lost={{
        title: "Close without the link?",
        body: "It cannot be shown again. If it is lost, make a new link in the list of members.",
      }}
    >
      {(onTaken) => (
        <Stack gap="md">
          {link === null ? (
            <Text size="sm">{isMember ? explainAddedMember(member) : explainHiddenLink(member, mailed)}</Text>
          ) : (
            <>
              <Text size="sm">
                {mailed
                  ? `This link was e-mailed to ${member.email}. If it does not arrive, pass it on yourself.`
                  : `Send this link to ${member.email} in a way you trust.`}
                {
                  " It works once, within 7 days, and is shown only now. The first person to open it chooses the password."
                }
              </Text>
              <CodeBlock code={link} label="the invitation link" wrap onCopied={onTaken} />
            </>
          )}
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      )}
    </SecretDialog>
  );
}

function explainAddedMember({ email }: Member): string {
  return `${email} has an account here already, and signs in as before. No invitation is needed.`;
}

/** For an account that belongs to websites that the inviter does not own. */
function explainHiddenLink({ email }: Member, isMailed: boolean): string {
  const why = `${email} also belongs to websites that you do not own, so the invitation is not shown to you.`;
  return isMailed
    ? `${why} They were e-mailed a one-time link that is valid for 7 days. They become a member when they accept.`
    : `${why} Ask somebody who owns every website to create the link (Members › New link). Until then, the membership is pending.`;
}
