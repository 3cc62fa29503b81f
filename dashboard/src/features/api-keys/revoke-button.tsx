import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useAnnounce } from "../../shared/announce.tsx";
import { useConfirm } from "../../shared/confirm.tsx";

export function RevokeButton(props: {
  name: string;
  what: "key" | "access token";
  revoke: () => Promise<unknown>;
}): ReactNode {
  const { name, what, revoke } = props;
  const confirm = useConfirm();
  const announce = useAnnounce();
  const client = useQueryClient();

  async function ask(): Promise<void> {
    const isRevoked = await confirm({
      title: `Revoke the ${what} “${name}”?`,
      body: `Requests with this ${what} will be refused with 401. A revoked ${what} cannot be restored.`,
      confirmLabel: "Revoke",
      action: async () => {
        await revoke();
        await client.invalidateQueries({ queryKey: ["keys"] });
      },
    });
    if (isRevoked) announce(`The ${what} ${name} is revoked.`);
  }

  return (
    <Button size="xs" variant="default" onClick={() => void ask()} aria-label={`Revoke ${name}`}>
      Revoke
    </Button>
  );
}
