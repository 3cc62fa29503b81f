import { Button, Group, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import IconCircleCheck from "@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs";
import { type ReactNode, useState } from "react";
import type { RecoveryCodes } from "../../../../src/http/admin/contract/totp.ts";
import { del, post } from "../../api/client.ts";
import { SESSION_KEY } from "../../api/session.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Section } from "../../shared/page.tsx";
import { SecretDialog } from "../../shared/secret-dialog.tsx";
import { StatusBadge } from "../../shared/status-badge.tsx";
import { ProofForm } from "./proof-form.tsx";
import { RecoveryCodeList } from "./recovery-code-list.tsx";
import { totpQuery } from "./requests.ts";
import { TotpSetUp } from "./totp-set-up.tsx";

const FEW_CODES = 3;

type Dialog = "set-up" | "codes" | "off";

const TITLES = {
  "set-up": "Set up an authenticator",
  codes: "New recovery codes",
  off: "Turn off the authenticator?",
} as const satisfies Record<Dialog, string>;

/** The second factor at sign-in: codes from an authenticator app. */
export function TotpSection(): ReactNode {
  const totp = useQuery(totpQuery);
  const client = useQueryClient();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);

  function open(next: Dialog): void {
    setCodes(null);
    setDialog(next);
    setOpen(true);
  }

  function close(): void {
    setOpen(false);
    void client.invalidateQueries({ queryKey: totpQuery.queryKey });
    // A website that requires a second factor may now be open to the user.
    void client.invalidateQueries({ queryKey: SESSION_KEY });
  }

  return (
    <Section
      title="Authenticator"
      description="An app on your phone gives you a code to type after the password."
      actions={
        totp.data?.enabled !== true && (
          <Button variant="default" disabled={totp.isPending} onClick={() => open("set-up")}>
            Set up
          </Button>
        )
      }
    >
      <ErrorNote error={totp.error} onRetry={() => void totp.refetch()} />
      {totp.data?.enabled === true && (
        <Group gap="sm">
          <StatusBadge tone="good" label="On" Icon={IconCircleCheck} />
          <CodesLeft count={totp.data.recovery_codes_left} />
          <Group gap="sm" ml="auto">
            <Button variant="default" onClick={() => open("codes")}>
              New recovery codes
            </Button>
            <Button variant="default" onClick={() => open("off")}>
              Turn off
            </Button>
          </Group>
        </Group>
      )}
      <SecretDialog
        opened={isOpen}
        onClose={close}
        title={codes === null ? dialog && TITLES[dialog] : "Save your recovery codes"}
        secret={codes?.join(" ") ?? null}
        lost={{
          title: "Close without the recovery codes?",
          body: "They cannot be shown again. Without them, losing the app means losing access. You can generate new ones here.",
        }}
        onExitTransitionEnd={() => setDialog(null)}
      >
        {(onTaken) => (
          <>
            {codes !== null && <RecoveryCodeList codes={codes} onTaken={onTaken} onDone={close} />}
            {codes === null && dialog === "set-up" && <TotpSetUp onDone={setCodes} onCancel={close} />}
            {codes === null && dialog === "codes" && (
              <ProofForm
                submitLabel="Generate new codes"
                onCancel={close}
                onProve={async (current_password) => {
                  const made = await post<RecoveryCodes>("/totp/recovery-codes", { body: { current_password } });
                  setCodes(made.recovery_codes);
                }}
              >
                Your current recovery codes stop working.
              </ProofForm>
            )}
            {codes === null && dialog === "off" && (
              <ProofForm
                submitLabel="Turn off"
                danger
                onCancel={close}
                onProve={async (current_password) => {
                  await del("/totp", { body: { current_password } });
                  close();
                }}
              >
                Your password alone is then enough to sign in, and your recovery codes stop working.
              </ProofForm>
            )}
          </>
        )}
      </SecretDialog>
    </Section>
  );
}

function CodesLeft({ count }: { count: number }): ReactNode {
  const isFew = count < FEW_CODES;
  return (
    <Text size="sm" c={isFew ? "var(--mantine-color-amber-text)" : "dimmed"}>
      {count} recovery {count === 1 ? "code" : "codes"} left{isFew && "; generate new ones"}
    </Text>
  );
}
