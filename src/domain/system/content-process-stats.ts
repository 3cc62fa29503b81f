export interface ContentProcessStats {
  running: number;
  waiting: number;
  started: number;
  killedForTime: number;
  killedForMemory: number;
}
