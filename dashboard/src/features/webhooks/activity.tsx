/** What the webhook was sent in the last days, its answers, and how long they took. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Activity, Webhook } from "../../../../src/http/admin/contract/webhooks.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Section } from "../../shared/page.tsx";
import { BlockSkeleton } from "../../shared/skeletons.tsx";
import { TimeChart } from "../../shared/time-chart.tsx";
import classes from "./activity.module.css";
import { activityQuery } from "./requests.ts";

export function WebhookActivity({ webhook }: { webhook: Webhook }): ReactNode {
  const { data, error, refetch } = useQuery(activityQuery(webhook.website_id, webhook.id));
  if (data === undefined) {
    if (error === null) return <BlockSkeleton height={170} />;
    return <ErrorNote error={error} title="The chart could not be loaded" onRetry={() => void refetch()} />;
  }
  const { steps, answers } = data;
  if (answers.length === 0) return null;
  return (
    <div className={classes.charts}>
      <Section title="Attempts">
        <TimeChart
          title="Attempts"
          span="days"
          series={[
            { label: "Delivered", tone: "good" },
            { label: "Failed", tone: "bad" },
          ]}
          steps={steps.map(({ start, delivered, failed }) => ({ start, values: [delivered, failed] }))}
        />
        <Text size="sm" c="dimmed">
          {`Answers: ${answers.map(({ attempts, ...answer }) => `${nameAnswer(answer)} (${attempts.toLocaleString("en")})`).join(", ")}`}
        </Text>
      </Section>
      <Section title="Response times">
        <TimeChart
          title="Average response time"
          span="days"
          series={[{ label: "On average", tone: "good" }]}
          unit=" ms"
          total={`${average(steps).toLocaleString("en")} ms on average`}
          steps={steps.map(({ start, average_ms: ms }) => ({ start, values: [ms ?? 0] }))}
        />
      </Section>
    </div>
  );
}

type Answer = Activity["answers"][number];

/** “200”, or what happened instead of an answer: “timeout”. */
function nameAnswer({ outcome, status }: Pick<Answer, "outcome" | "status">): string {
  return status === null ? outcome.replaceAll("_", " ") : String(status);
}

function average(steps: Activity["steps"]): number {
  const attempts = steps.reduce((sum, { delivered, failed }) => sum + delivered + failed, 0);
  const all = steps.reduce((sum, { delivered, failed, average_ms: ms }) => sum + (delivered + failed) * (ms ?? 0), 0);
  return Math.round(all / Math.max(1, attempts));
}
