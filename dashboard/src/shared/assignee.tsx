/** Choosing who takes care of an article. */
import { Button, Group, Modal, NativeSelect, Stack } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Assignees } from "../../../src/http/admin/contract/articles.ts";
import { get } from "../api/client.ts";
import { ErrorNote } from "./error-note.tsx";
import { useWebsite } from "./session.tsx";

export function assigneesQuery(websiteId: string) {
  return queryOptions({
    queryKey: ["assignees", websiteId],
    queryFn: ({ signal }) => get<Assignees>("/articles/assignees", { query: { website_id: websiteId }, signal }),
  });
}

interface AssigneeSelectProps {
  /** The id of an account; null: nobody. */
  value: string | null;
  /** The name of the current assignee, who may be no member any more. */
  name?: string | undefined;
  disabled?: boolean;
  onChange: (value: string | null) => void;
  isCompact?: boolean;
  /** Default: “Assigned to”. */
  label?: string;
}

export function AssigneeSelect({
  value,
  name,
  disabled,
  onChange,
  isCompact,
  label = "Assigned to",
}: AssigneeSelectProps): ReactNode {
  const website = useWebsite();
  const { data, error } = useQuery(assigneesQuery(website.id));
  const people = data?.people ?? [];
  const isListed = value === null || people.some(({ id }) => id === value);
  return (
    <>
      <NativeSelect
        label={isCompact === true ? undefined : label}
        aria-label={label}
        size={isCompact === true ? "xs" : "sm"}
        value={value ?? ""}
        disabled={disabled === true || data === undefined}
        onChange={(event) => onChange(event.currentTarget.value === "" ? null : event.currentTarget.value)}
        data={[
          { value: "", label: "Nobody" },
          ...(isListed ? [] : [{ value: value ?? "", label: name ?? "Former member" }]),
          ...people.map((one) => ({ value: one.id, label: one.name })),
        ]}
      />
      <ErrorNote error={error} />
    </>
  );
}

interface AssignDialogProps {
  opened: boolean;
  title: string;
  /** Label of the field. Default: “Assigned to”. */
  label?: string;
  /** Label of the button. Default: “Assign”. */
  confirmLabel?: string;
  onClose: () => void;
  onAssign: (assignee: string | null) => void;
}

export function AssignDialog({
  opened,
  title,
  label,
  confirmLabel = "Assign",
  onClose,
  onAssign,
}: AssignDialogProps): ReactNode {
  const [value, setValue] = useState<string | null>(null);
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Stack>
        <AssigneeSelect value={value} onChange={setValue} {...(label !== undefined && { label })} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={() => onAssign(value)}>{confirmLabel}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
