import { ActionIcon, Button, Group, Menu } from "@mantine/core";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import type { Webhook } from "../../../../src/http/admin/contract/webhooks.ts";
import { useConfirm } from "../../shared/confirm.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { EnableDialog } from "./enable-dialog.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { pauseWebhook } from "./requests.ts";
import { RotateDialog } from "./rotate-dialog.tsx";

const DIALOGS = {
  edit: EditDialog,
  enable: EnableDialog,
  rotate: RotateDialog,
  replay: ReplayDialog,
  delete: DeleteDialog,
};
type DialogName = keyof typeof DIALOGS;

export function WebhookActions({ webhook }: { webhook: Webhook }): ReactNode {
  const [open, setOpen] = useState<DialogName | null>(null);
  const pause = usePause(webhook);
  const isEnabled = webhook.state === "enabled";
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
          {isEnabled && <Menu.Item onClick={choose(() => setOpen("replay"))}>Replay events</Menu.Item>}
          {isEnabled && <Menu.Item onClick={choose(() => void pause())}>Pause</Menu.Item>}
          <Menu.Divider />
          <Menu.Item color="var(--mantine-color-error)" onClick={choose(() => setOpen("delete"))}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button variant="default" onClick={() => setOpen("edit")}>
        Edit
      </Button>
      {!isEnabled && <Button onClick={() => setOpen("enable")}>Enable</Button>}
      {Object.entries(DIALOGS).map(([name, Dialog]) => (
        <Dialog key={name} webhook={webhook} isOpen={open === name} onClose={() => setOpen(null)} />
      ))}
    </Group>
  );
}

function usePause(webhook: Webhook): () => Promise<void> {
  const confirm = useConfirm();
  const client = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationFn: () => pauseWebhook(webhook.id),
    onSuccess: () => client.invalidateQueries({ queryKey: ["webhooks", webhook.website_id] }),
  });
  return async () => {
    await confirm({
      title: "Pause this webhook?",
      body: "It receives nothing until it is enabled again. Its events are kept, and can be sent then.",
      confirmLabel: "Pause",
      danger: false,
      action: mutateAsync,
    });
  };
}
