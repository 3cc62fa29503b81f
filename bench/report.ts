/** bench/results.md: one section per measurement, each replaced when that measurement runs again. */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem, type as systemName, release } from "node:os";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "results.md");

export interface Figure {
  what: string;
  value: string;
  /** What it should be; absent: reported only. */
  goal?: string;
  /** Null: the measurement is void, and says why in `value`. */
  met?: boolean | null;
}

export interface Section {
  figures: Figure[];
  /** How it was measured: paragraphs or tables of Markdown. */
  notes: string[];
}

/** Puts the section in its place in the file, and on standard output. */
export function writeSection(name: string, order: readonly string[], section: Section): void {
  const sections = readSections();
  const text = present(section);
  sections.set(name, text);
  const known = order.filter((one) => sections.has(one));
  const body = known.map((one) => `## ${one}\n\n${sections.get(one)}\n`).join("\n");
  writeFileSync(FILE, `${HEAD}\n${body}`);
  printSection(name, section);
}

/** On standard output alone. */
export function printSection(name: string, section: Section): void {
  process.stdout.write(`\n## ${name}\n\n${present(section)}\n`);
}

const HEAD = `# Measured

Written by \`npm run bench\`; \`npm run bench -- reads start\` repeats only these; \`--postgres\` before the names
measures on PostgreSQL. Every section names its day and machine.
A goal that is not met stands here as well.
`;

function readSections(): Map<string, string> {
  let text: string;
  try {
    text = readFileSync(FILE, "utf8");
  } catch {
    return new Map();
  }
  return new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf("\n");
        return [part.slice(0, end).trim(), part.slice(end).trim()];
      }),
  );
}

function present({ figures, notes }: Section): string {
  return [machine(), table(figures), ...notes].join("\n\n");
}

function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown CPU";
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const date = new Date().toISOString().slice(0, 16).replace("T", " ");
  return `${date} UTC, Node ${process.versions.node}, ${systemName()} ${release()}, ${cpus().length} × ${model}, ${memory}.`;
}

function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, value, goal, met }) => {
    const verdict = goal === undefined ? "" : met === null ? "void" : met === true ? "met" : "**not met**";
    return `| ${what} | ${value} | ${goal ?? ""} | ${verdict} |`;
  });
  return ["| Figure | Measured | Goal | |", "|---|---|---|---|", ...rows].join("\n");
}

/** A table of Markdown for notes. */
export function noteTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [tableLine(head), `|${"---|".repeat(head.length)}`, ...rows.map(tableLine)].join("\n");
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** `12,345` */
export function thousands(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
