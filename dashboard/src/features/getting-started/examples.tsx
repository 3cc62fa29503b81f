import { Tabs } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./getting-started-page.module.css";

export function Examples({
  label,
  examples,
}: {
  label: string;
  examples: readonly { name: string; content: ReactNode }[];
}): ReactNode {
  return (
    <Tabs defaultValue={examples[0]?.name ?? null} keepMounted={false}>
      <Tabs.List aria-label={label} className={classes.tabs}>
        {examples.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {examples.map(({ name, content }) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
