/** Lists the webhooks that will receive an event, in the question before it. */
import { List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Receivers } from "../../../src/http/admin/contract/articles.ts";
import { get } from "../api/client.ts";

const MAX_SHOWN = 5;

interface ReceiversProps {
  websiteId: string;
  event: "article.published" | "article.updated" | "article.deleted";
}

export function ReceiverNote({ websiteId, event }: ReceiversProps): ReactNode {
  const { data } = useQuery({
    queryKey: ["webhooks", websiteId, "receivers", event],
    queryFn: ({ signal }) => get<Receivers>("/articles/receivers", { query: { website_id: websiteId, event }, signal }),
  });
  if (data === undefined) return null;
  const { receivers } = data;
  if (receivers.length === 0) {
    return (
      <Text size="sm" c="dimmed" mt="sm">
        No webhook will be notified.
      </Text>
    );
  }
  // Several webhooks may have the same host.
  const names = receivers.map(({ host, is_waiting }) => `${host}${is_waiting ? " (when it is enabled again)" : ""}`);
  const distinct = [...new Set(names)];
  return (
    <>
      <Text size="sm" mt="sm">
        Webhooks that will be notified:
      </Text>
      <List size="sm">
        {distinct.slice(0, MAX_SHOWN).map((name) => (
          <List.Item key={name}>{name}</List.Item>
        ))}
      </List>
      {distinct.length > MAX_SHOWN && <Text size="sm">{`and ${distinct.length - MAX_SHOWN} more`}</Text>}
    </>
  );
}
