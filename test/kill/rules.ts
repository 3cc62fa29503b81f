/** What the checker holds against a run. */
export const RULES = [
  /** An acknowledged change has no event. */
  "lost change",
  /** An event is of no change, of a refused one, or of another kind than was said; or the numbers have a gap. */
  "invented event",
  /** The events of an article are not in the order of its changes. */
  "event order",
  /** An event did not come to an endpoint that wants it. */
  "missing",
  /** A delivery is still waiting when everything had the time to end. */
  "unfinished",
  /** Something arrived of which the database knows nothing. */
  "ghost",
  /** Something arrived again, and its attempt was not in flight at the end of an epoch. */
  "needless duplicate",
  /** Two attempts of one endpoint and article were under way at once. */
  "overlap",
  /** An earlier event of an article arrived after a later one. */
  "order",
  /** The bytes differ between attempts, or from the event. */
  "body",
  "signature",
  /** What is written down of an attempt is not what the receiver answered, or no attempt was due. */
  "record",
  /** An endpoint's health does not follow from the attempts. */
  "counter",
  /** What a killed process left was taken up too late. */
  "late",
] as const;
export type Rule = (typeof RULES)[number];

export interface Violation {
  rule: Rule;
  detail: string;
}

export type Report = (rule: Rule, detail: string) => void;

export interface Limits {
  /** Attempts that a delivery has, without those that a 2xx brought forward. Only the last one is waited for. */
  attempts: number;
  /** From the attempt before the last one until the last one, at least. */
  lastWaitMs: number;
  /**
   * From when a process is ready, or of several nodes from the kill, until what was in flight is sent again. The design
   * says 2 s, on a machine of its own.
   */
  takenUpWithinMs: number;
  /**
   * Nodes that share a machine may keep each other from saying in time that they live. Such a node gives up what it has
   * under way, whatever the receiver answers; so that comes again, as long as it is not written down.
   */
  mayGiveUp?: boolean;
}
