/** The figures as lines of text. A table too wide for the terminal loses its least important columns. */
import type { Line } from "../command.ts";
import type { Figures, ProcessFigures } from "./figures.ts";

interface Column {
  heading: string;
  /** Columns are left out from the highest rank down. */
  rank: number;
}

interface Row extends Pick<Line, "style"> {
  cells: readonly string[];
}

const NONE = "–";
const GAP = 2;
/** An older backup is a day late. */
const MAX_BACKUP_AGE_S = 26 * 3_600;
const MIN_FREE_SHARE = 0.1;

/** `columns`: the terminal's; null: lines may have any length. */
export function toLines(figures: Figures, columns: number | null): Line[] {
  const { processes, nodes, time } = figures;
  const answering = processes.filter(({ state }) => state !== "away").length;
  const unnamed = Math.max(0, (nodes ?? 0) - processes.length);
  const others = unnamed === 0 ? "" : `, ${unnamed} more not named with --url`;
  const known = processes.length === 1 ? "1 process" : `${processes.length} processes`;
  return [
    {
      text: `Rostrum at ${time.slice(11, 19)} UTC: ${known}${answering === processes.length ? "" : `, ${answering} answering`}${others}`,
      style: answering === processes.length ? "bold" : "red",
    },
    { text: "" },
    ...trafficLines(figures, columns),
    { text: "" },
    ...queueLines(figures, columns),
    { text: "" },
    ...diskLines(figures, columns),
    { text: "" },
    ...processLines(processes, columns),
  ];
}

function trafficLines({ requests, webhooks }: Figures, columns: number | null): Line[] {
  const rows = Object.entries({
    ...requests,
    webhooks: { ...webhooks, per_second: webhooks.attempts_per_second, refused_per_second: null },
  }).map(([name, one]): Row => {
    const { p50, p95, p99 } = one.latency_ms;
    return {
      cells: [
        TRAFFIC[name as keyof typeof TRAFFIC],
        count(one.per_second),
        count(one.refused_per_second),
        count(one.failed_per_second),
        milliseconds(p50),
        milliseconds(p95),
        milliseconds(p99),
      ],
      style: (one.failed_per_second ?? 0) > 0 ? "red" : undefined,
    };
  });
  const { enabled, paused, disabled } = webhooks;
  const endpoints = `${count(enabled)} enabled, ${count(paused)} paused, ${count(disabled)} disabled`;
  return [
    ...tableLines(
      [
        { heading: "REQUESTS", rank: 0 },
        { heading: "per s", rank: 1 },
        { heading: "refused", rank: 6 },
        { heading: "failed", rank: 2 },
        { heading: "p50", rank: 4 },
        { heading: "p95", rank: 5 },
        { heading: "p99", rank: 3 },
      ],
      rows,
      columns,
    ),
    { text: `Webhooks: ${endpoints}`, style: (disabled ?? 0) > 0 ? "yellow" : undefined },
  ];
}

const TRAFFIC = {
  readers: "Readers",
  dashboard: "Dashboard",
  management: "Management API",
  senders: "Senders",
  webhooks: "Webhooks sent",
} as const;

const QUEUES = {
  deliveries: "Webhooks to send",
  parked: "Parked webhooks",
  arrivals: "Senders' articles",
  mails: "Mails",
  long_work: "Long requests",
  scheduled: "Overdue schedules",
  dead_letters: "Set aside",
} as const;

function queueLines({ queues }: Figures, columns: number | null): Line[] {
  const rows = Object.entries(QUEUES).map(([name, label]): Row => {
    const { waiting, oldest_seconds: oldest } = queues[name as keyof typeof QUEUES];
    const isTrouble = (name === "scheduled" && (oldest ?? 0) > 60) || (name === "dead_letters" && (waiting ?? 0) > 0);
    return { cells: [label, count(waiting), age(oldest)], style: isTrouble ? "yellow" : undefined };
  });
  return tableLines(
    [
      { heading: "WAITING", rank: 0 },
      { heading: "count", rank: 1 },
      { heading: "oldest", rank: 2 },
    ],
    rows,
    columns,
  );
}

/** As many facts in a line as there is room for. */
function diskLines({ disk, time }: Figures, columns: number | null): Line[] {
  const { database_bytes: database, wal_bytes: wal, free_bytes: free, size_bytes: size, last_backup: backup } = disk;
  if (size === null) return [{ text: "DISK  unknown" }];
  const backupAge = backup === null ? null : (Date.parse(time) - Date.parse(backup)) / 1_000;
  const isFull = free !== null && free < MIN_FREE_SHARE * size;
  const facts = [
    `DISK  database ${bytes(database)}`,
    `WAL ${bytes(wal)}`,
    `${bytes(free)} of ${bytes(size)} free`,
    backupAge === null ? "no backup known" : `last backup ${age(backupAge)} ago`,
  ];
  const style = isFull ? "red" : backupAge === null || backupAge > MAX_BACKUP_AGE_S ? "yellow" : undefined;
  const lines: string[] = [];
  for (const fact of facts) {
    const longer = `${lines.at(-1) ?? ""}, ${fact}`;
    if (lines.length > 0 && (columns === null || longer.length <= columns)) lines[lines.length - 1] = longer;
    else lines.push(lines.length === 0 ? fact : `      ${fact}`);
  }
  return lines.map((text) => ({ text, style }));
}

function processLines(processes: readonly ProcessFigures[], columns: number | null): Line[] {
  const rows = processes.map((one): Row => {
    const { address, state, reason } = one;
    const cells = [
      address,
      state,
      one.version ?? NONE,
      age(one.uptime_seconds),
      count(one.requests_per_second),
      one.cpu_percent === null ? NONE : `${one.cpu_percent.toFixed(0)} %`,
      bytes(one.memory_bytes),
      milliseconds(one.event_loop_p99_ms),
      count(one.errors_logged),
    ];
    return { cells, style: reason !== null ? "red" : state === "ready" ? undefined : "yellow" };
  });
  // Longer than all columns.
  const reasons = processes.flatMap(({ address, reason }): Line[] =>
    reason === null ? [] : [{ text: `${address}: ${reason}`, style: "red" }],
  );
  return [
    ...tableLines(
      [
        { heading: "PROCESSES", rank: 0 },
        { heading: "state", rank: 1 },
        { heading: "version", rank: 8 },
        { heading: "up", rank: 5 },
        { heading: "per s", rank: 4 },
        { heading: "CPU", rank: 2 },
        { heading: "memory", rank: 3 },
        { heading: "loop p99", rank: 7 },
        { heading: "errors", rank: 6 },
      ],
      rows,
      columns,
    ),
    ...reasons,
  ];
}

/** The first column is aligned left, the others right. */
function tableLines(all: readonly Column[], rows: readonly Row[], columns: number | null): Line[] {
  const widths = all.map(({ heading }, at) =>
    Math.max(heading.length, ...rows.map(({ cells }) => cells[at]?.length ?? 0)),
  );
  const byRank = [...all.keys()].toSorted((a, b) => (all[a]?.rank ?? 0) - (all[b]?.rank ?? 0));
  const width = (shown: readonly number[]) => shown.reduce((sum, at) => sum + (widths[at] ?? 0) + GAP, -GAP);
  const maxWidth = columns ?? Infinity;
  while (byRank.length > 1 && width(byRank) > maxWidth) byRank.pop();
  const shown = byRank.toSorted((a, b) => a - b);
  const toText = (cells: readonly string[]) =>
    shown
      .map((at) => (at === 0 ? (cells[at] ?? "").padEnd(widths[at] ?? 0) : (cells[at] ?? "").padStart(widths[at] ?? 0)))
      .join(" ".repeat(GAP));
  return [
    { text: toText(all.map(({ heading }) => heading)), style: "bold" },
    ...rows.map(({ cells, style }) => ({ text: toText(cells), style })),
  ];
}

function count(value: number | null): string {
  if (value === null) return NONE;
  return value.toLocaleString("en-GB", { maximumFractionDigits: value < 10 ? 1 : 0 });
}

function milliseconds(value: number | null): string {
  if (value === null) return NONE;
  if (value >= 1_000) return `${(value / 1_000).toFixed(1)} s`;
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}

function age(seconds: number | null): string {
  if (seconds === null) return NONE;
  const [size, unit] =
    seconds < 90 ? [1, "s"] : seconds < 5_400 ? [60, "min"] : seconds < 172_800 ? [3_600, "h"] : [86_400, "d"];
  return `${Math.round(seconds / size)} ${unit}`;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

function bytes(value: number | null): string {
  if (value === null) return NONE;
  let [amount, unit] = [value, 0];
  while (amount >= 1_000 && unit < UNITS.length - 1) [amount, unit] = [amount / 1_000, unit + 1];
  return `${amount.toFixed(amount < 10 && unit > 0 ? 1 : 0)} ${UNITS[unit]}`;
}
