/** wrk as the load generator: it costs a fifth of what a server does that it keeps busy. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CORE, runToEnd } from "./processes.ts";

const CONNECTIONS = 32;

export interface WrkJob {
  port: number;
  seconds: number;
  headers: Record<string, string>;
  /** Requested in turn. */
  paths: readonly string[];
}

export interface WrkResult {
  requests: number;
  p99Ms: number;
}

/** `folder`: for wrk's script. @throws unless all responses have status 200. */
export async function runWrk({ port, seconds, headers, paths }: WrkJob, folder: string): Promise<WrkResult> {
  const script = join(folder, "requests.lua");
  writeFileSync(script, requestsInTurn(paths));
  const words = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const { output } = await runToEnd(
    ["wrk", "-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "-s", script, ...words, `http://127.0.0.1:${port}`],
    { core: CORE.load },
  );
  const [, requests, failed, p99] = /^result (\d+) (\d+) (\d+)$/m.exec(output) ?? [];
  if (requests === undefined || failed !== "0") throw new Error(`wrk: ${output}`);
  return { requests: Number(requests), p99Ms: Number(p99) / 1_000 };
}

export function assertWrk(): void {
  try {
    execFileSync("which", ["wrk"], { stdio: "ignore" });
  } catch {
    throw new Error("this measurement needs wrk (https://github.com/wg/wrk)");
  }
}

function requestsInTurn(paths: readonly string[]): string {
  return `
local requests, at = {}, 0
init = function()
  for _, path in ipairs({ ${paths.map((path) => JSON.stringify(path)).join(", ")} }) do
    requests[#requests + 1] = wrk.format("GET", path)
  end
end
request = function()
  at = at % #requests + 1
  return requests[at]
end
done = function(summary, latency)
  local errors = summary.errors
  local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("result %d %d %d\\n", summary.requests, failed, latency:percentile(99)))
end
`;
}
