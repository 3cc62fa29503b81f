/** A dialog for a secret that is shown once. Until it is copied or saved, closing the dialog needs a confirmation. */
import { Modal, type ModalProps } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useConfirm } from "./confirm.tsx";

interface SecretDialogProps extends Pick<ModalProps, "title" | "size" | "onExitTransitionEnd"> {
  opened: boolean;
  onClose: () => void;
  /** The secret on display, which cannot be shown again; null: none, so the dialog closes like any other. */
  secret: string | null;
  /** The question before the secret is lost: “Close without the key?”, and how to get another one. */
  lost: { title: string; body: string };
  /** Call `onTaken` when the secret was copied or saved in another way. */
  children: (onTaken: () => void) => ReactNode;
}

export function SecretDialog({ opened, onClose, secret, lost, children, ...modal }: SecretDialogProps): ReactNode {
  const confirm = useConfirm();
  const [taken, setTaken] = useState<string | null>(null);

  async function close(): Promise<void> {
    if (secret === null || secret === taken || (await confirm({ ...lost, confirmLabel: "Close" }))) onClose();
  }

  return (
    <Modal {...modal} opened={opened} onClose={() => void close()} closeOnClickOutside={secret === null}>
      {children(() => setTaken(secret))}
    </Modal>
  );
}
