import { Alert, Button, Group, Text } from "@mantine/core";
import IconArrowMerge from "@tabler/icons-react/dist/esm/icons/IconArrowMerge.mjs";
import type { ReactNode } from "react";
import { PART_LABELS } from "./merge.ts";
import type { MergedChange } from "./use-editor.ts";

interface MergedNoticeProps {
  /** “Olga”, or “You” from another window. */
  by: string;
  merged: MergedChange;
  onUndo: () => void;
  onDismiss: () => void;
}

/** Says which change of a colleague is in the text now, and takes it back in one step. */
export function MergedNotice({ by, merged, onUndo, onDismiss }: MergedNoticeProps): ReactNode {
  const parts = merged.parts.map((part) => PART_LABELS[part].toLowerCase());
  const whose = by === "You" ? "Your change from another window" : `${by}’s change`;
  return (
    <Alert color="amber" variant="light" icon={<IconArrowMerge size={18} />}>
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {whose} of the {new Intl.ListFormat("en").format(parts)} was merged into yours.
          {merged.parts.includes("text") && " It is marked in the text."}
        </Text>
        <Group gap={6}>
          <Button size="compact-sm" onClick={onUndo}>
            Undo merge
          </Button>
          <Button size="compact-sm" variant="default" onClick={onDismiss}>
            OK
          </Button>
        </Group>
      </Group>
    </Alert>
  );
}
