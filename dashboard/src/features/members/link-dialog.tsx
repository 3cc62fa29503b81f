import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Invited } from "../../../../src/http/admin/contract/members.ts";
import { CodeBlock } from "../../shared/code-block.tsx";

interface LinkDialogProps {
  invited: Invited | null;
  onClose: () => void;
}

/** The link of an invitation; it is told this once. */
export function LinkDialog({ invited, onClose }: LinkDialogProps): ReactNode {
  // It stays while the dialog fades.
  const [last, setLast] = useState(invited);
  if (invited !== null && invited !== last) setLast(invited);
  if (last === null) return null;
  const { member, link, mailed } = last;
  const who = member.name === "" ? member.email : member.name;
  return (
    <Modal
      opened={invited !== null}
      onClose={onClose}
      title={link === null ? `${who} is a member now` : `Invitation for ${who}`}
      closeOnClickOutside={link === null}
    >
      <Stack gap="md">
        {link === null ? (
          <Text size="sm">
            {member.email} has an account here already, and signs in as before. No invitation is needed.
          </Text>
        ) : (
          <>
            <Text size="sm">
              {mailed
                ? `This link is on its way to ${member.email}; pass it on yourself if the mail does not arrive.`
                : `Send this link to ${member.email}, by whatever way you trust.`}
              {" It works once, for 7 days, and is shown only now. Whoever opens it first chooses the password."}
            </Text>
            <CodeBlock code={link} label="the invitation link" wrap />
          </>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
