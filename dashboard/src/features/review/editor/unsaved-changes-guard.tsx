import { Button, Flex, Modal, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { isLeaving } from "../../../shared/leaving.ts";

interface LeaveGuardProps {
  isDirty: boolean;
  /** @returns whether everything is saved. */
  onSave: () => Promise<boolean>;
}

/** Asks before leaving a page with unsaved changes. */
export function UnsavedChangesGuard({ isDirty, onSave }: LeaveGuardProps): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const blocker = useBlocker({
    // When the session has ended, nothing is asked: the input is stored, and offered after signing in.
    shouldBlockFn: ({ current, next }) => isDirty && isLeaving(current, next),
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });

  async function saveAndLeave(): Promise<void> {
    setBusy(true);
    const isSaved = await onSave();
    setBusy(false);
    if (isSaved) blocker.proceed?.();
    else blocker.reset?.();
  }

  return (
    <Modal opened={blocker.status === "blocked"} onClose={() => blocker.reset?.()} title="Leave without saving?">
      <Stack gap="lg">
        <Text size="sm">
          Your changes are not saved. If you leave, they are kept for you alone and offered when you come back, on any
          device.
        </Text>
        {/* On phones below each other, the safe one first. */}
        <Flex direction={{ base: "column-reverse", xs: "row" }} justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => blocker.proceed?.()} disabled={isBusy}>
            Leave
          </Button>
          <Button variant="default" loading={isBusy} onClick={() => void saveAndLeave()}>
            Save and leave
          </Button>
          <Button data-autofocus onClick={() => blocker.reset?.()} disabled={isBusy}>
            Stay
          </Button>
        </Flex>
      </Stack>
    </Modal>
  );
}
