import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { show } from "../../../test/render.tsx";
import { RequestDays } from "./request-days.tsx";

const DAYS = [0, 0, 1, 0, 12_345].map((count, index) => ({ day: `2026-02-${10 + index}`, count }));

test("screen readers read the days with requests, the newest first", async () => {
  const screen = await show(<RequestDays days={DAYS} />);
  const name = "12,346 requests in 14 days: 12,345 on 14 Feb, 1 on 12 Feb";
  await expect.element(screen.getByRole("img", { name })).toHaveTextContent("12.3K");
});

test("the keyboard reaches each day's number, from the first that has any", async () => {
  const screen = await show(<RequestDays days={DAYS} />);
  await userEvent.tab();
  const numbers = screen.getByRole("tooltip");
  await expect.element(numbers).toHaveTextContent("14 Feb12,34513 Feb012 Feb1Days are in UTC");
});

test("a key that nobody uses says so", async () => {
  const screen = await show(<RequestDays days={DAYS.map(({ day }) => ({ day, count: 0 }))} />);
  await expect.element(screen.getByRole("img", { name: "No requests in 14 days" })).toBeVisible();
});
