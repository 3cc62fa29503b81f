import { type ReactNode, useState } from "react";
import { SecretDialog } from "../../shared/secret-dialog.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

interface WebhookSecretDialogProps<Made extends { secret: string }> {
  isOpen: boolean;
  onClose: () => void;
  /** Titles before and after the secret is created. */
  titles: readonly [before: string, after: string];
  note?: (made: Made) => ReactNode;
  children: (onMade: (made: Made) => void) => ReactNode;
}

/** A dialog that asks for input, then shows a secret that cannot be shown again. */
export function WebhookSecretDialog<Made extends { secret: string }>(props: WebhookSecretDialogProps<Made>): ReactNode {
  const { isOpen, onClose, titles, note, children } = props;
  const [made, setMade] = useState<Made | null>(null);
  return (
    <SecretDialog
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={() => setMade(null)}
      title={titles[made === null ? 0 : 1]}
      size="lg"
      secret={made?.secret ?? null}
      lost={{
        title: "Close without the secret?",
        body: "You won’t see it again. If you lose it, rotate the secret to get another one.",
      }}
    >
      {(onTaken) =>
        made === null ? (
          children(setMade)
        ) : (
          <WebhookSecret secret={made.secret} note={note?.(made)} onCopied={onTaken} onStored={onClose} />
        )
      }
    </SecretDialog>
  );
}
