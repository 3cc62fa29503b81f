/** The bare sender: undici posts prepared bodies as JSON and counts the responses. One job on standard input. */
import { createInterface } from "node:readline";
import { Client, type Dispatcher } from "undici";
import type { BareJob } from "./webhook-jobs.ts";

createInterface({ input: process.stdin }).once("line", (line) => void send(JSON.parse(line) as BareJob));

async function send(job: BareJob): Promise<void> {
  const cpuBefore = process.cpuUsage();
  let next = 0;
  await Promise.all(
    Array.from({ length: job.connections }, async () => {
      const client = new Client(`http://127.0.0.1:${job.port}`, { pipelining: 1, allowH2: false });
      while (next < job.count) await post(client, job.bodies[next++ % job.bodies.length]);
      await client.close();
    }),
  );
  const { user, system } = process.cpuUsage(cpuBefore);
  process.stdout.write(`${JSON.stringify({ cpuSeconds: (user + system) / 1e6 })}\n`);
}

function post(client: Client, body: string | undefined): Promise<void> {
  if (body === undefined) throw new Error("nothing to post");
  return new Promise((resolve, reject) => {
    let status = 0;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, code) => void (status = code),
      onResponseData: () => undefined,
      onResponseEnd: () => (status === 200 ? resolve() : reject(new Error(`the receiver answered ${status}`))),
      onResponseError: (_controller, error) => reject(error),
    };
    const headers = { "Content-Type": "application/json" };
    client.dispatch({ path: "/hook", method: "POST", headers, body }, handler);
  });
}
