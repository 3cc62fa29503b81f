export interface FreshnessTask {
  url: string;
  key: string;
  paths: string[];
  connections: number;
  counters: Int32Array;
  /** Reads to make. */
  reads: number;
}

/** Places in `counters`: the last title that was acknowledged or received, the reads so far, and those that were stale. */
export const KNOWN = 0;
export const READS = 1;
export const STALE = 2;
