import assert from "node:assert/strict";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { findService } from "../../src/process/data-lock.ts";
import { spawnCli } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { makeSite } from "../helpers/site.ts";
import { until } from "../helpers/until.ts";

test("a service whose output nobody reads any more serves, and stops when it is told", async () => {
  await using data = await tempFolder();
  const child = spawnCli(["serve"], {
    data: data.path,
    env: { PORT: "0", ROSTRUM_DRAIN_SECONDS: "0" },
    withinMs: 60_000,
  });
  const ended = once(child, "close");
  child.stdout.destroy();
  child.stderr.destroy();
  const url = () => findService(data.at("rostrum.db"))?.url ?? null;
  await until("it serves", () => url() !== null);
  const status = async (path: string) => (await fetch(new URL(path, url() ?? ""))).status;
  assert.deepEqual([await status("/healthz"), await status("/nothing"), await status("/healthz")], [200, 404, 200]);
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});

test("an export whose reader has read enough ends as other programs do, without a message", async () => {
  await using data = await tempFolder();
  const site = await makeSite(data.path);
  await site.create({ title: "T", content: "<p>x</p>" });
  const child = spawnCli(["export", "--website", site.website], { data: data.path });
  child.stdout.destroy();
  const [message, ended] = await Promise.all([text(child.stderr), once(child, "close")]);
  assert.deepEqual([message, ended], ["", [141, null]]);
});
