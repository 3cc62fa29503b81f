/** Findings by kind, each with its places in the text. */
import { Button, UnstyledButton } from "@mantine/core";
import IconAlertOctagon from "@tabler/icons-react/dist/esm/icons/IconAlertOctagon.mjs";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Finding } from "../../../../../src/domain/articles/findings.ts";
import classes from "./findings.module.css";
import { describeField, type Problem } from "./problems.ts";

interface FindingsListProps {
  problems: readonly Problem[];
  active: Finding | null;
  /** Called with the finding whose place is to be shown. */
  onChoose: (finding: Finding) => void;
  /** Says more of a kind, such as that it holds the approval, and what can be done about it. */
  renderNote?: (problem: Problem) => ReactNode;
  /** What can be done about one finding. */
  renderFix?: (finding: Finding) => ReactNode;
}

export function FindingsList({ problems, ...rest }: FindingsListProps): ReactNode {
  return (
    <ul className={classes.problems}>
      {problems.map((problem) => (
        <ProblemCard key={problem.kind} problem={problem} {...rest} />
      ))}
    </ul>
  );
}

/** Places that are listed at first. */
const MAX_PLACES = 3;

function ProblemCard({
  problem,
  active,
  onChoose,
  renderNote,
  renderFix,
}: Omit<FindingsListProps, "problems"> & { problem: Problem }): ReactNode {
  const { name, isBlocking, findings } = problem;
  const [isOpen, setOpen] = useState(false);
  const messages = new Set(findings.map(({ message }) => message));
  const isActiveHidden = active !== null && findings.indexOf(active) >= MAX_PLACES;
  const isWhole = isOpen || isActiveHidden || findings.length <= MAX_PLACES + 1;
  const shown = isWhole ? findings : findings.slice(0, MAX_PLACES);
  const Icon = isBlocking ? IconAlertOctagon : IconAlertTriangle;
  return (
    <li className={classes.problem} data-blocking={isBlocking || undefined}>
      <h3 className={classes.name}>
        <Icon size={17} className={classes.icon} aria-hidden />
        {name}
        {findings.length > 1 && <span className={classes.count}>{findings.length}</span>}
      </h3>
      {messages.size === 1 && <p className={classes.message}>{findings[0]?.message}</p>}
      <ul className={classes.places}>
        {shown.map((finding) => (
          <li key={`${finding.field} ${finding.block} ${finding.start} ${finding.end}`}>
            {messages.size > 1 && <p className={classes.message}>{finding.message}</p>}
            <div className={classes.place}>
              <PlaceButton finding={finding} isActive={finding === active} onChoose={onChoose} />
              {renderFix?.(finding)}
            </div>
          </li>
        ))}
      </ul>
      {!isWhole && (
        <Button size="compact-xs" variant="subtle" className={classes.more} onClick={() => setOpen(true)}>
          {`Show ${findings.length - shown.length} more`}
        </Button>
      )}
      {renderNote?.(problem)}
    </li>
  );
}

function PlaceButton({
  finding,
  isActive,
  onChoose,
}: Pick<FindingsListProps, "onChoose"> & { finding: Finding; isActive: boolean }): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  const where = describeField(finding);
  useEffect(() => {
    if (isActive) button.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  if (finding.quote === "" && where === null) return null;
  const quote = finding.quote !== "" && (
    <q className={classes.quote} dir="auto">
      {finding.quote}
    </q>
  );
  if (finding.field === "meta_description") {
    return (
      <div className={classes.fixed}>
        {where !== null && <span className={classes.where}>{where}</span>} {quote}
      </div>
    );
  }
  return (
    <UnstyledButton
      ref={button}
      className={classes.show}
      data-active={isActive || undefined}
      aria-current={isActive || undefined}
      title="Show it in the text"
      onClick={() => onChoose(finding)}
    >
      {where !== null && <span className={classes.where}>{where}</span>} {quote}
    </UnstyledButton>
  );
}
