/** Offers to undo an action that was carried out without a confirmation. */
import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useEffect, useRef } from "react";
import { KeyHint } from "./key-hint.tsx";
import { useShortcuts } from "./shortcuts.tsx";

const SHOWN_MS = 10_000;

interface Undoable {
  message: string;
  /** @returns whether it was undone; if not, the toast stays. */
  undo: () => Promise<boolean>;
}

/** @returns a function that shows the toast; meanwhile `z` undoes, too. Going to another page leaves the toast open. */
export function useUndoToast(): (undoable: Undoable) => void {
  const offered = useRef<{ id: string; undo: () => Promise<void> } | null>(null);
  useShortcuts([{ keys: "z", label: "Undo", run: () => void offered.current?.undo() }]);
  useEffect(
    () => () => {
      offered.current = null;
    },
    [],
  );
  return ({ message, undo }) => {
    let isUndoing = false;
    const run = async () => {
      if (isUndoing) return;
      isUndoing = true;
      const isUndone = await undo();
      isUndoing = false;
      if (!isUndone) return;
      notifications.hide(id);
      offered.current = null;
    };
    const id = notifications.show({
      autoClose: SHOWN_MS,
      withBorder: true,
      onClose: () => {
        if (offered.current?.id === id) offered.current = null;
      },
      message: (
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <Text size="sm" lineClamp={2}>
            {message}
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => void run()} rightSection={<KeyHint keys="z" />}>
            Undo
          </Button>
        </Group>
      ),
    });
    offered.current = { id, undo: run };
  };
}
