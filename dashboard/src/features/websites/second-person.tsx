import { Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { apiPath, patch } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Section } from "../../shared/page.tsx";
import { toast } from "../../shared/toasts.ts";

/** Whether articles are approved by somebody other than those who wrote them. */
export function SecondPerson({ website }: { website: Website }): ReactNode {
  const client = useQueryClient();
  const saving = useMutation({
    mutationFn: (requires_second_person: boolean) =>
      patch<Website>(apiPath`/websites/${website.id}`, { body: { requires_second_person } }),
    onSuccess: (saved) => {
      client.setQueryData(["websites", website.id], saved);
      toast("Saved.");
    },
  });
  return (
    <Section title="Approval" description="When on, nobody can approve an article that they wrote or last changed.">
      <Switch
        label="A second person approves every article"
        checked={website.requires_second_person}
        disabled={saving.isPending}
        onChange={(event) => saving.mutate(event.currentTarget.checked)}
      />
      <ErrorNote error={saving.error} />
    </Section>
  );
}
