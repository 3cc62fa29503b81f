/** The thread that delivers webhooks may fail or hang at any moment; the service goes on, and nothing is lost. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { BroadcastChannel } from "node:worker_threads";
import { DispatcherThread } from "../../src/workers/dispatch/thread.ts";
import type { Log } from "../../src/process/log.ts";
import { until } from "../helpers/until.ts";
import { eventually, gate, openQueue, ScriptedReceiver } from "../helpers/webhooks.ts";
import { HANG_CHANNEL } from "./hanging-worker.ts";

test("a thread that fails while the service stops is logged, and stops nothing else", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  await queue.endpoint(receiver);
  const { log, errors } = listeningLog();
  let reads = 0;
  const { store } = queue.app;
  // The thread alone opens what cannot be opened: a file below a file.
  const database = { kind: "sqlite", path: join(import.meta.filename, "rostrum.db") } as const;
  const app = {
    ...queue.app,
    config: { ...queue.app.config, database },
    store: Object.assign(Object.create(store) as typeof store, {
      commitCounter: () => store.commitCounter(),
      onCommit: () => undefined,
      setDispatcher: () => undefined,
      isLeader: () => false,
      read: async <T>(work: Parameters<typeof store.read<T>>[0]) => {
        const result = await store.read(work);
        reads++;
        return result;
      },
    }),
  };
  const dispatching = new DispatcherThread(app, log, { observe: () => undefined });
  await until("it has looked whether the thread is needed", () => reads > 0);
  // The thread was begun in the turn that ends now, and needs many to fail.
  await new Promise((resolve) => setImmediate(resolve));
  await dispatching[Symbol.asyncDispose]();
  assert.deepEqual(errors, ["the dispatcher failed; it is started again"]);
});

test("a thread that hangs is found by its missing heartbeat and replaced; what it was sending is sent again, the rest once", async () => {
  await using queue = await openQueue();
  // The thread goes by the clock on the wall.
  queue.app.now = Date.now();
  const held = gate();
  await using receiver = await ScriptedReceiver.start((request, index) => (index === 1 ? held.script(request, 1) : {}));
  const { id } = await queue.endpoint(receiver);
  const { log, errors } = listeningLog();
  await using _ = await queue.app.store.followCommits((error) => assert.fail(String(error)));
  await using dispatching = new DispatcherThread(
    queue.app,
    log,
    { observe: () => undefined },
    {
      script: new URL("hanging-worker.ts", import.meta.url),
      maxSilenceMs: 4_000,
    },
  );
  await queue.publish("Before");
  await eventually(() => queue.states(id), ["delivered"]);
  await until("it beats", () => dispatching.health().state === "running");
  await queue.publish("Under way");
  const { headers } = await receiver.arrival(2);
  {
    using channel = disposable(new BroadcastChannel(HANG_CHANNEL));
    await until("it hangs", () => {
      channel.postMessage("hang");
      return dispatching.health().heartbeatSeconds > 1;
    });
    await queue.publish("Meanwhile");
    await until("it is started again", () => dispatching.health().restarts === 1, 60_000);
  }
  held.open();
  await eventually(() => queue.states(id), ["delivered", "delivered", "delivered"], 30_000);
  await queue.publish("Afterwards");
  await eventually(async () => (await queue.states(id)).at(-1), "delivered");
  assert.deepEqual(receiver.titles.toSorted(), ["Afterwards", "Before", "Meanwhile", "Under way", "Under way"]);
  const again = receiver.received.filter(({ data }) => data["title"] === "Under way");
  for (const name of ["webhook-id", "webhook-attempt"]) {
    assert.deepEqual(
      again.map((one) => one.headers[name]),
      [headers[name], headers[name]],
    );
  }
  assert.deepEqual(errors, ["the dispatcher hangs; it is terminated and started again"]);
  assert.equal(dispatching.health().state, "running");
});

test("a dispatcher whose transaction hangs reports for how long, and continues once it has ended", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  const ended = Promise.withResolvers<void>();
  const { store } = queue.app;
  const slow: Partial<typeof store> = {
    read: store.read.bind(store),
    write: (...args) => ended.promise.then(() => store.write(...args)),
    commitCounter: () => store.commitCounter(),
  };
  const app = { ...queue.app, store: Object.assign(Object.create(store) as typeof store, slow) };
  const dispatcher = queue.start({ app });
  await queue.publish("Waits");
  await until("its step lasts", () => dispatcher.stepMs > 200);
  ended.resolve();
  await eventually(() => queue.states(id), ["delivered"]);
  await until("its steps are short again", () => dispatcher.stepMs < 200);
});

function listeningLog(): { log: Log; errors: string[] } {
  const errors: string[] = [];
  const log = {
    isVerbose: false,
    attempt: () => undefined,
    error: (_: unknown, message: string) => errors.push(message),
  } as unknown as Log;
  return { log, errors };
}

function disposable(channel: BroadcastChannel): BroadcastChannel & Disposable {
  return Object.assign(channel, { [Symbol.dispose]: () => channel.close() });
}
