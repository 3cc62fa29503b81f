import { expect, test } from "vitest";
import { show } from "../../../../test/render.tsx";
import { Data } from "./data.tsx";

test("a list or an object without entries is shown as none", async () => {
  const screen = await show(<Data data={{ removed: [], scores: {}, sources: ["one", "two"] }} />);
  await expect.element(screen.getByText("one, two")).toBeVisible();
  expect(screen.getByText("none").elements()).toHaveLength(2);
});
