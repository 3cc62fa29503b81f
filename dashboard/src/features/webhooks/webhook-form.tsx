import { Alert, Button, Checkbox, Group, Radio, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { AddressCheck, Webhook } from "../../../../src/http/admin/contract/webhooks.ts";
import { ErrorNote, fieldErrors, toMessage } from "../../shared/error-note.tsx";
import {
  EVENTS,
  FORM_FIELDS,
  isOtherOrigin,
  PAYLOADS,
  useWebhookForm,
  type Values,
  type WebhookSettings,
  toSettings,
} from "./form-state.ts";
import { AdvancedSettings } from "./advanced-settings.tsx";
import { checkAddress } from "./requests.ts";

interface WebhookFormProps {
  websiteId: string;
  /** The webhook to edit; null: a new one. */
  webhook: Webhook | null;
  onSubmit: (settings: WebhookSettings) => Promise<unknown>;
  onCancel: () => void;
}

export function WebhookForm({ websiteId, webhook, onSubmit, onCancel }: WebhookFormProps): ReactNode {
  const form = useWebhookForm(webhook);
  const address = useMutation({ mutationFn: (url: string) => checkAddress(websiteId, url) });
  const saving = useMutation({
    mutationFn: (values: Values) => onSubmit(toSettings(values, webhook)),
    onError: (error) => form.setErrors(fieldErrors(error)),
  });

  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values))} noValidate>
      <Stack gap="lg">
        <div>
          <TextInput
            label="URL"
            placeholder="https://example.com/hooks/articles"
            type="url"
            inputMode="url"
            required
            data-autofocus
            {...form.getInputProps("url")}
            onBlur={() => {
              if (form.values.url.trim() !== "" && form.values.url !== webhook?.url) address.mutate(form.values.url);
            }}
          />
          <AddressNote check={address} isShown={!form.errors["url"] && address.variables === form.values.url} />
        </div>
        {webhook !== null && webhook.header_names.length > 0 && isOtherOrigin(form.values.url, webhook) && (
          <Alert color="yellow" role="status">
            {`The saved headers (${webhook.header_names.join(", ")}) are removed, because this address leads to another host. Enter them again below if the new receiver needs them.`}
          </Alert>
        )}
        <TextInput
          label="Name"
          description="So you can recognise it. Shown to teammates (optional)."
          {...form.getInputProps("name")}
        />
        <Textarea
          label="Description"
          description="Shown to teammates (optional)."
          autosize
          minRows={1}
          maxRows={6}
          {...form.getInputProps("description")}
        />
        <Checkbox.Group label="Which events to send" {...form.getInputProps("events")}>
          <Stack gap="xs" mt="xs">
            {EVENTS.map(({ kind, label, description }) => (
              <Checkbox key={kind} value={kind} label={label} description={description} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Radio.Group label="What a message contains" {...form.getInputProps("payload")}>
          <Stack gap="xs" mt="xs">
            {PAYLOADS.map(({ payload, label, description }) => (
              <Radio key={payload} value={payload} label={label} description={description} />
            ))}
          </Stack>
        </Radio.Group>
        <AdvancedSettings form={form} webhook={webhook} />
        <ErrorNote error={saving.error} fields={FORM_FIELDS} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending}>
            {webhook === null ? "Create" : "Save"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface AddressNoteProps {
  check: { data: AddressCheck | undefined; error: unknown };
  /** False once the URL has been changed. */
  isShown: boolean;
}

/** Has a fixed height so that the form does not move when the response arrives. */
function AddressNote({ check: { data, error }, isShown }: AddressNoteProps): ReactNode {
  const isWrong = error !== null || data?.ok === false;
  return (
    <Text size="xs" mt={4} mih={18} c={isWrong ? "red" : "dimmed"} aria-live="polite">
      {isShown && error !== null && toMessage(error)}
      {isShown && data !== undefined && (data.message ?? "This URL can be called.")}
    </Text>
  );
}
