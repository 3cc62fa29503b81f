import { Tabs } from "@mantine/core";
import type { ReactNode } from "react";
import { ScrollingRow } from "../../shared/scrolling-row.tsx";

export function Examples({
  label,
  examples,
}: {
  label: string;
  examples: readonly { name: string; content: ReactNode }[];
}): ReactNode {
  return (
    <Tabs defaultValue={examples[0]?.name ?? null} keepMounted={false}>
      <ScrollingRow>
        <Tabs.List aria-label={label}>
          {examples.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </ScrollingRow>
      {examples.map(({ name, content }) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
