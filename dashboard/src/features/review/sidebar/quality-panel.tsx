import { Stack, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconCircleCheck from "@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs";
import IconCircleX from "@tabler/icons-react/dist/esm/icons/IconCircleX.mjs";
import { Fragment, type ReactNode } from "react";
import type { Preview } from "../../../../../src/http/admin/contract/review.ts";
import type { CheckId, Dimension } from "../../../../../src/domain/articles/content/limits.ts";
import { qualityLevel } from "../../../shared/quality.ts";
import { Data } from "./data.tsx";
import classes from "./quality-panel.module.css";

type Metrics = Preview["quality_metrics"];
type Check = Metrics["checks"][number];

interface QualityPanelProps {
  metrics: Metrics;
  /** Shown before the checks that pass. */
  children?: ReactNode;
}

/** The score, its dimensions, and advice for each check that does not pass. */
export function QualityPanel({ metrics, children }: QualityPanelProps): ReactNode {
  const { overall_score, dimensions, checks, reported } = metrics;
  return (
    <Stack gap="lg">
      <div className={classes.scores}>
        <div className={classes.overall} data-tone={qualityLevel(overall_score)}>
          <b>{overall_score}</b>
          <span>of 100, {qualityLevel(overall_score)}</span>
        </div>
        <dl className={classes.dimensions}>
          {DIMENSIONS.map(([name, label, ids]) => (
            <div key={name} className={classes.dimension}>
              <dt>{label}</dt>
              <dd>
                <span className={classes.bar} aria-hidden>
                  <i data-tone={qualityLevel(dimensions[name])} style={{ width: `${dimensions[name]}%` }} />
                </span>
                <span className={classes.number}>
                  {checks.some(({ id }) => ids.some((known) => known === id)) ? dimensions[name] : "–"}
                </span>
              </dd>
            </div>
          ))}
        </dl>
      </div>
      {GROUPS.map(({ status, title }) => (
        <Fragment key={status}>
          {status === "pass" && children}
          <Group title={title} checks={checks.filter((check) => check.status === status)} />
        </Fragment>
      ))}
      {reported !== null && (
        <section aria-label="Reported by the generator">
          <h2 className={classes.heading}>Reported by the generator</h2>
          <Data data={reported} />
        </section>
      )}
    </Stack>
  );
}

function Group({ title, checks }: { title: string; checks: readonly Check[] }): ReactNode {
  if (checks.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className={classes.heading}>
        {title}{" "}
        <Text span inherit c="dimmed" fw={400}>
          {checks.length}
        </Text>
      </h2>
      <ul className={classes.checks}>
        {checks.map((check) => (
          <li key={check.id} className={classes.check}>
            <Mark status={check.status} />
            <div>
              <div>{check.message}</div>
              <div className={classes.measured}>
                {`${getName(check.id)}: ${formatValue(check.value)} Target: ${check.threshold}.`}
              </div>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Mark({ status }: Pick<Check, "status">): ReactNode {
  const { Icon } = MARKS[status];
  return <Icon size={17} className={classes.mark} data-status={status} aria-hidden />;
}

/** The heaviest first. Without one of its checks, a dimension's score of 0 says nothing. */
const DIMENSIONS: readonly [name: Dimension, label: string, checks: readonly CheckId[]][] = [
  ["readability", "Readability", ["sentence_length"]],
  ["structure", "Structure", ["word_count"]],
  ["evidence", "Evidence", ["specifics", "unsourced_claims", "unsourced_percentages"]],
  ["seo", "SEO", ["title_length"]],
  ["originality", "Originality", ["distinct_phrases"]],
  ["links", "Links", ["external_links", "internal_links", "link_texts"]],
  ["images", "Images", ["image_presence", "images_without_alt", "featured_image"]],
];

const GROUPS = [
  { status: "fail", title: "Fix" },
  { status: "warn", title: "Improve" },
  { status: "pass", title: "Good" },
] as const;

const MARKS = {
  pass: { Icon: IconCircleCheck },
  warn: { Icon: IconAlertTriangle },
  fail: { Icon: IconCircleX },
} as const;

/** `keyword_in_title` → “Keyword in title”. */
function getName(id: string): string {
  const words = id.replaceAll("_", " ").replaceAll(/\balt\b/g, "alt text");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function formatValue(value: Check["value"]): string {
  if (typeof value === "number") return `${value.toLocaleString("en", { maximumFractionDigits: 2 })}.`;
  if (typeof value === "string") return `${value}.`;
  if (value === null) return "unknown.";
  return value ? "yes." : "no.";
}
