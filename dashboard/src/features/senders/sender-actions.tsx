import { ActionIcon, Button, Group, Menu } from "@mantine/core";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useRef, useState } from "react";
import type { Sender } from "../../../../src/http/admin/contract/senders.ts";
import { useConfirm } from "../../shared/confirm.tsx";
import { ButtonLink } from "../../shared/links.tsx";
import { toast } from "../../shared/toasts.ts";
import { EditDialog } from "./edit-dialog.tsx";
import { deleteSender } from "./requests.ts";
import { RotateDialog } from "./rotate-dialog.tsx";

export function SenderActions({ sender }: { sender: Sender }): ReactNode {
  const [open, setOpen] = useState<"edit" | "rotate" | null>(null);
  const remove = useDeletion(sender);
  const menu = useRef<HTMLButtonElement>(null);
  /** Focuses the menu's button, to which dialogs return the focus: the menu item is gone by then. */
  const choose = (act: () => void) => () => {
    menu.current?.focus();
    act();
  };
  return (
    <Group gap="xs">
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon ref={menu} variant="default" size={36} aria-label="More">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={choose(() => setOpen("rotate"))}>Rotate the secret</Menu.Item>
          <Menu.Divider />
          <Menu.Item color="var(--mantine-color-error)" onClick={choose(() => void remove())}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button variant="default" onClick={() => setOpen("edit")}>
        Edit
      </Button>
      {sender.kind.can_map && (
        <ButtonLink to="/settings/senders/$id/fields" params={{ id: sender.id }} variant="default">
          Map fields
        </ButtonLink>
      )}
      <EditDialog sender={sender} isOpen={open === "edit"} onClose={() => setOpen(null)} />
      <RotateDialog sender={sender} isOpen={open === "rotate"} onClose={() => setOpen(null)} />
    </Group>
  );
}

function useDeletion(sender: Sender): () => Promise<void> {
  const confirm = useConfirm();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { mutateAsync } = useMutation({ mutationFn: () => deleteSender(sender.id) });
  return async () => {
    const isDeleted = await confirm({
      title: `Delete the sender “${sender.name}”?`,
      body: "Its requests will be refused with 401. Its articles stay, and the history keeps its name. A deleted sender cannot be restored.",
      confirmLabel: "Delete",
      action: mutateAsync,
    });
    if (!isDeleted) return;
    await navigate({ to: "/settings/senders" });
    toast("The sender is deleted.");
    await client.invalidateQueries({ queryKey: ["senders", sender.website_id] });
  };
}
