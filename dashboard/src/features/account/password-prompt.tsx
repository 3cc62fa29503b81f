import { Modal } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { ApiError, post } from "../../api/client.ts";
import { ProofForm } from "./proof-form.tsx";

interface PasswordPrompt {
  /** Runs the action; if the service requires the password again, asks for it and retries. */
  run: (action: () => Promise<void>) => Promise<void>;
  dialog: ReactNode;
}

/** For actions that the service rejects when the last password check is too long ago. */
export function usePasswordPrompt(): PasswordPrompt {
  const [pending, setPending] = useState<{ action: () => Promise<void> } | null>(null);

  async function run(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!wantsPassword(error)) throw error;
      setPending({ action });
    }
  }

  async function prove(current_password: string): Promise<void> {
    await post("/session/confirm", { body: { current_password } });
    await pending?.action();
    setPending(null);
  }

  const dialog = (
    <Modal opened={pending !== null} onClose={() => setPending(null)} title="Confirm that it is you">
      <ProofForm submitLabel="Continue" onCancel={() => setPending(null)} onProve={prove}>
        It has been a while since you last entered your password.
      </ProofForm>
    </Modal>
  );
  return { run, dialog };
}

function wantsPassword(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403 && error.param === "current_password";
}
