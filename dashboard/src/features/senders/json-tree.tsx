import type { ReactNode } from "react";
import classes from "./json-tree.module.css";
import { isNameable, type Path } from "./places.ts";

interface JsonTreeProps {
  value: unknown;
  onPick: (path: Path, value: unknown) => void;
}

const MAX_DEPTH = 16;
const MAX_ITEMS = 5;
const MAX_MEMBERS = 200;
const MAX_TEXT = 160;

/** JSON as nested lists in which each value is a button. */
export function JsonTree({ value, onPick }: JsonTreeProps): ReactNode {
  return (
    <div className={classes.tree}>
      <Node name={null} value={value} path={[]} onPick={onPick} />
    </div>
  );
}

interface NodeProps extends JsonTreeProps {
  /** null: the body itself. */
  name: string | null;
  /** null: no place can name it. */
  path: Path | null;
}

function Node({ name, value, path, onPick }: NodeProps): ReactNode {
  const label = name === null ? "" : `${name}: `;
  if (typeof value !== "object" || value === null) {
    const text = shorten(JSON.stringify(value) ?? "");
    if (path === null) return `${label}${text}`;
    return (
      <button type="button" className={classes.value} onClick={() => onPick(path, value)}>
        {name !== null && <span className={classes.name}>{label}</span>}
        {text}
      </button>
    );
  }
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const shown = entries.slice(0, isList ? MAX_ITEMS : MAX_MEMBERS);
  const count = isList ? `list of ${entries.length}` : "object";
  return (
    <>
      {path === null ? (
        label
      ) : (
        <button type="button" className={classes.value} onClick={() => onPick(path, value)}>
          <span className={classes.name}>{name === null ? "the whole body" : name}</span>
          <span className={classes.count}>{` ${count}`}</span>
        </button>
      )}
      {path !== null && path.length >= MAX_DEPTH ? (
        " …"
      ) : (
        <ul>
          {shown.map(([key, inner]) => (
            <li key={key}>
              <Node name={isList ? `[${key}]` : key} value={inner} path={below(path, key, isList)} onPick={onPick} />
            </li>
          ))}
          {entries.length > shown.length && <li>{`and ${entries.length - shown.length} more`}</li>}
        </ul>
      )}
    </>
  );
}

function below(path: Path | null, key: string, isList: boolean): Path | null {
  if (path === null || (!isList && !isNameable(key))) return null;
  return [...path, isList ? Number(key) : key];
}

function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
