/** `rostrum top` beside a service that serves and fails, on a terminal and without one. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { runCli as runApart, serveCli } from "../helpers/cli.ts";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";
import { startPlainServer } from "../helpers/plain-server.ts";
import { leash } from "../helpers/processes.ts";
import { LIST, startTestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";

const ONCE = ["top", "--once", "--interval", "1"];
const SCRIPT = "/usr/bin/script";

test("one report says what was read, refused and sent, what waits, and how the process does", async () => {
  await using service = await startTestService({ ...LOOPBACK, ROSTRUM_METRICS_PORT: "0" });
  await using receiver = await ScriptedReceiver.start((_request, index) => ({ status: index % 2 === 0 ? 204 : 500 }));
  await createEndpoint(service.app, service.website.id, { url: receiver.url }, CLI_ORIGIN);
  const publish = () => createArticle(service.app, service.website.id, makeArticle({ status: "published" }), CHIEF);
  await publish();
  await until("the thread that sends webhooks has started", () => receiver.received.length > 0);
  const done = new AbortController();
  const load = async () => {
    while (!done.signal.aborted) {
      await service.get(LIST);
      await service.get(LIST, { "X-API-Key": "wrong" });
    }
  };
  const change = async () => {
    while (!done.signal.aborted) {
      await publish();
      await wait(100);
    }
  };
  const [report] = await Promise.all([
    cliJson(["top", "--interval", "2", "--url", String(service.metricsUrl)]).finally(() => done.abort()),
    load(),
    change(),
  ]);
  const { readers } = record(report["requests"]) as Record<string, Record<string, unknown>>;
  assert.ok(Number(readers?.["per_second"]) > 5 && Number(readers?.["refused_per_second"]) > 0);
  assert.equal(readers?.["failed_per_second"], 0);
  assert.ok(Number(record(readers["latency_ms"])["p50"]) > 0);
  const webhooks = record(report["webhooks"]);
  assert.ok(Number(webhooks["failed_per_second"]) > 0 && Number(webhooks["delivered_per_second"]) > 0);
  assert.equal(webhooks["enabled"], 1);
  assert.ok(Number(record(record(report["queues"])["deliveries"])["waiting"]) > 0);
  const [process] = records(report["processes"]);
  assert.equal(process?.["state"], "ready");
  assert.ok(Number(process?.["memory_bytes"]) > 1e6 && Number(process?.["uptime_seconds"]) >= 0);
  const disk = record(report["disk"]);
  for (const name of ["database_bytes", "wal_bytes", "free_bytes"]) assert.ok(Number(disk[name]) > 0, name);
});

test("without --url it finds the service on the data, and says so when there is none", async () => {
  await using folder = await tempFolder();
  const data = folder.path;
  {
    await using service = await serveCli({ data });
    const { code, stdout } = await runCli(ONCE, { data, columns: 60 });
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^${new URL(service.url).host} +ready`, "m"));
    const { stdout: piped } = await runApart(["top", "--interval", "1"], { data });
    assert.match(piped, /^Rostrum at .*: 1 process$/m);
    // oxlint-disable-next-line no-control-regex -- it is what must not be there
    assert.doesNotMatch(piped, /\u001b/);
  }
  const { code, stderr } = await runCli(ONCE, { data, env: { PORT: "9" } });
  assert.deepEqual(
    [code, stderr],
    [1, "There are no metrics. 127.0.0.1:9: bad port. Start the service, or name its address with --url.\n"],
  );
});

test("addresses that are none, and answers that are not Rostrum's, get a sentence", async () => {
  await using other = await startPlainServer((_request, response) => response.end("hello"));
  await using broken = await startPlainServer((_request, response) => response.writeHead(500).end());
  await using service = await startTestService({ ROSTRUM_METRICS_PORT: "0" });
  for (const [url, expected, code] of [
    ["localhost", /--url is "localhost"; write it like http:\/\/127\.0\.0\.1:4000\./, 2],
    ["http://a:b@localhost", /may not contain a user or a password/, 2],
    [other.url, /what answers there is not Rostrum/, 1],
    [broken.url, /it answers 500/, 1],
    [service.url, /there are no metrics at this address: name the port of ROSTRUM_METRICS_PORT/, 1],
  ] as const) {
    const { code: found, stderr } = await runCli([...ONCE, "--url", url]);
    assert.match(stderr, expected);
    assert.equal(found, code, url);
  }
  assert.match((await runCli([...ONCE, "--interval", "0"])).stderr, /--interval is "0"/);
});

test(
  "on a terminal it follows the service through a restart, ends at q, and leaves the terminal as it was",
  { skip: existsSync(SCRIPT) ? false : "there is no script (Debian: apt-get install bsdutils)" },
  async () => {
    await using folder = await tempFolder();
    const data = folder.path;
    const first = await serveCli({ data });
    const { port } = new URL(first.url);
    const command = [process.execPath, join(import.meta.dirname, "..", "..", "bin", "rostrum.js"), "top --interval 1"];
    const terminal = leash(
      spawn(SCRIPT, ["-qec", `stty cols 80 rows 40; ${command.join(" ")}; echo code=$?; stty -a`, "/dev/null"], {
        env: { PATH: "/usr/bin:/bin", ROSTRUM_DATA_DIR: data, TERM: "xterm" },
        stdio: ["pipe", "pipe", "inherit"],
      }),
    );
    let shown = "";
    terminal.stdout.setEncoding("utf8").on("data", (part: string) => (shown += part));
    const last = () => shown.slice(shown.lastIndexOf("\u001b[H"));
    await until("the service is shown", () => /127\.0\.0\.1:\d+ +ready/.test(last()));
    first.child.kill("SIGKILL");
    await until("it is shown as away", () => last().includes("nothing listens there"));
    await using again = await serveCli({ data, env: { PORT: port } });
    await until("it is shown as ready again", () => /127\.0\.0\.1:\d+ +ready/.test(last()));
    assert.equal(new URL(again.url).port, port);
    terminal.stdin.write("q");
    await once(terminal, "close");
    assert.ok(shown.startsWith("\u001b[?1049h\u001b[?25l"));
    const [, after = ""] = shown.split("\u001b[?25h\u001b[?1049l");
    assert.match(after, /code=0[^]* icanon[^]* echo /);
  },
);
