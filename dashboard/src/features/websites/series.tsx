import { TagsInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { apiPath, patch } from "../../api/client.ts";
import { labelsQuery } from "../../shared/article-labels.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Section } from "../../shared/page.tsx";
import { toast } from "../../shared/toasts.ts";

/** Whose articles are alike on purpose. */
export function SeriesSetting({ website }: { website: Website }): ReactNode {
  const client = useQueryClient();
  const { data: known } = useQuery(labelsQuery(website.id));
  const saving = useMutation({
    mutationFn: (series_labels: string[]) =>
      patch<Website>(apiPath`/websites/${website.id}`, {
        body: { series_labels, expected: { series_labels: website.series_labels } },
      }),
    onSuccess: async (saved) => {
      client.setQueryData(["websites", website.id], saved);
      toast("Saved.");
      await client.invalidateQueries({ queryKey: ["articles", website.id] });
    },
    onError: () => client.invalidateQueries({ queryKey: ["websites", website.id] }),
  });
  return (
    <Section
      title="Series"
      description="Articles with one of these tags or categories are alike on purpose, such as release notes or weekly reports. They are not reported as near duplicates."
    >
      <TagsInput
        label="Tags and categories of series"
        data={[...new Set([...(known?.categories ?? []), ...(known?.tags ?? [])])]}
        value={saving.isPending ? saving.variables : website.series_labels}
        readOnly={saving.isPending}
        splitChars={[","]}
        acceptValueOnBlur
        openOnFocus={false}
        limit={50}
        maxTags={50}
        onChange={(labels) => saving.mutate(labels)}
      />
      <ErrorNote error={saving.error} />
    </Section>
  );
}
