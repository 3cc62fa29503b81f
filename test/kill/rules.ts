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
