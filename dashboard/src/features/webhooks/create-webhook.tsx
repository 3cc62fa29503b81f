import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { WebhookMade } from "../../../../src/http/admin/contract/webhooks.ts";
import { WebhookSecretDialog } from "./webhook-secret-dialog.tsx";
import { createWebhook } from "./requests.ts";
import { WebhookForm } from "./webhook-form.tsx";

interface CreateWebhookProps {
  websiteId: string;
  isOpen: boolean;
  onClose: () => void;
}

export function CreateWebhook({ websiteId, isOpen, onClose }: CreateWebhookProps): ReactNode {
  const client = useQueryClient();
  return (
    <WebhookSecretDialog<WebhookMade>
      isOpen={isOpen}
      onClose={onClose}
      titles={["Create a webhook", "Webhook created"]}
    >
      {(onMade) => (
        <WebhookForm
          websiteId={websiteId}
          webhook={null}
          onCancel={onClose}
          onSubmit={async (settings) => {
            onMade(await createWebhook({ website_id: websiteId, ...settings }));
            await client.invalidateQueries({ queryKey: ["webhooks", websiteId] });
          }}
        />
      )}
    </WebhookSecretDialog>
  );
}
