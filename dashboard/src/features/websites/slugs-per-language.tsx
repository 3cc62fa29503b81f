import { Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { apiPath, patch } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Section } from "../../shared/page.tsx";
import { toast } from "../../shared/toasts.ts";

/** Whether articles in different languages may have the same slug. */
export function SlugsSetting({ website }: { website: Website }): ReactNode {
  const client = useQueryClient();
  const saving = useMutation({
    mutationFn: (slugs_per_language: boolean) =>
      patch<Website>(apiPath`/websites/${website.id}`, { body: { slugs_per_language } }),
    onSuccess: (saved) => {
      client.setQueryData(["websites", website.id], saved);
      toast("Saved.");
    },
  });
  return (
    <Section
      title="Slugs"
      description="With slugs for each language, translations may share one, as /en/about and /de/about do. Slugs that articles have stay as they are."
    >
      <Switch
        label="Each language has slugs of its own"
        checked={website.slugs_per_language}
        disabled={saving.isPending}
        onChange={(event) => saving.mutate(event.currentTarget.checked)}
      />
      <ErrorNote error={saving.error} />
    </Section>
  );
}
