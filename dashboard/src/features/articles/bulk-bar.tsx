import { ActionIcon, Button, CloseButton, Group, Menu, Progress, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import { type ReactNode, useState } from "react";
import type { BulkAction } from "../../../../src/http/admin/contract/articles.ts";
import { useConfirm } from "../../shared/confirm.tsx";
import { ReceiverNote } from "../../shared/receivers.tsx";
import { useWebsite } from "../../shared/session.tsx";
import type { Bulk, BulkInput, BulkOutcome, BulkTarget } from "./bulk.ts";
import classes from "./bulk-bar.module.css";
import { type BulkDialog, BulkDialogs, findDialog } from "./bulk-dialogs.tsx";
import type { ArticlesSearch } from "./search.ts";
import { toQueue } from "./search.ts";
import type { Selection } from "./selection.ts";
import { BULK, describeConsequence, formatCount } from "./views.ts";

interface BulkBarProps {
  selection: Selection;
  search: ArticlesSearch;
  /** Number of matching articles. */
  total: number;
  /** The actions that the user may perform here. */
  actions: readonly BulkAction[];
  bulk: Bulk;
  onDone: (outcome: BulkOutcome) => void;
}

/** Most frequent first. The first possible one is the main action; the others are in a menu. */
const FREQUENT: readonly BulkAction[] = [
  "approve",
  "publish",
  "submit",
  "restore",
  "unpublish",
  "request-changes",
  "approve-and-publish",
  "assign",
  "delete",
];
const MAX_BUTTONS = 5;
const MAX_BUTTONS_NARROW = 2;

/** Bulk actions for the selected articles. Overlays the bottom of the list, so that nothing moves. */
export function BulkBar({ selection, search, total, actions, bulk, onDone }: BulkBarProps): ReactNode {
  const website = useWebsite();
  const confirm = useConfirm();
  const [dialog, setDialog] = useState<BulkDialog | null>(null);
  const isNarrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  const { chosen, isEverything } = selection;
  const count = isEverything ? total : chosen.size;
  if (count === 0 && !bulk.isRunning) return null;

  const buttons = FREQUENT.filter((action) => actions.includes(action)).slice(
    0,
    isNarrow ? MAX_BUTTONS_NARROW : MAX_BUTTONS,
  );
  const others = actions.filter((action) => !buttons.includes(action));
  const target: BulkTarget = isEverything ? { matching: toQueue(search), total } : { articles: [...chosen.values()] };

  async function send(action: BulkAction, input: BulkInput = {}): Promise<void> {
    setDialog(null);
    onDone(await bulk.run(action, target, input));
  }

  async function ask(action: BulkAction): Promise<void> {
    const asking = findDialog(action);
    if (asking !== null) {
      setDialog(asking);
      return;
    }
    const { label, question, isDangerous, event } = BULK[action];
    const isConfirmed = await confirm({
      title: question(formatCount(count)),
      body: (
        <>
          {describeConsequence(action, count)}
          {event !== undefined && <ReceiverNote websiteId={website.id} event={event} />}
        </>
      ),
      confirmLabel: label,
      danger: isDangerous,
    });
    if (isConfirmed) await send(action);
  }

  return (
    <div className={classes.root} role="region" aria-label="Actions for the selected articles">
      {bulk.isRunning ? (
        <Running bulk={bulk} />
      ) : (
        <div className={classes.bar}>
          <Group gap={4} wrap="nowrap">
            <CloseButton size="sm" aria-label="Clear the selection" onClick={() => selection.clear()} />
            <Text size="sm" fw={550} aria-live="polite">
              {formatCount(count)}
            </Text>
          </Group>
          <div className={classes.buttons}>
            {buttons.map((action, index) => (
              <Button
                key={action}
                size="xs"
                variant={index === 0 ? "filled" : "default"}
                {...(BULK[action].isDangerous && { color: "red" })}
                onClick={() => void ask(action)}
              >
                {BULK[action].label}
              </Button>
            ))}
            {others.length > 0 && (
              <Menu position="top-end">
                <Menu.Target>
                  {isNarrow ? (
                    <ActionIcon size={30} variant="default" aria-label="More">
                      <IconDots size={16} />
                    </ActionIcon>
                  ) : (
                    <Button size="xs" variant="default" leftSection={<IconDots size={16} aria-hidden />}>
                      More
                    </Button>
                  )}
                </Menu.Target>
                <Menu.Dropdown>
                  {others.map((action) => (
                    <Menu.Item key={action} onClick={() => void ask(action)}>
                      {BULK[action].label}
                    </Menu.Item>
                  ))}
                </Menu.Dropdown>
              </Menu>
            )}
          </div>
        </div>
      )}
      <BulkDialogs
        dialog={dialog}
        articles={formatCount(count)}
        onClose={() => setDialog(null)}
        onSend={(action, input) => void send(action, input)}
      />
    </div>
  );
}

function Running({ bulk }: { bulk: Bulk }): ReactNode {
  const { handled, total } = bulk.progress;
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Text size="sm" style={{ fontVariantNumeric: "tabular-nums" }}>
          {handled.toLocaleString("en")} of {formatCount(total)}. It stops if you close this tab.
        </Text>
        <Button size="xs" variant="default" loading={bulk.isStopping} onClick={bulk.stop}>
          Stop
        </Button>
      </Group>
      <Progress value={total === 0 ? 0 : (handled / total) * 100} size="xs" mt="xs" aria-label="Progress" animated />
    </>
  );
}
