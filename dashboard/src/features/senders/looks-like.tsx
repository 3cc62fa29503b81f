import { Alert, Button, Group, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Arrival, Sender } from "../../../../src/http/admin/contract/senders.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { toast } from "../../shared/toasts.ts";
import { changeSender } from "./requests.ts";

const OR = new Intl.ListFormat("en", { type: "disjunction" });

/** Proposes the kinds that what has arrived looks like; nothing changes by itself. */
export function LooksLike({ sender, arrival }: { sender: Sender; arrival: Arrival | undefined }): ReactNode {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ kind }: { kind: string; name: string }) => changeSender(sender.id, { kind }),
    onSuccess: async (_, { name }) => {
      toast(`The kind is ${name} now.`);
      await client.invalidateQueries({ queryKey: ["senders", sender.website_id] });
    },
  });
  const kinds = arrival?.resembles ?? [];
  if (sender.kind.kind !== "generic" || kinds.length === 0) return null;
  return (
    <Alert color="blue" title={`This looks like ${OR.format(kinds.map(({ name }) => name))}`}>
      <Text size="sm" mb="xs">
        With its own kind, it gets the answer it expects and its tests are recognised. The address and the secret stay
        the same.
      </Text>
      <Group gap="xs">
        {kinds.map((kind) => (
          <Button
            key={kind.kind}
            size="xs"
            variant="default"
            loading={change.isPending && change.variables.kind === kind.kind}
            onClick={() => change.mutate(kind)}
          >
            {`Use ${kind.name}`}
          </Button>
        ))}
      </Group>
      <ErrorNote error={change.error} />
    </Alert>
  );
}
