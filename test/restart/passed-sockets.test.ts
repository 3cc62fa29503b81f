/** A port that systemd holds: restarts of which readers notice nothing, readiness, and the watchdog. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { findPassedSockets } from "../../src/service/passed-sockets.ts";
import { runCli } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { Client, record } from "../helpers/http.ts";
import { makeSite } from "../helpers/site.ts";
import { until } from "../helpers/until.ts";
import { Systemd, WITHOUT_NOTIFY } from "./systemd.ts";

const LIST = "/api/public/articles";

describe("the sockets that were passed", () => {
  const own = [11, 10];

  const none = { http: null, metrics: null, predecessor: null, areKept: false };

  test("are the service's, and a second one for the operators", () => {
    const kept = { ...none, areKept: true };
    assert.deepEqual(findPassedSockets({}, own), none);
    assert.deepEqual(findPassedSockets({ LISTEN_PID: "11", LISTEN_FDS: "1" }, own), { ...kept, http: 3 });
    assert.deepEqual(findPassedSockets({ LISTEN_PID: "10", LISTEN_FDS: "2" }, own), { ...kept, http: 3, metrics: 4 });
  });

  test("are not those of another process that has left its environment", () => {
    assert.deepEqual(findPassedSockets({ LISTEN_PID: "12", LISTEN_FDS: "1" }, own), none);
    assert.deepEqual(findPassedSockets({ LISTEN_FDS: "1" }, own), none);
  });

  test("are used although the process that is replaced has been killed", () => {
    const gone = String(spawnSync(process.execPath, ["--version"]).pid);
    const passed = { LISTEN_FDS: "2", LISTEN_FDNAMES: "own:predecessor" };
    assert.deepEqual(findPassedSockets({ ...passed, LISTEN_PID: gone }, own), { ...none, http: 3, predecessor: 4 });
    assert.deepEqual(findPassedSockets({ ...passed, LISTEN_PID: String(process.pid) }, own), none);
    assert.deepEqual(findPassedSockets({ LISTEN_FDS: "2", LISTEN_PID: gone }, own), none);
  });

  for (const fds of ["3", "-1", "one", ""]) {
    test(`are refused if they are "${fds}"`, () => {
      assert.throws(() => findPassedSockets({ LISTEN_PID: "11", LISTEN_FDS: fds }, own), /pass one socket, or two/);
    });
  }
});

test("a file descriptor that is no socket ends the start with a sentence", async () => {
  await using folder = await tempFolder();
  const { code, stderr } = await runCli(["serve"], {
    data: folder.path,
    // The launcher's number, which is that of this process.
    env: { LISTEN_PID: String(process.pid), LISTEN_FDS: "1", PORT: "0" },
  });
  assert.equal(code, 78, stderr);
  assert.match(
    stderr,
    /^The file descriptor 3, which was passed with LISTEN_FDS, is not a listening TCP socket: .*\n$/,
  );
});

describe("under systemd", { skip: WITHOUT_NOTIFY }, () => {
  test("readers wait in the socket while the service restarts; metrics have the second socket", async () => {
    await using folder = await tempFolder();
    const { key } = await makeSite(folder.at("data"));
    await using systemd = await Systemd.open({ folder, env: { ROSTRUM_DRAIN_SECONDS: "1" } });
    await systemd.start();
    assert.equal((await fetch(`${systemd.metricsUrl}/readyz`)).status, 200);
    let isOver = false;
    const read = async () => {
      using client = new Client(systemd.url);
      for (;;) {
        assert.equal((await client.send(LIST, { headers: { "X-API-Key": key } })).status, 200);
        if (isOver) return;
      }
    };
    const first = systemd.mainPid;
    const readers = Promise.all(Array.from({ length: 4 }, read));
    await systemd.restart();
    isOver = true;
    await readers;
    assert.notEqual(systemd.mainPid, first);
    await until("systemd is told of the stop", () =>
      systemd.messages.some((message) => message.startsWith("STOPPING=1,STATUS=")),
    );
    await systemd.stop();
    // Beside the log there is the owner's link, as plain text.
    const namesMetrics = (line: string) =>
      line.startsWith("{") && record(JSON.parse(line))["metricsUrl"] === systemd.metricsUrl;
    await until("the log names the port of the metrics", () => systemd.output.some(namesMetrics));
  });

  test("a service that hangs does not feed its watchdog, and is restarted", async () => {
    await using folder = await tempFolder();
    const { key } = await makeSite(folder.at("data"));
    const hang = 'process.on("SIGUSR2", () => { for (;;); });';
    const hook = `--import=data:text/javascript;base64,${Buffer.from(hang).toString("base64")}`;
    await using systemd = await Systemd.open({ folder, watchdogMs: 5_000, env: { NODE_OPTIONS: hook } });
    await systemd.start();
    const pid = systemd.mainPid ?? 0;
    const fed = () => systemd.messages.filter((message) => message === "WATCHDOG=1").length;
    await until("it is fed", () => fed() > 1);
    assert.equal(systemd.mainPid, pid);
    process.kill(pid, "SIGUSR2");
    // Waits in the socket until the next process answers.
    const { status } = await fetch(`${systemd.url}${LIST}`, { headers: { "X-API-Key": key } });
    assert.equal(status, 200);
    assert.notEqual(systemd.mainPid, pid);
    await until("the new one feeds it, too", () => fed() > 3);
  });
});
