import { Button, Group, Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { AccessTokenInput } from "../../../../src/http/admin/contract/access-tokens.ts";
import { ErrorNote, fieldErrors } from "../../shared/error-note.tsx";
import { SecretDialog } from "../../shared/secret-dialog.tsx";
import { checkDate, type Expiry, ExpiryFields, toExpiry } from "./expiry-fields.tsx";
import { createToken } from "./requests.ts";
import { SCOPES } from "./scopes.ts";
import { SecretView } from "./secret-view.tsx";

interface Settings extends Expiry {
  name: string;
  scope: AccessTokenInput["scope"];
}

const DEFAULTS: Settings = { name: "", scope: "draft", expiry: "365", date: "" };

/** Asks for the token's settings, then shows the token, only once. */
export function CreateToken(props: { websiteId: string; isOpen: boolean; onClose: () => void }): ReactNode {
  const { websiteId, isOpen, onClose } = props;
  const client = useQueryClient();
  const form = useForm({
    initialValues: DEFAULTS,
    validate: { name: (name) => (name.trim() === "" ? "Enter a name." : null), date: checkDate },
  });
  const mutation = useMutation({
    mutationFn: ({ name, scope, ...expiry }: Settings) =>
      createToken({ website_id: websiteId, name, scope, expires_at: toExpiry(expiry) }),
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
        title: "Close without the access token?",
        body: "It cannot be shown again. If it is lost, revoke it and create another one.",
      }}
      // Discard the token only after the closing transition, so that the dialog does not flicker.
      onExitTransitionEnd={() => mutation.reset()}
      title={mutation.data === undefined ? "Create an access token" : `The access token “${mutation.data.token.name}”`}
      size="lg"
    >
      {(onTaken) =>
        mutation.data === undefined ? (
          <form onSubmit={form.onSubmit((settings) => mutation.mutate(settings))} noValidate>
            <Stack gap="lg">
              <TextInput
                label="Name"
                description="What will use it, such as “Article generator”. The history shows this name with its changes."
                data-autofocus
                required
                {...form.getInputProps("name")}
              />
              <Radio.Group label="What may it do?" {...form.getInputProps("scope")}>
                <Stack gap="xs" mt="xs">
                  {SCOPES.map(({ scope, label, description }) => (
                    <Radio key={scope} value={scope} label={label} description={description} />
                  ))}
                </Stack>
              </Radio.Group>
              <ExpiryFields form={form} mayNever={false} />
              <ErrorNote error={mutation.error} fields={["name", "expires_at"]} />
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
          <SecretView made={mutation.data} what="access token" onCopied={onTaken} onStored={close} />
        )
      }
    </SecretDialog>
  );
}
