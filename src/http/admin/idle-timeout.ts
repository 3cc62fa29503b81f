import type { FastifyReply } from "fastify";

const MAX_SILENT_MS = 60_000;

/** Disconnects a client that is silent for `silentMs`, as it keeps a file or a database snapshot open. */
export function closeWhenIdle({ raw }: Pick<FastifyReply, "raw">, silentMs = MAX_SILENT_MS): void {
  raw.setTimeout(silentMs, () => raw.destroy());
}
