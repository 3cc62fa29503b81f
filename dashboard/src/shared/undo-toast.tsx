/** Offers to undo an action that was carried out without a confirmation. */
import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { KeyHint } from "./key-hint.tsx";
import { useShortcuts } from "./shortcuts.tsx";

const SHOWN_MS = 10_000;

interface Undoable {
  message: string;
  /** Counted down in the message, for what happens only then. Default: ten seconds, not shown. */
  seconds?: number | undefined;
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
  return ({ message, seconds, undo }) => {
    let isUndoing = false;
    const run = async () => {
      if (isUndoing) return;
      isUndoing = true;
      const isUndone = await undo();
      isUndoing = false;
      if (!isUndone) return;
      notifications.hide(id);
      // A later decision keeps its key.
      if (offered.current?.id === id) offered.current = null;
    };
    const id = notifications.show({
      autoClose: seconds === undefined ? SHOWN_MS : seconds * 1_000,
      withBorder: true,
      onClose: () => {
        if (offered.current?.id === id) offered.current = null;
      },
      message: (
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <Text size="sm" lineClamp={2}>
            {message}
            {seconds !== undefined && <Countdown seconds={seconds} />}
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

/** “in 9 s”. Not announced each second: the message says what will happen. */
function Countdown({ seconds }: { seconds: number }): ReactNode {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const end = performance.now() + seconds * 1_000;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((end - performance.now()) / 1_000))), 250);
    return () => clearInterval(timer);
  }, [seconds]);
  return <span aria-hidden>{` in ${left} s`}</span>;
}
