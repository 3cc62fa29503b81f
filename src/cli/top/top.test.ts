import assert from "node:assert/strict";
import { test } from "node:test";
import { type Figures, toFigures, watch, type Watched } from "./figures.ts";
import { toLines } from "./report.ts";
import { parseMetrics } from "./scrape.ts";

const NOW = Date.parse("2026-11-29T12:00:00Z");
const AWAY = "nothing listens there";

interface State {
  startedAt?: number;
  reads?: number;
  failed?: number;
  /** Of the reads, how many took up to 1 ms; the others took up to 10. */
  fast?: number;
}

function metrics({ startedAt = NOW / 1_000 - 3_600, reads = 0, failed = 0, fast = reads }: State) {
  return parseMetrics(`# TYPE rostrum_build_info gauge
rostrum_build_info{version="1.2.3"} 1
process_start_time_seconds ${startedAt}
process_cpu_seconds_total ${reads / 1_000}
rostrum_ready 1
rostrum_draining 0
rostrum_database_up 1
rostrum_nodes 3
rostrum_reads_total{route="list",status="200"} ${reads - failed}
rostrum_reads_total{route="list",status="503"} ${failed}
rostrum_read_duration_seconds_bucket{route="list",le="0.001"} ${fast}
rostrum_read_duration_seconds_bucket{route="list",le="0.01"} ${reads}
rostrum_read_duration_seconds_bucket{route="list",le="+Inf"} ${reads}
rostrum_disk_free_bytes 5000000000
rostrum_disk_size_bytes 100000000000
rostrum_webhook_queue_depth 4
rostrum_dead_letters{kind="a \\"b\\""} 2
not a line of the format
`);
}

function watched(address: string, ...states: (State & { at: number })[]): Watched {
  return states.reduce((one, { at, ...state }) => watch(one, { at, metrics: metrics(state) }), {
    address,
    samples: [],
    reason: null,
  } as Watched);
}

const disk = (figures: Figures) => toLines(figures, null).find(({ text }) => text.startsWith("DISK"))?.text;
const readers = (processes: Watched[]) => toFigures(processes, NOW).requests.readers;

test("rates add up over the processes, and those of the last ten seconds count", () => {
  const first = watched("a:1", { at: 0, reads: 0 }, { at: 4_000, reads: 9_000 }, { at: 14_000, reads: 10_000 });
  const second = watched("b:1", { at: 0, reads: 50 }, { at: 2_000, reads: 70, failed: 4 });
  assert.equal(readers([first]).per_second, 100);
  assert.deepEqual([readers([first, second]).per_second, readers([first, second]).failed_per_second], [100 + 10, 2]);
  assert.equal(readers([watched("a:1", { at: 0, reads: 5 })]).per_second, null);
});

test("percentiles are linear within a bucket, and those of the window", () => {
  const one = watched("a:1", { at: 0, reads: 1_000, fast: 0 }, { at: 1_000, reads: 1_100, fast: 90 });
  assert.deepEqual(readers([one]).latency_ms, { p50: 0.556, p95: 5.5, p99: 9.1 });
  const quiet = watched("a:1", { at: 0, reads: 100 }, { at: 1_000, reads: 100 });
  assert.deepEqual(readers([quiet]).latency_ms, { p50: null, p95: null, p99: null });
});

test("after a restart nothing is negative: the counters begin anew", () => {
  const now = NOW / 1_000;
  const one = watched("a:1", { at: 0, reads: 5_000 }, { at: 1_000, reads: 10, startedAt: now });
  assert.equal(readers([one]).per_second, null);
  const later = watch(one, { at: 3_000, metrics: metrics({ reads: 50, startedAt: now }) });
  assert.equal(readers([later]).per_second, 20);
  assert.equal(toFigures([later], NOW).processes[0]?.uptime_seconds, 0);
});

test("what is away is named with its reason, and counts for nothing else", () => {
  const away = { ...watched("b:1", { at: 0 }, { at: 1_000, reads: 1_000 }), reason: AWAY };
  const figures = toFigures([watched("a:1", { at: 0 }, { at: 1_000, reads: 10 }), away], NOW);
  assert.equal(figures.requests.readers.per_second, 10);
  const lines = toLines(figures, null);
  assert.match(
    lines[0]?.text ?? "",
    /^Rostrum at 12:00:00 UTC: 2 processes, 1 answering, 1 more not named with --url$/,
  );
  assert.deepEqual(lines.at(-1), { text: `b:1: ${AWAY}`, style: "red" });
  assert.match(lines.at(-2)?.text ?? "", /^b:1 +away +–/);
  assert.match(disk(figures) ?? "", /5\.0 GB of 100 GB free/);
  assert.equal(disk(toFigures([away], NOW)), "DISK  unknown");
});

test("tables never exceed the terminal's width: they lose columns, the most important last", () => {
  const figures = toFigures([watched("127.0.0.1:4000", { at: 0 }, { at: 1_000, reads: 1_234, failed: 1 })], NOW);
  const tables = (columns: number) =>
    toLines(figures, columns)
      .slice(2, 8)
      .map(({ text }) => text);
  const diskLines = (columns: number) => toLines(figures, columns).filter(({ text }) => text.startsWith("DISK"));
  for (let columns = 24; columns <= 120; columns++) {
    for (const line of [...tables(columns), ...diskLines(columns).map(({ text }) => text)])
      assert.ok(line.length <= columns, line);
  }
  assert.equal(tables(120)[1], "Readers         1,234        0       1  0.5 ms  0.9 ms  1.0 ms");
  assert.equal(tables(40)[1], "Readers         1,234       1  1.0 ms");
  assert.equal(tables(24)[1], "Readers         1,234");
});

test("what needs a person is marked: failures, a full disk, what was set aside", () => {
  const figures: Figures = toFigures([watched("a:1", { at: 0 }, { at: 1_000, reads: 10, failed: 1 })], NOW);
  const styles = new Map(toLines(figures, null).map(({ text, style }) => [text.split(/ {2,}/, 1)[0], style]));
  assert.deepEqual(
    ["Readers", "Dashboard", "DISK", "Set aside", "a:1"].map((name) => styles.get(name)),
    ["red", undefined, "red", "yellow", undefined],
  );
});
