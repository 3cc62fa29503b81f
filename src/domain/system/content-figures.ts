/** The child processes that work on texts. */
export interface ContentFigures {
  /** They run now. */
  running: number;
  /** Texts that wait for one. */
  waiting: number;
  started: number;
  /** They were ended because a text took too much. */
  killedForTime: number;
  killedForMemory: number;
}
