import type { Webhook } from "../../../../src/http/admin/contract/webhooks.ts";

/** Props shared by the dialogs of a webhook's page. */
export interface WebhookDialogProps {
  webhook: Webhook;
  isOpen: boolean;
  onClose: () => void;
}
