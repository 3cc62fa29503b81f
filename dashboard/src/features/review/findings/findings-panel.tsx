/** “Before you approve”: what was found in the text, and what the import could not bring. */
import { Button } from "@mantine/core";
import IconFileImport from "@tabler/icons-react/dist/esm/icons/IconFileImport.mjs";
import type { ReactNode } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import classes from "./findings.module.css";
import { FindingsList } from "./findings-list.tsx";
import { listImportWarnings, toRequest } from "./problems.ts";
import type { Findings } from "./use-findings.ts";

interface FindingsPanelProps {
  reviewed: ReviewedArticle;
  findings: Findings;
  /** Starts a request for changes with this text; null: the user may not request any now. */
  onRequest: ((text: string) => void) | null;
}

export function FindingsPanel({ reviewed, findings, onRequest }: FindingsPanelProps): ReactNode {
  const warnings = listImportWarnings(reviewed);
  return (
    <section className={classes.root} aria-label="Before you approve">
      <h2 className={classes.heading}>Before you approve</h2>
      {findings.problems.length > 0 && (
        <FindingsList
          problems={findings.problems}
          active={findings.active}
          onChoose={findings.activate}
          renderNote={(problem) =>
            onRequest !== null && (
              <div className={classes.note}>
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Request changes: ${problem.name}`}
                  onClick={() => onRequest(toRequest(problem))}
                >
                  Request changes
                </Button>
              </div>
            )
          }
        />
      )}
      {warnings.length > 0 && (
        <div className={classes.problem}>
          <h3 className={classes.name}>
            <IconFileImport size={17} className={classes.icon} aria-hidden />
            What the import could not bring
            {warnings.length > 1 && <span className={classes.count}>{warnings.length}</span>}
          </h3>
          <ul className={classes.places}>
            {warnings.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
