import type { Webhook } from "../../../../src/http/admin/contract/webhooks.ts";

/** What the dialogs of a webhook's page have in common. */
export interface WebhookDialogProps {
  webhook: Webhook;
  isOpen: boolean;
  onClose: () => void;
}
