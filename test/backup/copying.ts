/** What a service with continuous backup says, and the Litestream that it runs. */
import { execFileSync } from "node:child_process";
import type { ServerProcess } from "../helpers/cli.ts";
import type { Folder } from "../helpers/folder.ts";
import { until } from "../helpers/until.ts";

interface Health {
  status: string;
  problems: string[];
  backup: { lag_seconds: number; problem: string | null };
}

export async function health({ url }: Pick<ServerProcess, "url">): Promise<Health> {
  return (await (await fetch(`${url}/readyz`)).json()) as Health;
}

export async function copied(server: Pick<ServerProcess, "url">, withinMs?: number): Promise<void> {
  await until("everything is copied", async () => (await health(server)).backup.lag_seconds === 0, withinMs);
}

/** The processes of Litestream that work on this data. */
export function litestreams(folder: Folder): number[] {
  const lines = execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" }).split("\n");
  return lines
    .filter((line) => line.includes("litestream replicate") && line.includes(folder.path))
    .map((line) => Number.parseInt(line, 10));
}
