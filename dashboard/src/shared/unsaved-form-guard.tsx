import { Button, Flex, Modal, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isLeaving } from "./leaving.ts";

/** Asks before a page is left whose form has unsaved changes. `isDirty` is called at that moment. */
export function UnsavedFormGuard({ isDirty }: { isDirty: () => boolean }): ReactNode {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isLeaving(current, next) && isDirty(),
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <Modal opened={blocker.status === "blocked"} onClose={() => blocker.reset?.()} title="Leave without saving?">
      <Stack gap="lg">
        <Text size="sm">Your changes on this page are not saved. If you leave, they are lost.</Text>
        {/* On phones below each other, the safe one first. */}
        <Flex direction={{ base: "column-reverse", xs: "row" }} justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            Leave
          </Button>
          <Button data-autofocus onClick={() => blocker.reset?.()}>
            Stay
          </Button>
        </Flex>
      </Stack>
    </Modal>
  );
}
