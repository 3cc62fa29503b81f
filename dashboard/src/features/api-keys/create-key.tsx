import { Button, Collapse, Group, NumberInput, Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ApiKeyInput } from "../../../../src/http/admin/contract/api-keys.ts";
import { ErrorNote, fieldErrors } from "../../shared/error-note.tsx";
import { SecretDialog } from "../../shared/secret-dialog.tsx";
import { checkDate, type Expiry, ExpiryFields, toExpiry } from "./expiry-fields.tsx";
import { createKey } from "./requests.ts";
import { SecretView } from "./secret-view.tsx";

interface CreateKeyProps {
  websiteId: string;
  isOpen: boolean;
  onClose: () => void;
}

interface Settings extends Expiry {
  name: string;
  scope: NonNullable<ApiKeyInput["scope"]>;
  rateLimit: string | number;
}

const DEFAULTS: Settings = { name: "", scope: "published", expiry: "", date: "", rateLimit: "" };

function useKeyForm() {
  return useForm({
    initialValues: DEFAULTS,
    validate: {
      name: (name) => (name.trim() === "" ? "Enter a name." : null),
      date: checkDate,
    },
  });
}

/** Asks for the key's settings, then shows the key, only once. */
export function CreateKey({ websiteId, isOpen, onClose }: CreateKeyProps): ReactNode {
  const client = useQueryClient();
  const form = useKeyForm();
  const mutation = useMutation({
    mutationFn: (settings: Settings) =>
      createKey({
        website_id: websiteId,
        name: settings.name,
        scope: settings.scope,
        expires_at: toExpiry(settings),
        rate_limit: settings.rateLimit === "" ? null : Number(settings.rateLimit),
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["keys", websiteId] }),
    onError: (error) => form.setErrors(fieldErrors(error)),
  });

  function close(): void {
    onClose();
    form.reset();
  }

  return (
    <SecretDialog
      opened={isOpen}
      onClose={close}
      secret={mutation.data?.secret ?? null}
      lost={{
        title: "Close without the key?",
        body: "It cannot be shown again. If it is lost, revoke it and create another one.",
      }}
      // Discard the key only after the closing transition, so that the dialog does not flicker.
      onExitTransitionEnd={() => mutation.reset()}
      title={mutation.data === undefined ? "Create an API key" : `The key “${mutation.data.key.name}”`}
      size="lg"
    >
      {(onTaken) =>
        mutation.data === undefined ? (
          <form onSubmit={form.onSubmit((settings) => mutation.mutate(settings))} noValidate>
            <Stack gap="lg">
              <Fields form={form} />
              <ErrorNote error={mutation.error} fields={["name", "expires_at", "rate_limit"]} />
              <Group justify="flex-end" gap="sm">
                <Button variant="default" onClick={close}>
                  Cancel
                </Button>
                <Button type="submit" loading={mutation.isPending}>
                  Create
                </Button>
              </Group>
            </Stack>
          </form>
        ) : (
          <SecretView made={mutation.data} what="key" onCopied={onTaken} onStored={close} />
        )
      }
    </SecretDialog>
  );
}

function Fields({ form }: { form: ReturnType<typeof useKeyForm> }): ReactNode {
  const [isMore, more] = useDisclosure(false);
  return (
    <>
      <TextInput
        label="Name"
        description="What will use it, such as “Website” or “Staging”."
        data-autofocus
        required
        {...form.getInputProps("name")}
      />
      <Radio.Group label="What is it for?" {...form.getInputProps("scope")}>
        <Stack gap="xs" mt="xs">
          <Radio
            value="published"
            label="A website"
            description="Reads published articles only: what visitors may see."
          />
          <Radio
            value="preview"
            label="A staging site"
            description="Reads every article with its latest changes, as if it were published."
          />
          <Radio
            value="all"
            label="Another program"
            description="Also reads approved and pending articles when a request asks for them. Not for public pages."
          />
        </Stack>
      </Radio.Group>
      <ExpiryFields form={form} mayNever />
      <div>
        <Button variant="subtle" size="compact-sm" onClick={more.toggle} aria-expanded={isMore}>
          Advanced settings
        </Button>
        <Collapse expanded={isMore}>
          <NumberInput
            mt="sm"
            label="Requests per second"
            description="Leave empty for the service's limit. 0 means no limit."
            min={0}
            max={1_000_000}
            allowDecimal={false}
            {...form.getInputProps("rateLimit")}
            error={form.errors["rate_limit"]}
          />
        </Collapse>
      </div>
    </>
  );
}
