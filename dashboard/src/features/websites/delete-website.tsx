import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Website, WebsiteContents } from "../../../../src/http/admin/contract/websites.ts";
import { apiPath, del, get } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Section } from "../../shared/page.tsx";
import { toast } from "../../shared/toasts.ts";

/** Only for owners of every website. */
export function DeleteWebsite({ website }: { website: Website }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title="Delete this website" description="With its articles, API keys and webhooks. This cannot be undone.">
      <Group>
        <Button color="red" variant="light" onClick={() => setOpen(true)}>
          Delete this website…
        </Button>
      </Group>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`Delete ${website.name} permanently?`} size="md">
        <Confirmation website={website} onCancel={() => setOpen(false)} />
      </Modal>
    </Section>
  );
}

function Confirmation({ website, onCancel }: { website: Website; onCancel: () => void }): ReactNode {
  const [typed, setTyped] = useState("");
  const client = useQueryClient();
  const navigate = useNavigate();
  const contents = useQuery({
    queryKey: ["websites", website.id, "contents"],
    queryFn: ({ signal }) => get<WebsiteContents>(apiPath`/websites/${website.id}/contents`, { signal }),
    staleTime: 0,
  });
  const deleting = useMutation({
    mutationFn: () => del(apiPath`/websites/${website.id}`, { body: { name: typed } }),
    onSuccess: async () => {
      toast(`${website.name} is deleted.`);
      await client.invalidateQueries({ queryKey: ["session"] });
      await navigate({ to: "/" });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        deleting.mutate();
      }}
    >
      <Stack gap="md">
        <Text size="sm">
          {contents.data === undefined ? "This deletes everything on it." : `This deletes ${sum(contents.data)}.`} Its
          API keys and webhooks stop at once. Export the articles first if you may need them. The audit log keeps what
          was done on this website.
        </Text>
        <ErrorNote error={contents.error} title="Its contents could not be counted" />
        <TextInput
          label={`Type the website’s name to confirm: ${website.name}`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
        <ErrorNote error={deleting.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel} disabled={deleting.isPending}>
            Cancel
          </Button>
          <Button
            type="submit"
            color="red"
            loading={deleting.isPending}
            disabled={typed.trim() !== website.name.trim()}
          >
            Delete permanently
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function sum({ articles, events, keys, webhooks, members }: WebsiteContents): string {
  const parts = [
    amount(articles, "article"),
    amount(events, "event"),
    amount(keys, "API key"),
    amount(webhooks, "webhook"),
    `the access of ${amount(members, "member")}`,
  ];
  return `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`;
}

function amount(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
