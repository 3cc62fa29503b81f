/** Cells of the tables of API keys and of access tokens. */
import { Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { ApiKey } from "../../../../src/http/admin/contract/api-keys.ts";
import { KeyState } from "../../shared/status-badge.tsx";
import { Time } from "../../shared/time.tsx";
import classes from "./key-table.module.css";

type Named = Pick<ApiKey, "name" | "prefix" | "last_four" | "state">;
type Expiring = Pick<ApiKey, "state" | "expires_at" | "revoked_at">;

export function NameCell({ of: { name, prefix, last_four, state } }: { of: Named }): ReactNode {
  return (
    <Table.Td>
      <div className={classes.name}>
        <Text fw={550} size="sm">
          {name}
        </Text>
        {state !== "active" && <KeyState state={state} />}
      </div>
      <Text size="xs" c="dimmed" ff="monospace">{`${prefix}…${last_four}`}</Text>
    </Table.Td>
  );
}

export function ExpiryCell({ of: { state, expires_at, revoked_at } }: { of: Expiring }): ReactNode {
  return (
    <Table.Td data-label="Expires">
      {state === "revoked" ? (
        <>
          {"revoked "}
          <Time at={revoked_at} />
        </>
      ) : (
        <Time at={expires_at} none="never" />
      )}
    </Table.Td>
  );
}
