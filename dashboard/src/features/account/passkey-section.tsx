import { ActionIcon, Button, Modal, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import IconFingerprint from "@tabler/icons-react/dist/esm/icons/IconFingerprint.mjs";
import IconTrash from "@tabler/icons-react/dist/esm/icons/IconTrash.mjs";
import { type ReactNode, useState } from "react";
import type { Passkey } from "../../../../src/http/admin/contract/passkeys.ts";
import { apiPath, del, post } from "../../api/client.ts";
import { SESSION_KEY } from "../../api/session.ts";
import { useConfirm } from "../../shared/confirm.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Section } from "../../shared/page.tsx";
import { createPasskey, hasPasskeys } from "../../shared/passkeys.ts";
import { BlockSkeleton } from "../../shared/skeletons.tsx";
import { Time } from "../../shared/time.tsx";
import { deviceName } from "../../shared/device-name.ts";
import { usePasswordPrompt } from "./password-prompt.tsx";
import { ProofForm } from "./proof-form.tsx";
import { passkeysQuery } from "./requests.ts";
import classes from "./rows.module.css";

export function PasskeySection(): ReactNode {
  const passkeys = useQuery(passkeysQuery);
  const [isAdding, setAdding] = useState(false);
  const canAdd = hasPasskeys();
  return (
    <Section
      title="Passkeys"
      description="Sign in with your fingerprint, face or security key, without a password or code."
      actions={
        canAdd && (
          <Button variant="default" onClick={() => setAdding(true)}>
            Add a passkey
          </Button>
        )
      }
    >
      {passkeys.isPending && <BlockSkeleton height={20} />}
      <ErrorNote error={passkeys.error} onRetry={() => void passkeys.refetch()} />
      {passkeys.data && passkeys.data.passkeys.length > 0 && (
        <ul className={classes.rows} aria-label="Your passkeys">
          {passkeys.data.passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
      {passkeys.data?.passkeys.length === 0 && (
        <Text size="sm" c="dimmed">
          {canAdd ? "No passkeys yet." : "Passkeys need https. Open the dashboard at its https address to add one."}
        </Text>
      )}
      <Modal opened={isAdding} onClose={() => setAdding(false)} title="Add a passkey">
        <NewPasskey onDone={() => setAdding(false)} />
      </Modal>
    </Section>
  );
}

function NewPasskey({ onDone }: { onDone: () => void }): ReactNode {
  const client = useQueryClient();
  const [name, setName] = useState(() => deviceName(navigator.userAgent));

  async function add(current_password: string): Promise<void> {
    const { options } = await post<{ options: object }>("/passkeys/options", { body: { current_password } });
    const response = await createPasskey(options);
    await post("/passkeys", { body: { name, response } });
    // A website that requires a second factor may now be open to the user.
    void client.invalidateQueries({ queryKey: SESSION_KEY });
    await client.invalidateQueries({ queryKey: passkeysQuery.queryKey });
    onDone();
  }

  return (
    <ProofForm
      submitLabel="Continue"
      onCancel={onDone}
      onProve={add}
      fields={
        <TextInput
          label="Name"
          description="So you can recognise it."
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
      }
    >
      In the next step, your browser asks you to create the passkey.
    </ProofForm>
  );
}

function PasskeyRow({ passkey }: { passkey: Passkey }): ReactNode {
  const client = useQueryClient();
  const confirm = useConfirm();
  const password = usePasswordPrompt();
  const name = passkey.name === "" ? "Passkey" : passkey.name;

  function remove(): void {
    void confirm({
      title: `Remove ${name}?`,
      body: "You can no longer sign in with it. Also remove it from the saved passwords on your device.",
      confirmLabel: "Remove",
      action: () =>
        password.run(async () => {
          await del(apiPath`/passkeys/${passkey.id}`);
          await client.invalidateQueries({ queryKey: passkeysQuery.queryKey });
        }),
    });
  }

  return (
    <li className={classes.row}>
      <IconFingerprint size={20} aria-hidden />
      <div className={classes.texts}>
        <span className={classes.name}>{name}</span>
        <span className={classes.facts}>
          Added <Time at={passkey.created_at} bare /> · last used <Time at={passkey.last_used_at} bare />
        </span>
      </div>
      <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${name}`} onClick={remove}>
        <IconTrash size={17} />
      </ActionIcon>
      {password.dialog}
    </li>
  );
}
