import { Alert, Button, Group, Text } from "@mantine/core";
import IconHistory from "@tabler/icons-react/dist/esm/icons/IconHistory.mjs";
import type { ReactNode } from "react";
import { Time } from "../../../shared/time.tsx";
import type { LocalDraft } from "./local-drafts.ts";

/** Offers input that was typed and never saved, here or on another device. */
export function UnsavedDraftAlert(props: {
  offer: LocalDraft;
  onRestore: () => void;
  onDiscard: () => void;
}): ReactNode {
  return (
    <Alert color="blue" variant="light" icon={<IconHistory size={18} />}>
      <Group justify="space-between" gap="sm">
        <Text component="div" size="sm">
          What you typed <Time at={props.offer.at} /> was not saved.
        </Text>
        <Group gap={6}>
          <Button size="compact-sm" onClick={props.onRestore}>
            Restore it
          </Button>
          <Button size="compact-sm" variant="default" onClick={props.onDiscard}>
            Discard it
          </Button>
        </Group>
      </Group>
    </Alert>
  );
}
