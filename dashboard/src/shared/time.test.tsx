import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { show } from "../../test/render.tsx";
import { exactTime, relativeTime, Time } from "./time.tsx";

const NOW = Date.UTC(2026, 5, 15, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  [-5_000, "just now"],
  [-MINUTE, "1 minute ago"],
  [-59 * MINUTE, "59 minutes ago"],
  [-HOUR, "1 hour ago"],
  [-23 * HOUR, "23 hours ago"],
  [-DAY, "yesterday"],
  [-6 * DAY, "6 days ago"],
  [5_000, "just now"],
  [30_000, "just now"],
  [45_000, "in a moment"],
  [5 * MINUTE, "in 5 minutes"],
  [2 * DAY, "in 2 days"],
])("%d ms from now are %s", (distance, words) => {
  expect(relativeTime(new Date(NOW + distance), NOW)).toBe(words);
});

test("what is planned for the next seconds is not just now", () => {
  expect(relativeTime(new Date(NOW + 5_000), NOW, true)).toBe("in a moment");
  expect(relativeTime(new Date(NOW + 5 * MINUTE), NOW, true)).toBe("in 5 minutes");
});

test("a time more than a week away is a date, with the year if it is another one", () => {
  expect(relativeTime(new Date(NOW - 8 * DAY), NOW)).not.toMatch(/ago|2026/);
  expect(relativeTime(new Date(NOW - 400 * DAY), NOW)).toMatch(/2025/);
});

test("the exact time is available by keyboard, too", async () => {
  const then = new Date(Date.now() - 3 * HOUR);
  const screen = await show(<Time at={then.toISOString()} />);
  await userEvent.tab();
  await expect.element(screen.getByRole("tooltip")).toHaveTextContent(exactTime(then));
});

test("a time that is missing says that it never happened", async () => {
  const screen = await show(<Time at={null} none="not yet" />);
  await expect.element(screen.getByText("not yet")).toBeVisible();
});
