/** `demo` as a process: what it shows by itself. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { runCli, SERVES_MS, spawnCli } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { until } from "../helpers/until.ts";

const ARRIVED = /^\d\d:\d\d:\d\d {2}(article\.\w+) +(\S.*) {2}(msg_[0-9a-f-]{36}) {2}signature valid$/gm;

async function startDemo(folder: string) {
  const child = spawnCli(["demo", "--data", folder], { env: { PORT: "0" }, withinMs: SERVES_MS });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      output += part;
    });
  }
  const ended = once(child, "close");
  return {
    output: () => output,
    arrived: () => Array.from(output.matchAll(ARRIVED), ([, kind = "", subject = ""]) => ({ kind, subject })),
    /** The webhook's id. */
    webhook: () => /webhook deliveries (\S+)/.exec(output)?.[1] ?? "",
    stop: async () => {
      child.kill("SIGTERM");
      assert.deepEqual(await ended, [0, null], output);
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await ended;
    },
  };
}

test("a scheduled article is published and its webhook arrives; so do webhooks of manual changes; later starts continue", async () => {
  await using folder = await tempFolder();
  const data = folder.path;
  let webhook: string;
  {
    await using demo = await startDemo(data);
    await until("an event", () => demo.arrived().length > 0, 30_000);
    assert.deepEqual(demo.arrived(), [
      { kind: "article.published", subject: '"Darjeeling\'s Four Harvests: One Hillside, One Year"' },
    ]);
    const [, id = ""] = /article unpublish (\S+)/.exec(demo.output()) ?? [];
    const { code, stderr } = await runCli(["article", "unpublish", id], { data });
    assert.equal(code, 0, stderr);
    await until("the event of it", () => demo.arrived().length === 2, 30_000);
    assert.deepEqual(demo.arrived()[1], { kind: "article.deleted", subject: id });
    webhook = demo.webhook();
    await demo.stop();
  }
  {
    await using demo = await startDemo(data);
    await until("an event", () => demo.arrived().length > 0, 30_000);
    assert.equal(demo.arrived()[0]?.kind, "article.updated");
    // An event of an article whose pictures have moved may come before the demonstration says what it has.
    await until("what it has", () => demo.output().includes(" pending"), 30_000);
    assert.match(demo.output(), /11 published, 3 approved and 2 pending/, "what was taken down stays down");
    assert.equal(demo.webhook(), webhook);
    const [, port] = /Address +http:\/\/127\.0\.0\.1:(\d+)/.exec(demo.output()) ?? [];
    const { stdout } = await runCli(["export", "--website", "Lantern Row Tea"], { data });
    const ports = Array.from(stdout.matchAll(/http:\/\/127\.0\.0\.1:(\d+)\/assets\//g), ([, one]) => one);
    assert.deepEqual([...new Set(ports)], [port], "pictures follow the demonstration to another port");
    await demo.stop();
  }
  const { stdout } = await runCli(["webhook", "list", "--website", "Lantern Row Tea", "--json"], { data });
  const [{ url } = { url: "" }] = JSON.parse(stdout) as { url: string }[];
  const other = createServer().listen(Number(new URL(url).port), "127.0.0.1");
  await once(other, "listening");
  try {
    await using demo = await startDemo(data);
    await until("an event although another program has the receiver's port", () => demo.arrived().length > 0, 30_000);
    assert.notEqual(demo.webhook(), webhook, "for a receiver at another port it is made anew");
    await demo.stop();
  } finally {
    other.close();
  }
});
