/** The dialogs of the bulk actions that need more than a confirmation. */
import { Button, Group, Modal, Stack, TagsInput, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import type { BulkAction } from "../../../../src/http/admin/contract/articles.ts";
import { AssignDialog } from "../../shared/assignee.tsx";
import { RequestChanges } from "../../shared/request-changes.tsx";
import { Schedule } from "../../shared/schedule.tsx";
import { useWebsite } from "../../shared/session.tsx";
import type { BulkInput } from "./bulk.ts";
import { labelsQuery } from "../../shared/article-labels.ts";
import { BULK } from "./views.ts";

const DIALOGS = [
  "request-changes",
  "assign",
  "set-author",
  "label",
  "schedule",
  "approve-and-schedule",
] as const satisfies readonly BulkAction[];
export type BulkDialog = (typeof DIALOGS)[number];

export function findDialog(action: BulkAction): BulkDialog | null {
  return DIALOGS.find((one) => one === action) ?? null;
}

interface BulkDialogsProps {
  /** null if none is open. */
  dialog: BulkDialog | null;
  /** Such as “3 articles”. */
  articles: string;
  onClose: () => void;
  /** Closes the dialog; the action continues. */
  onSend: (action: BulkAction, input: BulkInput) => void;
}

export function BulkDialogs({ dialog, articles, onClose, onSend }: BulkDialogsProps): ReactNode {
  const schedules = dialog === "schedule" || dialog === "approve-and-schedule" ? dialog : null;
  return (
    <>
      <RequestChanges
        about="many"
        opened={dialog === "request-changes"}
        title={BULK["request-changes"].question(articles)}
        onClose={onClose}
        onSend={async (reason) => onSend("request-changes", { reason })}
      />
      <AssignDialog
        opened={dialog === "assign"}
        title={BULK.assign.question(articles)}
        onClose={onClose}
        onAssign={(assignee_id) => onSend("assign", { assignee_id })}
      />
      <AssignDialog
        opened={dialog === "set-author"}
        title={BULK["set-author"].question(articles)}
        label="Author"
        confirmLabel="Change author"
        onClose={onClose}
        onAssign={(author_id) => onSend("set-author", { author_id })}
      />
      <Schedule
        opened={schedules !== null}
        planned={null}
        onClose={onClose}
        onPlan={async (publish_at) => {
          if (schedules !== null && publish_at !== null) onSend(schedules, { publish_at });
        }}
      />
      <Modal opened={dialog === "label"} onClose={onClose} title={BULK.label.question(articles)}>
        {dialog === "label" && <LabelForm onClose={onClose} onSend={(input) => onSend("label", input)} />}
      </Modal>
    </>
  );
}

const FIELDS = [
  ["add_tags", "Add tags", "tags"],
  ["remove_tags", "Remove tags", "tags"],
  ["add_categories", "Add categories", "categories"],
  ["remove_categories", "Remove categories", "categories"],
] as const;

function LabelForm(props: { onClose: () => void; onSend: (input: BulkInput) => void }): ReactNode {
  const website = useWebsite();
  const { data } = useQuery(labelsQuery(website.id));
  const [values, setValues] = useState<Partial<Record<(typeof FIELDS)[number][0], string[]>>>({});
  const [isMissing, setMissing] = useState(false);

  function send(event: SyntheticEvent): void {
    event.preventDefault();
    const given = Object.fromEntries(Object.entries(values).filter(([, labels]) => labels.length > 0));
    setMissing(Object.keys(given).length === 0);
    if (Object.keys(given).length > 0) props.onSend(given);
  }

  return (
    <form onSubmit={send}>
      <Stack>
        {FIELDS.map(([name, label, kind], index) => (
          <TagsInput
            key={name}
            label={label}
            data={data?.[kind] ?? []}
            value={values[name] ?? []}
            onChange={(labels) => setValues({ ...values, [name]: labels })}
            acceptValueOnBlur
            maxTags={50}
            openOnFocus={false}
            comboboxProps={{ withinPortal: false }}
            limit={50}
            error={index === 0 && isMissing ? "Enter a tag or category to add or remove." : undefined}
            {...(index === 0 && { "data-autofocus": true })}
          />
        ))}
        <Text size="sm" c="dimmed">
          Readers see the new tags and categories of published articles at once, and your webhooks receive
          article.updated.
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
          <Button type="submit">Apply</Button>
        </Group>
      </Stack>
    </form>
  );
}
