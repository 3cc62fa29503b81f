/** The rules that a run can violate. */
export const RULES = [
  /** An acknowledged change has no event. */
  "lost change",
  /** An event belongs to no change or a refused one, or has the wrong kind; or a sequence number is missing. */
  "invented event",
  /** The events of an article are not in the order of its changes. */
  "event order",
  /** An event did not reach an endpoint that is subscribed to it. */
  "missing",
  /** A delivery is still unfinished although there was time for it. */
  "unfinished",
  /** A request arrived that is not in the database. */
  "ghost",
  /** A request was repeated although no kill or fault interrupted it. */
  "needless duplicate",
  /** Two attempts for one endpoint and article overlapped. */
  "overlap",
  /** An earlier event of an article arrived after a later one. */
  "order",
  /** The bytes differ between attempts, or from the event. */
  "body",
  "signature",
  /** A recorded attempt differs from what the receiver answered, or was not due. */
  "record",
  /** An endpoint's health does not follow from the attempts. */
  "counter",
  /** Interrupted attempts were repeated too late. */
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
  /** Minimum time between the last two attempts. */
  lastWaitMs: number;
  /**
   * Maximum time until deliveries that were in flight are sent again: after the process is ready or, with several nodes, after
   * the kill. The design says 2 s, on a machine of its own.
   */
  takenUpWithinMs: number;
  /**
   * Nodes that share a machine may delay each other's heartbeats. A node whose heartbeat is late releases its deliveries in
   * flight, so those whose results are not recorded arrive again.
   */
  mayGiveUp?: boolean;
}
