import { Group, Select, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { ReactNode } from "react";

const DAY_MS = 86_400_000;
const CHOICES = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "On a date…" },
] as const;
const NEVER = { value: "", label: "Never" };

export interface Expiry {
  expiry: string | null;
  date: string;
}

/** For the form's `validate`. */
export function checkDate(date: string, { expiry }: Expiry): string | null {
  return expiry === "date" && date === "" ? "Choose a date." : null;
}

/** `mayNever`: whether it may never expire. */
export function ExpiryFields<Values extends Expiry>(props: {
  form: UseFormReturnType<Values>;
  mayNever: boolean;
}): ReactNode {
  const { form, mayNever } = props;
  return (
    <Group grow align="flex-start">
      <Select
        label="Expires"
        data={mayNever ? [NEVER, ...CHOICES] : CHOICES}
        allowDeselect={false}
        {...form.getInputProps("expiry")}
        error={form.errors["expires_at"]}
      />
      {form.values.expiry === "date" && (
        <TextInput label="On" type="date" required min={tomorrow()} {...form.getInputProps("date")} />
      )}
    </Group>
  );
}

/** Null: never. A date means its midnight in the user's time zone. */
export function toExpiry({ expiry, date }: Expiry): string | null {
  if (expiry === "date") return date === "" ? null : new Date(`${date}T00:00`).toISOString();
  return expiry === null || expiry === "" ? null : new Date(Date.now() + Number(expiry) * DAY_MS).toISOString();
}

function tomorrow(): string {
  const date = new Date(Date.now() + DAY_MS);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}
