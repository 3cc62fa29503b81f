/** Asks for confirmation before an action that cannot be undone. */
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { ErrorNote } from "./error-note.tsx";
import { catchLostFocus } from "./lost-focus.ts";

export interface Confirmation {
  /** A question: “Revoke the key Shop?” */
  title: string;
  /** The consequences. */
  body: ReactNode;
  /** The verb: “Revoke”. */
  confirmLabel: string;
  /** Red, with the focus on Cancel; for destructive actions. Default: true. */
  danger?: boolean | undefined;
  /** Runs while the dialog stays open: if it fails, the dialog shows the error and the user can retry. */
  action?: (() => Promise<unknown>) | undefined;
}

export type Confirm = (confirmation: Confirmation) => Promise<boolean>;

/** @returns a function that asks; it resolves to true once confirmed and `action` is done. */
export function useConfirm(): Confirm {
  return useContext(ConfirmContext);
}

interface Asked extends Confirmation {
  answer: (isConfirmed: boolean) => void;
}

export function ConfirmProvider({ children }: { children: ReactNode }): ReactNode {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const confirm = useCallback<Confirm>((confirmation) => {
    setError(null);
    setOpen(true);
    return new Promise((answer) => setAsked({ ...confirmation, answer }));
  }, []);

  function close(isConfirmed: boolean): void {
    asked?.answer(isConfirmed);
    setOpen(false);
  }

  async function run(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await asked?.action?.();
      close(true);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  }

  const isDangerous = asked?.danger !== false;
  return (
    <ConfirmContext value={confirm}>
      {children}
      <Modal
        opened={isOpen}
        onClose={() => !isBusy && close(false)}
        onExitTransitionEnd={() => {
          setAsked(null);
          catchLostFocus();
        }}
        title={asked?.title}
        size="md"
        // Other dialogs open it, too, and it must be above them.
        zIndex={250}
      >
        <Stack gap="lg">
          <Text component="div" size="sm">
            {asked?.body}
          </Text>
          <ErrorNote error={error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => close(false)} disabled={isBusy} {...focusIf(isDangerous)}>
              Cancel
            </Button>
            <Button
              color={isDangerous ? "red" : "pine"}
              onClick={() => void run()}
              loading={isBusy}
              {...focusIf(!isDangerous)}
            >
              {asked?.confirmLabel}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </ConfirmContext>
  );
}

/** For Mantine's focus trap. */
function focusIf(hasFocus: boolean): { "data-autofocus"?: true } {
  return hasFocus ? { "data-autofocus": true } : {};
}

const ConfirmContext = createContext<Confirm>(() => Promise.resolve(false));
