import { Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { changeWebhook } from "./requests.ts";
import type { WebhookDialogProps } from "./webhook-dialog.ts";
import { WebhookForm } from "./webhook-form.tsx";

export function EditDialog({ webhook, isOpen, onClose }: WebhookDialogProps): ReactNode {
  const client = useQueryClient();
  return (
    <Modal opened={isOpen} onClose={onClose} title="Edit the webhook" size="lg">
      <WebhookForm
        websiteId={webhook.website_id}
        webhook={webhook}
        onCancel={onClose}
        onSubmit={async (settings) => {
          await changeWebhook(webhook.id, settings);
          await client.invalidateQueries({ queryKey: ["webhooks", webhook.website_id] });
          onClose();
        }}
      />
    </Modal>
  );
}
