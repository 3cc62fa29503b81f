import type { ReactNode } from "react";
import type { RevisionContent } from "../../../../../src/http/admin/contract/review.ts";
import { DiffView } from "./diff-view.tsx";
import { diffFields, FIELD_LABELS } from "./fields.ts";
import classes from "./fields-view.module.css";

interface FieldsViewProps {
  before: RevisionContent;
  after: RevisionContent;
  names: readonly [before: string, after: string];
}

/** Shows the fields that differ, and the number of the others. */
export function FieldsView({ before, after, names }: FieldsViewProps): ReactNode {
  const differences = diffFields(before, after);
  const same = Object.keys(FIELD_LABELS).length - differences.length;
  return (
    <div className={classes.root}>
      {differences.map(({ label, ...texts }) => (
        <section key={label} aria-label={label}>
          <h3 className={classes.label}>{label}</h3>
          <DiffView {...texts} names={names} />
        </section>
      ))}
      <p className={classes.same}>
        {differences.length === 0 ? "All fields are the same." : `${same} other fields are the same.`}
      </p>
    </div>
  );
}
