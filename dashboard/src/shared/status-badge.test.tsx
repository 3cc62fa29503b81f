import { expect, test } from "vitest";
import { show } from "../../test/render.tsx";
import { WebhookState } from "./status-badge.tsx";

const HOUR_MS = 3_600_000;
const earlier = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();
const GOOD = {
  state: "enabled",
  warning: null,
  consecutive_failures: 0,
  last_failure_at: null,
  last_success_at: earlier(2),
  next_attempt_at: null,
} as const;

test("a webhook whose last attempt failed, and which waits for the next one, is failing", async () => {
  const screen = await show(
    <WebhookState webhook={{ ...GOOD, last_failure_at: earlier(1), next_attempt_at: earlier(-1) }} />,
  );
  await expect.element(screen.getByText("Failing")).toBeVisible();
});

test("a webhook that has succeeded since its failure, or has nothing planned, is enabled", async () => {
  const screen = await show(
    <>
      <WebhookState webhook={{ ...GOOD, last_failure_at: earlier(3), next_attempt_at: earlier(-1) }} />
      <WebhookState webhook={{ ...GOOD, last_failure_at: earlier(1) }} />
      <WebhookState webhook={{ ...GOOD, state: "paused", last_failure_at: earlier(1) }} />
    </>,
  );
  expect(screen.getByText("Enabled").elements()).toHaveLength(2);
  await expect.element(screen.getByText("Paused")).toBeVisible();
});
