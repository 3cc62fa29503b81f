import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Webhook } from "../../../../src/http/admin/contract/webhooks.ts";
import { Fact, Facts } from "../../shared/facts.tsx";
import { isAhead, Time } from "../../shared/time.tsx";
import classes from "./health.module.css";

/** The webhook's health in words, for one line of a list. */
export function HealthLine({ webhook }: { webhook: Webhook }): ReactNode {
  const { last_success_at, last_failure_at, waiting, parked, state, next_attempt_at } = webhook;
  if (last_success_at === null && last_failure_at === null) return "Nothing sent yet";
  return (
    <>
      {last_success_at === null ? "No success yet" : "Last success "}
      <Time at={last_success_at} none="" />
      {state === "enabled" && waiting > 0 && ` · ${counted(waiting)} waiting`}
      {isAhead(next_attempt_at) && (
        <>
          {" · next attempt "}
          <Time at={next_attempt_at} isPlanned />
        </>
      )}
      {parked > 0 && ` · ${counted(parked)} parked`}
    </>
  );
}

/** Consecutive deliveries that failed in all their attempts, out of the number that disables the webhook. */
export function FailureMeter({ webhook }: { webhook: Webhook }): ReactNode {
  const { consecutive_failures: failures, disable_after: most } = webhook;
  return (
    <span className={classes.meter} data-level={failures === 0 ? "good" : failures < most / 2 ? "fair" : "bad"}>
      <span className={classes.cells} aria-hidden>
        {Array.from({ length: Math.min(most, 20) }, (_, index) => (
          <span key={index} data-on={index < Math.ceil((failures * Math.min(most, 20)) / most) || undefined} />
        ))}
      </span>
      <Text span size="sm">{`${failures} of ${most}`}</Text>
    </span>
  );
}

/** The facts at the top of a webhook's page. */
export function HealthFacts({ webhook }: { webhook: Webhook }): ReactNode {
  return (
    <Facts>
      <Fact name="Last success">
        <Time at={webhook.last_success_at} none="never" />
      </Fact>
      <Fact name="Failed deliveries in a row">
        <FailureMeter webhook={webhook} />
      </Fact>
      <Fact name="Waiting">{counted(webhook.waiting)}</Fact>
      <Fact name="Next attempt">
        {webhook.next_attempt_at === null || isAhead(webhook.next_attempt_at) ? (
          <Time at={webhook.next_attempt_at} none="none planned" isPlanned />
        ) : (
          "now"
        )}
      </Fact>
      <Fact name="Parked">
        {counted(webhook.parked)}
        {webhook.replaying && " · being sent"}
      </Fact>
    </Facts>
  );
}

/** The service counts only up to this number. */
const MAX_COUNTED = 10_000;

export function counted(number: number): string {
  return number >= MAX_COUNTED ? "10,000 or more" : number.toLocaleString("en");
}
