import { Button, CloseButton, Group, Progress, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { BulkAction } from "../../../../src/http/admin/contract/articles.ts";
import { useConfirm } from "../../shared/confirm.tsx";
import type { Bulk, BulkOutcome } from "./bulk.ts";
import classes from "./bulk-bar.module.css";
import type { Selection } from "./selection.ts";
import { BULK, formatCount } from "./views.ts";

interface BulkBarProps {
  selection: Selection;
  /** The actions that the user may perform here. */
  actions: readonly BulkAction[];
  bulk: Bulk;
  onDone: (outcome: BulkOutcome) => void;
}

/** Bulk actions for the selected articles. Overlays the bottom of the list, so that nothing moves. */
export function BulkBar({ selection, actions, bulk, onDone }: BulkBarProps): ReactNode {
  const confirm = useConfirm();
  const { chosen } = selection;
  if (chosen.size === 0) return null;

  async function ask(action: BulkAction): Promise<void> {
    const { label, question, consequence, isDangerous } = BULK[action];
    const isConfirmed = await confirm({
      title: question(formatCount(chosen.size)),
      body: consequence,
      confirmLabel: label,
      danger: isDangerous,
    });
    if (isConfirmed) onDone(await bulk.run(action, [...chosen.values()]));
  }

  return (
    <div className={classes.root} role="region" aria-label="Actions for the selected articles">
      <Group gap="xs" justify="space-between">
        <Group gap={4} wrap="nowrap">
          <CloseButton
            size="sm"
            aria-label="Clear the selection"
            disabled={bulk.isRunning}
            onClick={() => selection.clear()}
          />
          <Text size="sm" fw={550} aria-live="polite">
            {formatCount(chosen.size)}
          </Text>
        </Group>
        <Group gap="xs">
          {actions.map((action) => (
            <Button
              key={action}
              size="xs"
              variant={action === actions[0] ? "filled" : "default"}
              {...(BULK[action].isDangerous && { color: "red" })}
              disabled={bulk.isRunning}
              onClick={() => void ask(action)}
            >
              {BULK[action].label}
            </Button>
          ))}
        </Group>
      </Group>
      {bulk.isRunning && <Progress value={bulk.progress * 100} size="xs" mt="xs" aria-label="Progress" animated />}
    </div>
  );
}
