import { Text, Timeline } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconClock from "@tabler/icons-react/dist/esm/icons/IconClock.mjs";
import IconMinus from "@tabler/icons-react/dist/esm/icons/IconMinus.mjs";
import IconPlayerPlay from "@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs";
import type { ReactNode } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { nameActor } from "../../../shared/actors.ts";
import { Time } from "../../../shared/time.tsx";
import { describeWarning } from "../../../shared/warning-kinds.ts";
import { Data } from "./data.tsx";
import classes from "./pipeline-panel.module.css";

type Step = ReviewedArticle["article"]["pipeline_steps"][number];

interface PipelinePanelProps {
  steps: readonly Step[];
  /** The name of the user with that ID; undefined if unknown. */
  nameOf: (id: string) => string | undefined;
}

/** The article's provenance: its generator's steps, then the actions taken here. */
export function PipelinePanel({ steps, nameOf }: PipelinePanelProps): ReactNode {
  if (steps.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No steps are recorded for this article.
      </Text>
    );
  }
  return (
    <Timeline bulletSize={22} lineWidth={2} className={classes.root}>
      {steps.map((step) => {
        const { Icon, label } = STATES[step.status];
        const at = step.completed_at ?? step.started_at;
        return (
          <Timeline.Item
            key={JSON.stringify(step)}
            bullet={<Icon size={13} aria-hidden />}
            data-status={step.status}
            title={`${nameOfStep(step.name)}${step.status === "completed" ? "" : `: ${label}`}`}
          >
            <Text component="div" size="xs" c="dimmed">
              <span className={classes.about}>
                {step.actor !== null && <span>{nameOf(step.actor) ?? actorName(step.actor)}</span>}
                {at !== null && <Time at={at} />}
                {step.duration_ms !== null && step.duration_ms >= 1 && <span>took {duration(step.duration_ms)}</span>}
              </span>
            </Text>
            {step.error !== null && (
              <Text size="sm" className={classes.error}>
                {step.error.message}
                {step.error.code !== "changes_requested" && ` (${step.error.code})`}
              </Text>
            )}
            <Metadata metadata={step.metadata} />
          </Timeline.Item>
        );
      })}
    </Timeline>
  );
}

/** Our own steps have what the article lacks of its source. */
function Metadata({ metadata }: Pick<Step, "metadata">): ReactNode {
  const { warnings, ...others } = metadata;
  const lines = Array.isArray(warnings) ? warnings.flatMap(describeWarning) : [];
  const data = lines.length === 0 ? metadata : others;
  return (
    <>
      {lines.length > 0 && (
        <Text component="ul" size="sm" className={classes.warnings}>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </Text>
      )}
      {Object.keys(data).length > 0 && (
        <div className={classes.data}>
          <Data data={data} />
        </div>
      )}
    </>
  );
}

const STATES = {
  pending: { Icon: IconClock, label: "not started" },
  running: { Icon: IconPlayerPlay, label: "in progress" },
  completed: { Icon: IconCheck, label: "done" },
  failed: { Icon: IconAlertTriangle, label: "failed" },
  skipped: { Icon: IconMinus, label: "skipped" },
} as const satisfies Record<Step["status"], unknown>;

function nameOfStep(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
}

/** A user whose ID is not known here. */
function actorName(actor: string): string {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(actor) ? "a person" : nameActor(actor, actor);
}

/** `ms`: milliseconds. */
function duration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toLocaleString("en", { maximumFractionDigits: 1 })} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
