/** A website's positions as last seen. Both only grow, also at a failover: a database behind them was reset. */
export interface Position {
  /** New after each announced restore. */
  epoch: string;
  contentVersion: number;
  eventSequence: number;
}

export interface WebsitePosition extends Position {
  websiteId: string;
}

/** By website, the one that changed last at the end. */
export type HighWaterMark = Map<string, Position>;

/** The websites that changed last are enough: what a database loses is always what was committed last. */
export const MAX_MARKED_WEBSITES = 1_000;

/**
 * The first website that is behind the mark, with its positions before and now; undefined if there is none. One that
 * was deleted has no receivers that could take an event for an old one. After an announced restore content versions
 * begin a new epoch, so that only event sequences must not have gone back.
 */
export function findSetBack(
  mark: ReadonlyMap<string, Position>,
  positions: readonly WebsitePosition[],
): { before: Position; now: WebsitePosition } | undefined {
  for (const now of positions) {
    const before = mark.get(now.websiteId);
    if (before === undefined) continue;
    const isBehind =
      now.eventSequence < before.eventSequence ||
      (now.epoch === before.epoch && now.contentVersion < before.contentVersion);
    if (isBehind) return { before, now };
  }
  return undefined;
}

/** Moves the mark to these positions. @returns whether anything changed. */
export function raiseMark(mark: HighWaterMark, positions: readonly WebsitePosition[]): boolean {
  let hasChanged = false;
  for (const { websiteId, epoch, contentVersion, eventSequence } of positions) {
    const before = mark.get(websiteId);
    if (before?.epoch === epoch && before.contentVersion === contentVersion && before.eventSequence === eventSequence) {
      continue;
    }
    hasChanged = true;
    mark.delete(websiteId);
    mark.set(websiteId, { epoch, contentVersion, eventSequence });
  }
  for (const websiteId of mark.keys()) {
    if (mark.size <= MAX_MARKED_WEBSITES) break;
    mark.delete(websiteId);
  }
  return hasChanged;
}
