import { Tabs } from "@mantine/core";
import { expect, test } from "vitest";
import { show } from "../../test/render.tsx";
import { ScrollingRow } from "./scrolling-row.tsx";

const NAMES = ["Details", "Feedback", "Preview", "Quality", "Search"];

async function showTabs(width: number, selected: string) {
  const { container } = await show(
    <div style={{ width }}>
      <Tabs value={selected}>
        <ScrollingRow>
          <Tabs.List>
            {NAMES.map((name) => (
              <Tabs.Tab key={name} value={name} w={100}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </ScrollingRow>
      </Tabs>
    </div>,
  );
  return {
    arrows: () => [...container.querySelectorAll<HTMLElement>("button[aria-hidden]")],
    row: () => container.querySelector<HTMLElement>("[role=tablist]"),
  };
}

test("tabs that fit have no arrows", async () => {
  const { arrows } = await showTabs(600, "Details");
  expect(arrows()).toEqual([]);
});

test("tabs that do not fit have an arrow where they go on, which shows the others", async () => {
  const { arrows, row } = await showTabs(250, "Details");
  expect(arrows()).toHaveLength(1);
  arrows()[0]?.click();
  await expect.poll(() => row()?.scrollLeft).toBeGreaterThan(0);
  await expect.poll(() => arrows().length).toBe(2);
});

test("the selected tab is in sight", async () => {
  const { arrows, row } = await showTabs(250, "Search");
  expect(row()?.scrollLeft).toBe(250);
  expect(arrows()).toHaveLength(1);
});
