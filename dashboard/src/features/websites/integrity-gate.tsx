import { NativeSelect } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { apiPath, patch } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Section } from "../../shared/page.tsx";
import { toast } from "../../shared/toasts.ts";

const CHOICES: { value: Website["integrity_gate"]; label: string }[] = [
  { value: "machine", label: "Articles from machines" },
  { value: "all", label: "Every article" },
  { value: "off", label: "Nothing: only show findings" },
];

/** Whose articles wait while something is wrong in their texts. */
export function IntegrityGateSetting({ website }: { website: Website }): ReactNode {
  const client = useQueryClient();
  const saving = useMutation({
    mutationFn: (integrity_gate: string) =>
      patch<Website>(apiPath`/websites/${website.id}`, {
        body: { integrity_gate, expected: { integrity_gate: website.integrity_gate } },
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
      title="Findings"
      description="Articles with something broken in them, such as a chatbot's answer or a gap to fill in, cannot be approved or published until it is corrected, or an approver accepts it with a reason."
    >
      <NativeSelect
        label="Block"
        value={website.integrity_gate}
        disabled={saving.isPending}
        onChange={(event) => saving.mutate(event.currentTarget.value)}
        data={CHOICES}
      />
      <ErrorNote error={saving.error} />
    </Section>
  );
}
