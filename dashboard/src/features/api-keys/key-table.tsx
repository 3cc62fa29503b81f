import { Table, Text, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import type { ApiKey } from "../../../../src/http/admin/contract/api-keys.ts";
import { Time } from "../../shared/time.tsx";
import { ExpiryCell, NameCell } from "./key-cells.tsx";
import classes from "./key-table.module.css";
import { RequestDays } from "./request-days.tsx";
import { revokeKey } from "./requests.ts";
import { RevokeButton } from "./revoke-button.tsx";

export function KeyTable({ keys }: { keys: readonly ApiKey[] }): ReactNode {
  return (
    <Table verticalSpacing="sm" className={classes.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Key</Table.Th>
          <Table.Th>Reads</Table.Th>
          <Table.Th>Expires</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>Requests, 14 days</Table.Th>
          <Table.Th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((key) => (
          <Row key={key.id} apiKey={key} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

const SCOPES = { all: "All articles", published: "Published articles", preview: "Preview" };

function Row({ apiKey }: { apiKey: ApiKey }): ReactNode {
  const { name, scope, rate_limit, state } = apiKey;
  return (
    <Table.Tr>
      <NameCell of={apiKey} />
      <Table.Td data-label="Reads">
        <Text size="sm">{SCOPES[scope]}</Text>
        {rate_limit !== null && (
          <Text size="xs" c="dimmed">
            {rate_limit === 0 ? "No rate limit" : `${rate_limit.toLocaleString("en")} requests a second`}
          </Text>
        )}
      </Table.Td>
      <ExpiryCell of={apiKey} />
      <Table.Td data-label="Last used">
        <Time at={apiKey.last_used_at} none="never" />
      </Table.Td>
      <Table.Td data-label="Requests">
        <RequestDays days={apiKey.requests} />
      </Table.Td>
      <Table.Td className={classes.actions}>
        {state === "active" && <RevokeButton name={name} what="key" revoke={() => revokeKey(apiKey.id)} />}
      </Table.Td>
    </Table.Tr>
  );
}
