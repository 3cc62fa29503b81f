import { Button, Code, Group, Select, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import IconChevronDown from "@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs";
import IconChevronRight from "@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import type { Website, WebsiteChange, WebsiteInput } from "../../../../src/http/admin/contract/websites.ts";
import { ErrorNote, fieldErrors } from "../../shared/error-note.tsx";
import { listLanguages } from "../../shared/languages.ts";
import { takeSaved, useSavedByOthers } from "../../shared/saved-form.ts";
import { UnsavedFormGuard } from "../../shared/unsaved-form-guard.tsx";
import { listZones } from "../../shared/zones.ts";

interface WebsiteFormProps {
  initial: WebsiteInput;
  /** For the example URL; null: there is no article yet. */
  article: { id: string; slug: string } | null;
  /** The website is being created: most settings can wait. */
  isNew?: boolean;
  submitLabel: string;
  /** `change`: only the values that differ from `initial`, with those that they replace. */
  onSubmit: (input: WebsiteInput, change: WebsiteChange) => Promise<Website>;
  onSaved: (website: Website) => void | Promise<void>;
}

const FIELDS = ["name", "url", "url_pattern", "preview_url", "asset_url", "language", "time_zone"] as const;
const FOLDED = ["url_pattern", "language", "time_zone"] as const;
const EXAMPLE = { id: "01980b7e-6f3a-7c52-9b1d-2f6c1f0f8a11", slug: "a-first-article" };

export function WebsiteForm({
  initial,
  article,
  isNew = false,
  submitLabel,
  onSubmit,
  onSaved,
}: WebsiteFormProps): ReactNode {
  const client = useQueryClient();
  const form = useForm({
    initialValues: toValues(initial),
    validate: { name: (name) => (name.trim() === "" ? "Enter a name." : null) },
  });
  const saving = useMutation({
    mutationFn: (values: Values) => {
      const input = toInput(values);
      const before = form.getInitialValues();
      const changed = FIELDS.filter((field) => values[field] !== before[field]);
      const pick = (given: WebsiteInput) => Object.fromEntries(changed.map((field) => [field, given[field]]));
      return onSubmit(input, { ...pick(input), expected: pick(toInput(before)) });
    },
    onSuccess: async (website, sent) => {
      takeSaved(form, sent, toValues(website));
      await onSaved(website);
    },
    onError: async (error) => {
      form.setErrors(fieldErrors(error));
      await client.invalidateQueries({ queryKey: ["websites"] });
    },
  });
  useSavedByOthers(form, toValues(initial));
  const [isUnfolded, { toggle, open }] = useDisclosure(!isNew);
  const hasFolded = FOLDED.some((field) => form.errors[field] !== undefined);
  // What is refused has to be seen.
  useEffect(() => {
    if (hasFolded) open();
  }, [hasFolded, open]);
  const example = buildExample(form.values.url_pattern, form.values.language, article ?? EXAMPLE);

  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values))} noValidate>
      <UnsavedFormGuard isDirty={() => form.isDirty()} />
      <Stack gap="lg">
        <TextInput label="Name" required maxLength={1_000} {...form.getInputProps("name")} />
        <TextInput
          label="URL"
          description="Where readers find it. Links within it are recognised as internal."
          placeholder="https://example.com"
          type="url"
          inputMode="url"
          {...form.getInputProps("url")}
        />
        {isNew && (
          <UnstyledButton fz="sm" fw={550} w="fit-content" aria-expanded={isUnfolded} onClick={toggle}>
            <Group gap={6}>
              {isUnfolded ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
              More settings
            </Group>
          </UnstyledButton>
        )}
        {isUnfolded && (
          <>
            <div>
              <TextInput
                label="Article URL pattern"
                description={
                  <>
                    Use <Code>{"{slug}"}</Code> or <Code>{"{id}"}</Code>. <Code>{"{lang}"}</Code> is the article’s
                    language; <Code>{"{/lang}"}</Code> adds “/de” but nothing for the website’s own language.{" "}
                    <Code>{"{year}"}</Code>, <Code>{"{month}"}</Code> and <Code>{"{day}"}</Code> are those of the
                    publication, in UTC. Published articles keep their URL.
                  </>
                }
                placeholder="https://example.com/blog/{slug}"
                inputMode="url"
                {...form.getInputProps("url_pattern")}
              />
              {example !== null && (
                <Text size="xs" c="dimmed" mt={6} style={{ overflowWrap: "anywhere" }}>
                  {`For example ${example}`}
                </Text>
              )}
            </div>
            <Select
              label="Language"
              description="Used for articles without a language of their own."
              placeholder="Not set"
              data={listLanguages(form.values.language)}
              value={form.values.language === "" ? null : form.values.language}
              onChange={(language) => form.setFieldValue("language", language ?? "")}
              error={form.errors["language"]}
              searchable
              clearable
              nothingFoundMessage="No such language"
            />
            <Select
              label="Time zone"
              description="Publications are scheduled in it. People elsewhere also see their own time."
              data={listZones(form.values.time_zone)}
              value={form.values.time_zone}
              onChange={(zone) => zone !== null && form.setFieldValue("time_zone", zone)}
              error={form.errors["time_zone"]}
              searchable
              allowDeselect={false}
              limit={100}
              nothingFoundMessage="No such time zone"
            />
          </>
        )}
        {!isNew && (
          <>
            <TextInput
              label="Preview address"
              description={
                <>
                  Where your website shows an article before it is published. Must contain <Code>{"{token}"}</Code>; you
                  can also use <Code>{"{id}"}</Code>, <Code>{"{slug}"}</Code> and <Code>{"{lang}"}</Code>.
                </>
              }
              placeholder="https://example.com/preview?id={id}&token={token}"
              inputMode="url"
              {...form.getInputProps("preview_url")}
            />
            <TextInput
              label="CDN for pictures"
              description="Where readers load pictures from, if not from Rostrum itself. Pictures that are already in texts keep their addresses."
              placeholder="https://cdn.example.com"
              type="url"
              inputMode="url"
              {...form.getInputProps("asset_url")}
            />
          </>
        )}
        <ErrorNote error={saving.error} fields={FIELDS} />
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={!form.isDirty()}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Values = Record<(typeof FIELDS)[number], string>;

function toValues({ name, url, url_pattern, preview_url, asset_url, language, time_zone }: WebsiteInput): Values {
  return {
    name,
    url: url ?? "",
    url_pattern: url_pattern ?? "",
    preview_url: preview_url ?? "",
    asset_url: asset_url ?? "",
    language: language ?? "",
    time_zone: time_zone ?? "UTC",
  };
}

function toInput({ name, url, url_pattern, preview_url, asset_url, language, time_zone }: Values) {
  return {
    name,
    url: url.trim() || null,
    url_pattern: url_pattern.trim() || null,
    preview_url: preview_url.trim() || null,
    asset_url: asset_url.trim() || null,
    language: language || null,
    time_zone,
  };
}

/** The pattern as the service would fill it in; null if it is incomplete. */
function buildExample(pattern: string, language: string, { id, slug }: { id: string; slug: string }): string | null {
  if (!/^https?:\/\/[^/]+/i.test(pattern) || !/\{(?:slug|id)\}/.test(pattern)) return null;
  return pattern
    .trim()
    .replaceAll("{slug}", encodeURIComponent(slug))
    .replaceAll("{id}", id)
    .replaceAll("{lang}", language || "en")
    .replaceAll("{/lang}", "")
    .replaceAll("{year}", "2026")
    .replaceAll("{month}", "01")
    .replaceAll("{day}", "31");
}
