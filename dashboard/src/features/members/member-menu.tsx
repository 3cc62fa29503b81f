import { ActionIcon, Menu } from "@mantine/core";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import IconLock from "@tabler/icons-react/dist/esm/icons/IconLock.mjs";
import IconLockOpen from "@tabler/icons-react/dist/esm/icons/IconLockOpen.mjs";
import IconUserMinus from "@tabler/icons-react/dist/esm/icons/IconUserMinus.mjs";
import type { ReactNode } from "react";
import type { Member } from "../../../../src/http/admin/contract/members.ts";
import { apiPath, del, patch } from "../../api/client.ts";
import { useConfirm } from "../../shared/confirm.tsx";
import { useMayEverywhere } from "../../shared/session.tsx";

interface MemberMenuProps {
  member: Member;
  isSelf: boolean;
  onEnable: () => void;
  onChanged: () => Promise<unknown>;
}

export function MemberMenu({ member, isSelf, onEnable, onChanged }: MemberMenuProps): ReactNode {
  const confirm = useConfirm();
  // The account is shared by all websites, so only an owner of all of them may disable it.
  const mayDisable = useMayEverywhere("members.manage") && !isSelf;

  function disable(): void {
    void confirm({
      title: `Disable ${member.email}?`,
      body: "They are signed out everywhere at once, and cannot sign in until you enable them again.",
      confirmLabel: "Disable",
      action: async () => {
        await patch(apiPath`/members/${member.id}`, { body: { disabled: true } });
        await onChanged();
      },
    });
  }

  function remove(): void {
    void confirm({
      title: isSelf ? "Remove yourself?" : `Remove ${member.email}?`,
      body: isSelf ? removedSelf(member) : removedOther(member),
      confirmLabel: "Remove",
      action: async () => {
        await del(apiPath`/members/${member.id}`);
        await onChanged();
      },
    });
  }

  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`More about ${member.email}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {mayDisable && member.state === "disabled" && (
          <Menu.Item leftSection={<IconLockOpen size={16} />} onClick={onEnable}>
            Enable
          </Menu.Item>
        )}
        {mayDisable && member.state !== "disabled" && (
          <Menu.Item leftSection={<IconLock size={16} />} onClick={disable}>
            Disable
          </Menu.Item>
        )}
        <Menu.Item color="var(--mantine-color-error)" leftSection={<IconUserMinus size={16} />} onClick={remove}>
          Remove
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function removedSelf({ website_id }: Member): string {
  return website_id === null
    ? "You keep only the websites that you were also added to one by one. If there are none, your account is removed, too."
    : "You lose access to this website. If it is your only one, your account is removed, too.";
}

function removedOther({ website_id }: Member): string {
  return website_id === null
    ? "They keep only the websites that they were also added to one by one. If there are none, their account is removed, too."
    : "They lose access to this website. If it is their only one, their account is removed, too.";
}
