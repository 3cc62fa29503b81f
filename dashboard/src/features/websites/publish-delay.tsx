import { NativeSelect } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { apiPath, patch } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Section } from "../../shared/page.tsx";
import { toast } from "../../shared/toasts.ts";

const CHOICES = [0, 5, 10, 20, 30, 60];

/** How long a publication in the dashboard can be undone. */
export function PublishDelay({ website }: { website: Website }): ReactNode {
  const client = useQueryClient();
  const { publish_delay_seconds: current } = website;
  const saving = useMutation({
    mutationFn: (publish_delay_seconds: number) =>
      patch<Website>(apiPath`/websites/${website.id}`, {
        body: { publish_delay_seconds, expected: { publish_delay_seconds: current } },
      }),
    onSuccess: async (saved) => {
      client.setQueryData(["websites", website.id], saved);
      toast("Saved.");
      await client.invalidateQueries({ queryKey: ["articles", website.id] });
    },
    onError: () => client.invalidateQueries({ queryKey: ["websites", website.id] }),
  });
  const choices = [...new Set([...CHOICES, current])].toSorted((a, b) => a - b);
  return (
    <Section
      title="Publishing"
      description="Publishing from the dashboard waits this long, so that you can undo it. Until then nothing is live, and no webhook is sent."
    >
      <NativeSelect
        label="Undo publishing for"
        value={String(current)}
        disabled={saving.isPending}
        onChange={(event) => saving.mutate(Number(event.currentTarget.value))}
        data={choices.map((seconds) => ({
          value: String(seconds),
          label: seconds === 0 ? "Off: publish at once" : `${seconds} seconds`,
        }))}
      />
      <ErrorNote error={saving.error} />
    </Section>
  );
}
