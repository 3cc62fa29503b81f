/** Counts of the child processes that process texts. */
export interface ContentProcessStats {
  /** Processes that run now. */
  running: number;
  /** Texts that wait for a process. */
  waiting: number;
  started: number;
  /** Processes killed because a text took too much time. */
  killedForTime: number;
  killedForMemory: number;
}
