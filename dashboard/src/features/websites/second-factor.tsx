import { Switch, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { apiPath, patch } from "../../api/client.ts";
import { useConfirm } from "../../shared/confirm.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Section } from "../../shared/page.tsx";
import { toast } from "../../shared/toasts.ts";

/** Whether members need a second factor to reach the website. */
export function SecondFactor({ website }: { website: Website }): ReactNode {
  const client = useQueryClient();
  const confirm = useConfirm();
  const saving = useMutation({
    mutationFn: (requires_second_factor: boolean) =>
      patch<Website>(apiPath`/websites/${website.id}`, { body: { requires_second_factor } }),
    onSuccess: async (saved) => {
      client.setQueryData(["websites", website.id], saved);
      toast("Saved.");
      await client.invalidateQueries({ queryKey: ["session"] });
    },
  });

  async function change(isRequired: boolean): Promise<void> {
    const isConfirmed = await confirm({
      title: isRequired ? "Require a second factor?" : "Make the second factor optional?",
      body: isRequired
        ? "Members who have not signed in with an authenticator or a passkey can do nothing on this website until they do. They are asked to set one up."
        : "A password alone is enough to reach this website again.",
      confirmLabel: isRequired ? "Require it" : "Make it optional",
      danger: !isRequired,
    });
    if (isConfirmed) saving.mutate(isRequired);
  }

  return (
    <Section title="Second factor" description="An authenticator app or a passkey, in addition to the password.">
      <Switch
        label="Required for all members of this website"
        checked={website.requires_second_factor}
        disabled={saving.isPending}
        onChange={(event) => void change(event.currentTarget.checked)}
      />
      <ErrorNote error={saving.error} />
      {website.requires_second_factor && (
        <Text size="sm" c="dimmed">
          Under Members you see who has an authenticator.
        </Text>
      )}
    </Section>
  );
}
