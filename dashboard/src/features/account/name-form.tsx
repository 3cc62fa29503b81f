import { Button, Group, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { patch } from "../../api/client.ts";
import { SESSION_KEY } from "../../api/session.ts";
import { ErrorNote, fieldErrors } from "../../shared/error-note.tsx";
import { toast } from "../../shared/toasts.ts";

/** The user's own name. */
export function NameForm({ name }: { name: string }): ReactNode {
  const client = useQueryClient();
  const [value, setValue] = useState(name);
  const saving = useMutation({
    mutationFn: () => patch("/account", { body: { name: value } }),
    onSuccess: async () => {
      toast("Your name was saved.");
      await client.invalidateQueries({ queryKey: SESSION_KEY });
      await client.invalidateQueries({ queryKey: ["members"] });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Group gap="sm" align="flex-end">
        <TextInput
          flex="1 1 220px"
          maw={420}
          label="Name"
          description="Shown to teammates (optional)."
          autoComplete="name"
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
          error={fieldErrors(saving.error)["name"]}
        />
        <Button type="submit" variant="default" disabled={value.trim() === name} loading={saving.isPending}>
          Save
        </Button>
      </Group>
      <ErrorNote error={saving.error} fields={["name"]} />
    </form>
  );
}
