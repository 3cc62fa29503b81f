import { Button, CloseButton, Group, Progress, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { BulkAction } from "../../../../src/http/admin/contract/articles.ts";
import { useConfirm } from "../../shared/confirm.tsx";
import { AssignDialog } from "../../shared/assignee.tsx";
import { RequestChanges } from "../../shared/request-changes.tsx";
import type { Bulk, BulkInput, BulkOutcome } from "./bulk.ts";
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

/** The first one that is possible is the main action. */
const MAIN: readonly BulkAction[] = ["approve", "publish", "submit", "restore", "unpublish"];

/** Bulk actions for the selected articles. Overlays the bottom of the list, so that nothing moves. */
export function BulkBar({ selection, actions, bulk, onDone }: BulkBarProps): ReactNode {
  const confirm = useConfirm();
  const [dialog, setDialog] = useState<"request-changes" | "assign" | null>(null);
  const { chosen } = selection;
  if (chosen.size === 0) return null;

  // The list is in the order of the workflow: first what prepares a decision.
  const main = MAIN.find((action) => actions.includes(action));

  async function send(action: BulkAction, input: BulkInput): Promise<void> {
    setDialog(null);
    onDone(await bulk.run(action, [...chosen.values()], input));
  }

  async function ask(action: BulkAction): Promise<void> {
    if (action === "request-changes" || action === "assign") {
      setDialog(action);
      return;
    }
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
              variant={action === main ? "filled" : "default"}
              {...(BULK[action].isDangerous && { color: "red" })}
              disabled={bulk.isRunning}
              onClick={() => void ask(action)}
            >
              {BULK[action].label}
            </Button>
          ))}
        </Group>
      </Group>
      <RequestChanges
        opened={dialog === "request-changes"}
        title={BULK["request-changes"].question(formatCount(chosen.size))}
        onClose={() => setDialog(null)}
        onSend={(reason) => send("request-changes", { reason })}
      />
      <AssignDialog
        opened={dialog === "assign"}
        title={BULK.assign.question(formatCount(chosen.size))}
        onClose={() => setDialog(null)}
        onAssign={(assignee_id) => void send("assign", { assignee_id })}
      />
      {bulk.isRunning && <Progress value={bulk.progress * 100} size="xs" mt="xs" aria-label="Progress" animated />}
    </div>
  );
}
