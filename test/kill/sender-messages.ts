/** What passes between the kill loop of senders and its process. */

/** Between receipt and acknowledgement. */
export const SENDER_POINTS = [
  "in the storing",
  "after the storing",
  "before the reading",
  "after the reading",
  "in the article",
  "after the article",
  "in the outcome",
  "after the outcome",
] as const;
export type SenderPoint = (typeof SENDER_POINTS)[number];

export interface SenderChildOptions {
  senderId: string;
  /** Null: a whole service, which the parent kills. */
  point: SenderPoint | null;
  /** At which passage of the point, counted from 1. */
  occurrence: number;
  /** By how much its clock is ahead, so that claims of earlier lives end. */
  aheadMs: number;
}

export interface Delivery {
  number: number;
  body: string;
}

export type FromSenderChild =
  | { type: "ready"; url: string | null }
  | { type: "acknowledged"; number: number }
  | { type: "error"; message: string };
