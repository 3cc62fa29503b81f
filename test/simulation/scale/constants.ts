/** What the model calculates with: this repository's measurements, and assumptions that say so. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "../../../bench/statistics.ts";

export const RESULTS = join(import.meta.dirname, "..", "..", "..", "bench", "results.md");

/** What an operation costs, per article. Processor times in milliseconds. */
export interface OperationCost {
  process: number;
  /** In the processes that derive what follows from a text. */
  content: number;
  database: number;
  /** Written to the log and, on SQLite, to the database file. */
  logKb: number;
  diskKb: number;
}

export interface EngineCosts {
  create: OperationCost;
  publish: OperationCost;
  save: OperationCost;
  /** An article that is in no memory. */
  read: OperationCost;
  /** The first list of a website that a process has not in memory. */
  firstList: OperationCost;
  /** One webhook of 2 KiB from claim to record. */
  delivery: { process: number; database: number };
}

export interface Constants {
  /** Processor milliseconds of an answer from memory, with the kernel's part. */
  readFromMemory: number;
  sqlite: EngineCosts;
  postgres: EngineCosts;
  /** Of one website, one after the other: they wait for its row. Milliseconds. */
  publishOfOneWebsite: number;
  /** Deliveries a second that one process claims and finishes on PostgreSQL, whatever is sent. */
  claimed: number;
  /** Resident megabytes of a process after mixed reads. */
  processMb: number;
}

/** @param results the text of bench/results.md. @throws Error that names a figure that is missing. */
export function readConstants(results = readFileSync(RESULTS, "utf8")): Constants {
  const table = (section: string, head: string) => readTable(results, section, head);
  // On SQLite, and with its claim, so that a delivery costs a little less than the model says.
  const sent = table("webhooks", "")("2 KiB", "its CPU µs/delivery") / 1_000;
  const engine = (suffix: string): EngineCosts => {
    const costs = table(`costs${suffix}`, "per article");
    const cost = (row: string): OperationCost => ({
      process: costs(row, "process ms"),
      content: costs(row, "content ms"),
      database: costs(row, "database ms"),
      logKb: costs(row, "log kB"),
      diskKb: costs(row, "disk kB"),
    });
    return {
      create: cost("create"),
      publish: cost("publish"),
      save: cost("save"),
      read: cost("read one that is not in memory"),
      firstList: cost("first list of a website that is not in memory"),
      delivery: {
        process: costs("deliver, nothing sent", "process ms") + sent,
        database: costs("deliver, nothing sent", "database ms"),
      },
    };
  };
  return {
    readFromMemory: median(table("steady", "process").column("detail, CPU µs")) / 1_000,
    sqlite: engine(""),
    postgres: engine(" on PostgreSQL"),
    publishOfOneWebsite: table("bulk on PostgreSQL", "verb")("publish", "ms an article"),
    claimed: table("drain on PostgreSQL", "Figure")("deliveries claimed and finished, nothing sent", "Measured"),
    processMb: table("memory", "Figure")("resident after 200,000 mixed reads", "Measured"),
  };
}

/** What nobody measured here. Change them with the options of `npm run simulate-scale`. */
export const ASSUMPTIONS = {
  /** Above this, waits grow faster than load (the table of waits shows it). */
  utilisation: 0.6,
  /** Cores of the largest database server that anybody would rent without thinking twice. */
  databaseCores: 32,
  /** Megabytes of log a second that such a server writes, and sends to a replica over 10 Gbit/s. */
  logMbPerSecond: 300,
  /** Share of reads that a CDN with purge by tag answers. */
  cdnHitRatio: 0.95,
  /** Share of the other reads that a process answers from memory. */
  memoryHitRatio: 0.9,
  /** Exponent of the websites' activity: Zipf's law, as Adamic and Huberman found it for visits of websites (2002). */
  skew: 1 as number,
} as const;

interface Table {
  (row: string, column: string): number;
  column: (name: string) => number[];
}

/** The table of the section whose first heading is `head`. */
function readTable(results: string, section: string, head: string): Table {
  const text = results.split(/^## /m).find((part) => part.startsWith(`${section}\n`));
  if (text === undefined) throw new Error(`bench/results.md has no section "${section}": run its measurement.`);
  const tables = text.split("\n\n").filter((part) => part.startsWith("|"));
  const lines = tables.map((part) => part.trimEnd().split("\n").map(toCells)).find(([first]) => first?.[0] === head);
  if (lines === undefined) throw new Error(`Section "${section}" of bench/results.md has no table "${head}".`);
  const [names = [], , ...rows] = lines;
  const cell = (row: readonly string[] | undefined, column: string) => {
    const value = Number.parseFloat((row?.[names.indexOf(column)] ?? "").replaceAll(",", ""));
    if (Number.isNaN(value)) throw new Error(`Section "${section}" of bench/results.md has no "${column}".`);
    return value;
  };
  return Object.assign(
    (row: string, column: string) =>
      cell(
        rows.find(([first]) => first === row),
        column,
      ),
    { column: (name: string) => rows.map((row) => cell(row, name)) },
  );
}

function toCells(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((part) => part.trim());
}
