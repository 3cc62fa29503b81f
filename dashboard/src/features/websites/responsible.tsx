import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { apiPath, patch } from "../../api/client.ts";
import { ErrorNote, fieldErrors } from "../../shared/error-note.tsx";
import { Section } from "../../shared/page.tsx";
import { takeSaved, useSavedByOthers } from "../../shared/saved-form.ts";
import { toast } from "../../shared/toasts.ts";
import { UnsavedFormGuard } from "../../shared/unsaved-form-guard.tsx";
import { WebsiteSwitch } from "./website-switch.tsx";

const FIELDS = ["responsible_name", "responsible_url"] as const;

/** Who answers for what the website publishes; without a name its approvals make no review records. */
export function Responsible({ website }: { website: Website }): ReactNode {
  const client = useQueryClient();
  const form = useForm({ initialValues: toValues(website) });
  const saving = useMutation({
    mutationFn: (values: ReturnType<typeof toValues>) => {
      const before = form.getInitialValues();
      const changed = FIELDS.filter((field) => values[field] !== before[field]);
      const pick = (given: typeof values) =>
        Object.fromEntries(changed.map((field) => [field, given[field].trim() || null]));
      return patch<Website>(apiPath`/websites/${website.id}`, { body: { ...pick(values), expected: pick(before) } });
    },
    onSuccess: (saved, sent) => {
      client.setQueryData(["websites", website.id], saved);
      takeSaved(form, sent, toValues(saved));
      toast("Saved.");
    },
    onError: async (error) => {
      form.setErrors(fieldErrors(error));
      await client.invalidateQueries({ queryKey: ["websites", website.id] });
    },
  });
  useSavedByOthers(form, toValues(website));
  return (
    <Section
      title="Editorial responsibility"
      description="If you enter a name, each approval in the dashboard creates a signed review record that readers can check."
    >
      <form onSubmit={form.onSubmit((values) => saving.mutate(values))} noValidate>
        <UnsavedFormGuard isDirty={() => form.isDirty()} />
        <Stack gap="lg">
          <TextInput
            label="Responsible"
            description="A legal name, such as that of your company."
            maxLength={1_000}
            {...form.getInputProps("responsible_name")}
          />
          <TextInput
            label="Imprint"
            description="The page that names the person or company responsible."
            placeholder="https://example.com/imprint"
            type="url"
            inputMode="url"
            {...form.getInputProps("responsible_url")}
          />
          <ErrorNote error={saving.error} fields={FIELDS} />
          <Group>
            <Button type="submit" variant="default" loading={saving.isPending} disabled={!form.isDirty()}>
              Set who is responsible
            </Button>
          </Group>
          <WebsiteSwitch
            website={website}
            setting="names_reviewers"
            label="Show in review records who approved; otherwise each person has a pseudonym"
            checked={website.names_reviewers}
          />
        </Stack>
      </form>
    </Section>
  );
}

function toValues({ responsible_name, responsible_url }: Website) {
  return { responsible_name: responsible_name ?? "", responsible_url: responsible_url ?? "" };
}
