/** “Before you approve”: what was found in the text, articles alike, and what the import could not bring. */
import { Badge, Button } from "@mantine/core";
import IconCopy from "@tabler/icons-react/dist/esm/icons/IconCopy.mjs";
import IconFileImport from "@tabler/icons-react/dist/esm/icons/IconFileImport.mjs";
import { type ReactNode, useState } from "react";
import type { Finding, FindingKind } from "../../../../../src/domain/articles/findings.ts";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { useAnnounce } from "../../../shared/announce.tsx";
import { nameFinding } from "../../../shared/finding-kinds.ts";
import { describeLanguage } from "../../../shared/languages.ts";
import { TextLink } from "../../../shared/links.tsx";
import { useWebsite } from "../../../shared/session.tsx";
import { Time } from "../../../shared/time.tsx";
import type { OfferUndo } from "../../../shared/undo-toast.tsx";
import classes from "./findings.module.css";
import { FindingsList } from "./findings-list.tsx";
import { FixDialog } from "./fix-dialog.tsx";
import { OverrideDialog } from "./override-dialog.tsx";
import { listImportWarnings, type Problem, toRequest } from "./problems.ts";
import type { Findings } from "./use-findings.ts";

interface FindingsPanelProps {
  reviewed: ReviewedArticle;
  findings: Findings;
  /** Starts a request for changes with this text; null: the user may not request any now. */
  onRequest: ((text: string) => void) | null;
  onChanged: (answer: ReviewedArticle) => void;
  offerUndo: OfferUndo;
}

export function FindingsPanel({ reviewed, findings, onRequest, onChanged, offerUndo }: FindingsPanelProps): ReactNode {
  const website = useWebsite();
  const announce = useAnnounce();
  const [accepting, setAccepting] = useState<FindingKind | null>(null);
  const [fixing, setFixing] = useState<Finding | null>(null);
  const { alike, gate } = reviewed;
  const warnings = listImportWarnings(reviewed);
  const mayAccept = website.can("articles.approve") && reviewed.line.deleted_at === null;
  // A draft copy hides the text that was checked.
  const mayFix = website.can("articles.edit") && reviewed.line.deleted_at === null && reviewed.draft === null;
  const notes = (kind: FindingKind, request: string | null) => (
    <Notes
      kind={kind}
      gate={gate}
      onRequest={request === null || onRequest === null ? null : () => onRequest(request)}
      onAccept={mayAccept ? () => setAccepting(kind) : null}
    />
  );
  return (
    <section className={classes.root} aria-label="Before you approve">
      <h2 className={classes.heading}>Before you approve</h2>
      {findings.problems.length > 0 && (
        <FindingsList
          problems={findings.problems}
          active={findings.active}
          onChoose={findings.activate}
          renderFix={(finding) =>
            mayFix &&
            finding.fix !== undefined && (
              <Button size="compact-xs" variant="light" onClick={() => setFixing(finding)}>
                Fix
              </Button>
            )
          }
          renderNote={(problem: Problem) => notes(problem.kind, toRequest(problem))}
        />
      )}
      {alike.length > 0 && (
        <div className={classes.problem} data-blocking={alike.some(({ blocks }) => blocks) || undefined}>
          <h3 className={classes.name}>
            <IconCopy size={17} className={classes.icon} aria-hidden />
            {nameFinding("near_duplicate")}
          </h3>
          <ul className={classes.places}>
            {alike.map(({ article_id: id, title, language, share }) => (
              <li key={id}>
                {"Similar to "}
                <TextLink to="/articles/$id" params={{ id }} inherit>
                  {title}
                </TextLink>
                {`, ${share} %${language === null ? "" : ` (${describeLanguage(language)})`}`}
              </li>
            ))}
          </ul>
          {notes("near_duplicate", null)}
        </div>
      )}
      {warnings.length > 0 && (
        <div className={classes.problem}>
          <h3 className={classes.name}>
            <IconFileImport size={17} className={classes.icon} aria-hidden />
            What the import could not keep
            {warnings.length > 1 && <span className={classes.count}>{warnings.length}</span>}
          </h3>
          <ul className={classes.places}>
            {warnings.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
      <FixDialog
        reviewed={reviewed}
        finding={fixing}
        onClose={() => setFixing(null)}
        onChanged={onChanged}
        offerUndo={offerUndo}
      />
      <OverrideDialog
        reviewed={reviewed}
        kind={accepting}
        onClose={() => setAccepting(null)}
        onChanged={(answer) => {
          onChanged(answer);
          if (accepting !== null) announce(`Accepted: ${nameFinding(accepting)}.`);
        }}
      />
    </section>
  );
}

interface NotesProps {
  kind: FindingKind;
  gate: ReviewedArticle["gate"];
  onRequest: (() => void) | null;
  /** null: the user may not. */
  onAccept: (() => void) | null;
}

/** Whether a kind holds the approval, who accepted it, and the ways on. */
function Notes({ kind, gate, onRequest, onAccept }: NotesProps): ReactNode {
  const isHolding = gate.kinds.includes(kind);
  const accepted = gate.overridden.filter((one) => one.kind === kind);
  return (
    <>
      {accepted.map(({ actor, at, reason }) => (
        <p key={at} className={classes.overridden}>
          {`Accepted by ${actor.name} `}
          <Time at={at} />
          {`: ${reason}`}
        </p>
      ))}
      {(isHolding || onRequest !== null) && (
        <div className={classes.note}>
          {isHolding && (
            <Badge color="red" variant="light" tt="none">
              Blocks approval
            </Badge>
          )}
          {onRequest !== null && (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Request changes: ${nameFinding(kind)}`}
              onClick={onRequest}
            >
              Request changes
            </Button>
          )}
          {isHolding && onAccept !== null && (
            <Button size="compact-xs" variant="default" aria-label={`Accept: ${nameFinding(kind)}`} onClick={onAccept}>
              Accept…
            </Button>
          )}
        </div>
      )}
    </>
  );
}
