import { Button } from "@mantine/core";
import { type ReactNode, useMemo, useState } from "react";
import classes from "./diff-view.module.css";
import { type Piece, foldRows } from "./fold.ts";
import { type DiffPart, type DiffRow, diffRows } from "./rows.ts";

interface DiffViewProps {
  before: string;
  after: string;
  /** Names of the sides: “Approved on 3 May”. */
  names: readonly [before: string, after: string];
  /** Source is shown in a monospaced font. */
  isSource?: boolean | undefined;
}

/** Shows two texts side by side, or, on a narrow screen, change by change below each other. */
export function DiffView({ before, after, names, isSource = false }: DiffViewProps): ReactNode {
  const pieces = useMemo(() => foldRows(diffRows(before, after)), [before, after]);
  if (before === after) return <p className={classes.none}>No difference.</p>;
  return (
    <div className={classes.root} data-source={isSource || undefined} role="table" aria-label={names.join(" and ")}>
      {pieces.map((piece) => (
        <PieceView key={piece.rows[0]?.no} piece={piece} names={names} />
      ))}
    </div>
  );
}

function PieceView({ piece, names }: { piece: Piece; names: DiffViewProps["names"] }): ReactNode {
  const [isOpen, setOpen] = useState(!piece.isFolded);
  if (!isOpen) {
    return (
      <div role="row" className={classes.folded}>
        <span role="cell">
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setOpen(true)}>
            {`Show ${piece.rows.length} unchanged ${piece.rows.length === 1 ? "line" : "lines"}`}
          </Button>
        </span>
      </div>
    );
  }
  return piece.rows.map((row) => <RowView key={row.no} row={row} names={names} />);
}

function RowView({ row, names }: { row: DiffRow; names: DiffViewProps["names"] }): ReactNode {
  return (
    <div role="row" className={classes.row} data-same={row.isSame || undefined}>
      <Side parts={row.before} name={names[0]} isSame={row.isSame} side="before" />
      <Side parts={row.after} name={names[1]} isSame={row.isSame} side="after" />
    </div>
  );
}

interface SideProps {
  parts: readonly DiffPart[] | null;
  name: string;
  isSame: boolean;
  side: "before" | "after";
}

function Side({ parts, name, isSame, side }: SideProps): ReactNode {
  const state = isSame ? "same" : parts === null ? "none" : side;
  return (
    <div
      role="cell"
      className={classes.side}
      data-state={state}
      data-side={side}
      aria-label={isSame ? undefined : name}
    >
      <Words parts={parts ?? []} side={side} />
    </div>
  );
}

/** The words of one side, with those that differ marked. */
export function Words({ parts, side }: { parts: readonly DiffPart[]; side: "before" | "after" }): ReactNode {
  return parts.map(({ at, text, isChanged }) => {
    if (!isChanged) return <span key={at}>{text}</span>;
    return side === "before" ? (
      <del key={at} className={classes.changed}>
        {text}
      </del>
    ) : (
      <ins key={at} className={classes.changed}>
        {text}
      </ins>
    );
  });
}
