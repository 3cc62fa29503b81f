/** Writes bench/results.md: one section per measurement, replaced when that measurement runs again. */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem, type as systemName, release } from "node:os";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "results.md");
const DOCS = join(import.meta.dirname, "..", "docs");

export interface Figure {
  what: string;
  value: string;
  /** The goal; absent: the figure is only reported. */
  goal?: string;
  /** Null: the measurement is void, and `value` gives the reason. */
  met?: boolean | null;
}

export interface Section {
  figures: Figure[];
  /** How it was measured: Markdown paragraphs or tables. */
  notes: string[];
  /** Written to docs/ together with the section. */
  chart?: { file: string; svg: string };
}

/** Writes the section to its place in the file, and to standard output. */
export function writeSection(name: string, order: readonly string[], section: Section): void {
  const sections = readSections();
  const text = present(section);
  sections.set(name, text);
  const known = order.filter((one) => sections.has(one));
  const body = known.map((one) => `## ${one}\n\n${sections.get(one)}\n`).join("\n");
  writeFileSync(FILE, `${HEAD}\n${body}`);
  if (section.chart !== undefined) writeFileSync(join(DOCS, section.chart.file), section.chart.svg);
  printSection(name, section);
}

/** Writes the section to standard output only. */
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

/** A Markdown table for notes. */
export function noteTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [tableLine(head), `|${"---|".repeat(head.length)}`, ...rows.map(tableLine)].join("\n");
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Formats as `12,345`. */
export function thousands(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
