import {
  ActionIcon,
  Alert,
  Button,
  Checkbox,
  Collapse,
  Fieldset,
  Group,
  NumberInput,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import IconPlus from "@tabler/icons-react/dist/esm/icons/IconPlus.mjs";
import IconTrash from "@tabler/icons-react/dist/esm/icons/IconTrash.mjs";
import { type ReactNode, useId } from "react";
import type { Webhook } from "../../../../src/http/admin/contract/webhooks.ts";
import type { WebhookFormState } from "./form-state.ts";

/** Settings that few need. Opens automatically if one of them is invalid. */
export function AdvancedSettings({ form, webhook }: { form: WebhookFormState; webhook: Webhook | null }): ReactNode {
  const id = useId();
  const [isOpen, { toggle }] = useDisclosure(false);
  const hasError = Object.keys(form.errors).some((name) => /^(?:headers|coalesce_ms|ca)(?:\.|$)/.test(name));
  return (
    <div>
      <Button variant="subtle" size="compact-sm" onClick={toggle} aria-expanded={isOpen || hasError} aria-controls={id}>
        Advanced settings
      </Button>
      <Collapse id={id} expanded={isOpen || hasError}>
        <Stack gap="lg" mt="sm">
          <NumberInput
            label="Coalescing window, seconds"
            description="Send only the latest event per article within this window (0 = off)."
            min={0}
            max={3_600}
            decimalScale={3}
            {...form.getInputProps("seconds")}
            error={form.errors["coalesce_ms"]}
          />
          <Headers form={form} webhook={webhook} />
          <Textarea
            label="Private certificate authority"
            description={
              webhook?.has_ca === true
                ? "A certificate is saved. Entering another one replaces it."
                : "Only if your own authority issued the receiver's certificate: the authority's certificate, in PEM."
            }
            placeholder="-----BEGIN CERTIFICATE-----"
            autosize
            minRows={2}
            maxRows={8}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12 } }}
            {...form.getInputProps("ca")}
          />
          {webhook?.has_ca === true && form.values.ca.trim() === "" && (
            <Checkbox
              size="xs"
              label="Remove the saved certificate"
              {...form.getInputProps("dropsCa", { type: "checkbox" })}
            />
          )}
        </Stack>
      </Collapse>
    </div>
  );
}

function Headers({ form, webhook }: { form: WebhookFormState; webhook: Webhook | null }): ReactNode {
  const kept = webhook?.header_names ?? [];
  return (
    <Fieldset
      legend="Custom headers"
      variant="unstyled"
      styles={{ root: { margin: 0, padding: 0 }, legend: { padding: 0, fontSize: 14, fontWeight: 600 } }}
    >
      <Stack gap="xs">
        <Text size="xs" c="dimmed">
          Sent with every message, such as Authorization. Values are encrypted and not shown again.
        </Text>
        {kept.length > 0 && (
          <Alert color="gray" p="xs">
            {`Saved: ${kept.join(", ")}.`}
            {form.values.headers.length > 0 ? (
              " The headers below replace them."
            ) : (
              <Checkbox
                mt={6}
                size="xs"
                label="Remove all saved headers"
                {...form.getInputProps("dropsHeaders", { type: "checkbox" })}
              />
            )}
          </Alert>
        )}
        {form.values.headers.map(({ key }, index) => (
          <Group key={key} gap="xs" align="flex-start">
            <TextInput
              flex="1 1 150px"
              aria-label={`Name of header ${index + 1}`}
              placeholder="Authorization"
              {...form.getInputProps(`headers.${index}.name`)}
            />
            <TextInput
              flex="2 1 180px"
              aria-label={`Value of header ${index + 1}`}
              placeholder="Bearer …"
              autoComplete="off"
              {...form.getInputProps(`headers.${index}.value`)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={`Remove header ${index + 1}`}
              onClick={() => form.removeListItem("headers", index)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        ))}
        {form.errors["headers"] !== undefined && (
          <Text size="xs" c="red">
            {form.errors["headers"]}
          </Text>
        )}
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => form.insertListItem("headers", { key: crypto.randomUUID(), name: "", value: "" })}
        >
          Add a header
        </Button>
      </Stack>
    </Fieldset>
  );
}
