import type { FastifyReply } from "fastify";

const MOST_SILENT_MS = 60_000;

/**
 * Whoever sends or takes nothing for a minute has gone, and is let go: until then a file, or a snapshot of the database, is
 * kept for them.
 */
export function giveUpWhenSilent({ raw }: Pick<FastifyReply, "raw">): void {
  raw.setTimeout(MOST_SILENT_MS, () => raw.destroy());
}
