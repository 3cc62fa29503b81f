/** Asks to sign in again over the page, which stays as it is: what is typed there is still there afterwards. */
import { Anchor, Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import type { WhoAmI } from "../../../../src/http/admin/contract/session.ts";
import { ApiError, del, get } from "../../api/client.ts";
import { SERVICE_BACK } from "../../api/service-events.ts";
import { SESSION_KEY } from "../../api/session.ts";
import { type Credentials, PasswordStep } from "./password-step.tsx";
import { SecondStep } from "./second-step.tsx";

interface SignInAgainProps {
  /** Whose session has ended. */
  account: WhoAmI["account"];
  /** Leaves the page for that of signing in. */
  onLeave: () => void;
}

export function SignInAgain({ account, onLeave }: SignInAgainProps): ReactNode {
  const client = useQueryClient();
  const [awaitingCode, setAwaitingCode] = useState<Credentials | null>(null);

  function resume(session: WhoAmI): void {
    client.setQueryData(SESSION_KEY, session);
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
    window.dispatchEvent(new Event(SERVICE_BACK));
  }

  async function enter(): Promise<void> {
    const session = await get<WhoAmI>("/session");
    if (session.account.id === account.id) {
      resume(session);
      return;
    }
    // What is on the page belongs to somebody else.
    await del("/session");
    throw new ApiError(403, `That is the account of ${session.account.email}. This page belongs to ${account.email}.`);
  }

  const lookAgain = useEffectEvent(async () => {
    const session = await get<WhoAmI>("/session").catch(() => null);
    if (session?.account.id === account.id) resume(session);
  });
  useEffect(() => {
    // The person may have signed in in another tab.
    const onFocus = () => void lookAgain();
    window.addEventListener("focus", onFocus);
    return () => window.removeEventListener("focus", onFocus);
  }, []);

  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={awaitingCode === null ? "Sign in again" : "Enter your code"}
      size="sm"
      zIndex={500}
    >
      <Stack gap="md">
        <Text size="sm">Your session has ended. What is on this page stays as it is; sign in to go on.</Text>
        {awaitingCode === null ? (
          <PasswordStep email={account.email} onNeedsCode={setAwaitingCode} enter={enter} />
        ) : (
          <SecondStep credentials={awaitingCode} onBack={() => setAwaitingCode(null)} enter={enter} />
        )}
        <Anchor component="button" type="button" size="sm" onClick={onLeave}>
          Leave this page and sign in as somebody else
        </Anchor>
      </Stack>
    </Modal>
  );
}
