import { Collapse, Group, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import IconChevronRight from "@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs";
import type { ComponentType, ReactNode } from "react";
import type { ApiKey } from "../../../../src/http/admin/contract/api-keys.ts";
import classes from "./by-state.module.css";

interface ByStateProps<Key> {
  keys: readonly Key[];
  Table: ComponentType<{ keys: readonly Key[] }>;
}

/** Lists the active keys or tokens; the others are collapsed. */
export function ByState<Key extends Pick<ApiKey, "state">>({ keys, Table }: ByStateProps<Key>): ReactNode {
  const [isOpen, { toggle }] = useDisclosure(false);
  const active = keys.filter(({ state }) => state === "active");
  const ended = keys.filter(({ state }) => state !== "active");
  return (
    <>
      {active.length > 0 && <Table keys={active} />}
      {ended.length > 0 && (
        <div>
          <UnstyledButton className={classes.fold} onClick={toggle} aria-expanded={isOpen}>
            <Group gap={6}>
              <IconChevronRight size={16} data-open={isOpen || undefined} aria-hidden />
              {`Expired and revoked (${ended.length.toLocaleString("en")})`}
            </Group>
          </UnstyledButton>
          <Collapse expanded={isOpen}>
            <Table keys={ended} />
          </Collapse>
        </div>
      )}
    </>
  );
}
