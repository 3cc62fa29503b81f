import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { ErrorNote, fieldErrors } from "./error-note.tsx";
import { useWebsite } from "./session.tsx";
import { daysToMonday, describeFieldTime, fromField, morning, toField } from "./zones.ts";

interface ScheduleProps {
  opened: boolean;
  /** The current schedule, ISO 8601. */
  planned: string | null;
  onClose: () => void;
  /** null cancels the schedule. @throws an error, which is shown here. */
  onPlan: (publishAt: string | null) => Promise<void>;
}

export function Schedule(props: ScheduleProps): ReactNode {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.planned === null ? "Schedule" : "Reschedule"}>
      {/* Remounted at each opening, because the suggested time depends on the current time. */}
      {props.opened && <ScheduleForm {...props} />}
    </Modal>
  );
}

function ScheduleForm({ planned, onClose, onPlan }: ScheduleProps): ReactNode {
  const { timeZone: zone } = useWebsite();
  const [now] = useState(() => new Date());
  const [value, setValue] = useState(() => toField(planned === null ? morning(now, 1, zone) : new Date(planned), zone));
  const [error, setError] = useState<unknown>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState<"plan" | "take-back" | null>(null);
  const found = fromField(value, zone);
  const at = found?.at ?? null;

  async function send(publishAt: string | null): Promise<void> {
    if (busy !== null) return;
    setBusy(publishAt === null ? "take-back" : "plan");
    setError(null);
    try {
      await onPlan(publishAt);
      onClose();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(null);
    }
  }

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    const isPast = at !== null && hasPassed(at);
    setProblem(
      at === null
        ? "Enter a date and time such as 2026-12-31 09:00."
        : isPast
          ? "This time has passed. Choose a time in the future."
          : null,
    );
    if (at !== null && !isPast) void send(at.toISOString());
  }

  const presets = [
    ["Tomorrow, 09:00", morning(now, 1, zone)],
    ["Monday, 09:00", morning(now, daysToMonday(now, zone), zone)],
    ["In a week", morning(now, 7, zone)],
  ] as const;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          data-autofocus
          label="Publish at"
          description={`Year, month, day and time, in the website’s time zone: ${zone}`}
          placeholder="2026-12-31 09:00"
          value={value}
          autoComplete="off"
          onChange={(event) => {
            setValue(event.currentTarget.value);
            setProblem(null);
          }}
          error={problem ?? fieldErrors(error)["publish_at"]}
        />
        <Text size="sm" c="dimmed" aria-live="polite">
          {found === null ? "–" : describeFieldTime(found, zone)}
        </Text>
        <Group gap={6}>
          {presets.map(([label, date]) => (
            <Button key={label} size="compact-sm" variant="default" onClick={() => setValue(toField(date, zone))}>
              {label}
            </Button>
          ))}
        </Group>
        <ErrorNote error={error} fields={["publish_at"]} />
        <Group justify="flex-end" gap="sm">
          {planned !== null && (
            <Button
              variant="subtle"
              color="red"
              mr="auto"
              loading={busy === "take-back"}
              onClick={() => void send(null)}
            >
              Cancel schedule
            </Button>
          )}
          <Group gap="sm">
            <Button variant="default" onClick={onClose}>
              {planned === null ? "Cancel" : "Close"}
            </Button>
            <Button type="submit" loading={busy === "plan"}>
              {planned === null ? "Schedule" : "Reschedule"}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

function hasPassed(at: Date): boolean {
  return at.getTime() <= Date.now();
}
