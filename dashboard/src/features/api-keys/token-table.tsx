import { Table, Text, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import type { AccessToken } from "../../../../src/http/admin/contract/access-tokens.ts";
import { Time } from "../../shared/time.tsx";
import { ExpiryCell, NameCell } from "./key-cells.tsx";
import classes from "./key-table.module.css";
import { revokeToken } from "./requests.ts";
import { RevokeButton } from "./revoke-button.tsx";
import { SCOPES } from "./scopes.ts";

export function TokenTable({ keys }: { keys: readonly AccessToken[] }): ReactNode {
  return (
    <Table verticalSpacing="sm" className={classes.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Token</Table.Th>
          <Table.Th>Scope</Table.Th>
          <Table.Th>Expires</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((token) => (
          <Row key={token.id} token={token} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Row({ token }: { token: AccessToken }): ReactNode {
  const { id, name, scope, state } = token;
  return (
    <Table.Tr>
      <NameCell of={token} />
      <Table.Td data-label="Scope">
        <Text size="sm">{SCOPES.find((one) => one.scope === scope)?.label}</Text>
      </Table.Td>
      <ExpiryCell of={token} />
      <Table.Td data-label="Last used">
        <Time at={token.last_used_at} none="never" />
      </Table.Td>
      <Table.Td className={classes.actions}>
        {state === "active" && <RevokeButton name={name} what="access token" revoke={() => revokeToken(id)} />}
      </Table.Td>
    </Table.Tr>
  );
}
