export const DEAD_LETTER_KINDS = ["delivery", "article", "replay", "mail", "key", "lease", "event", "removal"] as const;
export type DeadLetterKind = (typeof DEAD_LETTER_KINDS)[number];
