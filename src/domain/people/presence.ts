/** Who has an article open at this moment. */

export const ACTIVITIES = ["reading", "editing"] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** A page that is visible reports every 20 seconds; without a report for this long its person counts as gone. */
export const PRESENT_MS = 45_000;
/** A report that follows another one sooner than this is not saved. */
export const MIN_REPORT_INTERVAL_MS = 15_000;
/** How often those who are gone are deleted. */
export const PRESENCE_SWEEP_INTERVAL_MS = 15_000;
