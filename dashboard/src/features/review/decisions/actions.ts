/** The actions that the workflow allows in an article's state, with their shortcuts. */
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";

type Verb = ReviewedArticle["verbs"][number];

export type Decision = Exclude<Verb, "assign" | "set-author" | "label" | "unschedule"> | "publish-draft";

export interface Offer {
  decision: Decision;
  label: string;
  /** In the syntax of `useShortcuts`. */
  keys: string;
  /** Whether it is the main action in this state. */
  isMain: boolean;
  /** Whether it is in the menu of further actions. */
  isMinor: boolean;
  /** Whether findings in the text hold it. */
  isHeld: boolean;
}

/** In the order of the buttons. Which actions the state and the user's role allow is the server's answer. */
export function listOffers(reviewed: ReviewedArticle): Offer[] {
  const state = getState(reviewed);
  const offered = RULES.filter(
    ({ decision, verb = decision, when }) => reviewed.verbs.some((one) => one === verb) && when?.(state) !== false,
  );
  // An author's own draft can be approved at once, but is submitted first as a rule.
  const canSubmit = offered.some(({ decision }) => decision === "submit");
  return offered.map(({ decision, label, keys, isMain, isMinor }) => ({
    decision,
    label: typeof label === "string" ? label : label(state),
    keys,
    isMain: isMain === true && (!canSubmit || decision === "submit"),
    isMinor: isMinor === true || (canSubmit && decision.startsWith("approve")),
    isHeld: isHeld(decision, reviewed),
  }));
}

/** The likeliest first. */
const LIKELY: readonly Decision[] = [
  "restore",
  "submit",
  "publish-draft",
  "publish",
  "approve",
  "schedule",
  "request-changes",
  "edit",
  "unpublish",
];

/** The likely decisions, which have buttons; the others are in a menu. The main one comes last. */
export function chooseButtons(offers: readonly Offer[]): Offer[] {
  const major = offers.filter(({ isMinor }) => !isMinor);
  const likely = LIKELY.filter((one) => major.some(({ decision }) => decision === one));
  const chosen = new Set(likely.slice(0, MAX_BUTTONS));
  return major.filter(({ decision }) => chosen.has(decision));
}

const MAX_BUTTONS = 2;

/** Those that the service refuses while findings hold the text. */
const HELD: ReadonlySet<Decision> = new Set([
  "approve",
  "approve-and-publish",
  "approve-and-schedule",
  "publish",
  "schedule",
]);

/** Whether the service would refuse the decision because of what was found in the text. */
export function isHeld(decision: Decision, reviewed: ReviewedArticle): boolean {
  return HELD.has(decision) && reviewed.gate.holds;
}

/** The completed action, shown when the next article is already open: “Approved”. */
export const DONE: Record<Exclude<Decision, "edit">, string> = {
  approve: "Approved",
  "approve-and-publish": "Approved and published",
  "approve-and-schedule": "Approved and scheduled",
  unapprove: "Approval taken back",
  submit: "Submitted",
  withdraw: "Withdrawn",
  publish: "Published",
  "publish-draft": "Updated",
  schedule: "Scheduled",
  "request-changes": "Changes requested",
  unpublish: "Unpublished",
  delete: "Moved to trash",
  restore: "Restored",
};

/** Titles of refused actions, shown while another article may be open: “Not approved”. */
export const NOT_DONE: Record<Exclude<Decision, "edit">, string> = {
  approve: "Not approved",
  "approve-and-publish": "Not published",
  "approve-and-schedule": "Not scheduled",
  unapprove: "Approval not taken back",
  submit: "Not submitted",
  withdraw: "Not withdrawn",
  publish: "Not published",
  "publish-draft": "Not updated",
  schedule: "Not scheduled",
  "request-changes": "Changes not requested",
  unpublish: "Not unpublished",
  delete: "Not moved to trash",
  restore: "Not restored",
};

interface State {
  isPlanned: boolean;
  hasDraft: boolean;
  /** Whether the approved version is the current one. */
  isCurrent: boolean;
  wasSentBack: boolean;
}

interface Rule {
  decision: Decision;
  label: string | ((state: State) => string);
  keys: string;
  /** What the server must allow; the decision itself by default. */
  verb?: Verb;
  when?: (state: State) => boolean;
  isMain?: boolean;
  /** Whether it is in the menu of further actions. */
  isMinor?: boolean;
}

const RULES: readonly Rule[] = [
  { decision: "edit", label: "Edit", keys: "e" },
  { decision: "withdraw", label: "Withdraw", keys: "w", isMinor: true },
  { decision: "unapprove", label: "Take back approval", keys: "b", isMinor: true },
  { decision: "delete", label: "Delete", keys: "Delete" },
  { decision: "request-changes", label: "Request changes", keys: "c" },
  { decision: "unpublish", label: "Unpublish", keys: "u" },
  {
    decision: "schedule",
    label: ({ isPlanned }) => (isPlanned ? "Reschedule" : "Schedule"),
    keys: "s",
    when: ({ isCurrent }) => isCurrent,
  },
  { decision: "approve-and-schedule", label: "Approve and schedule", keys: "s", isMinor: true },
  { decision: "approve-and-publish", label: "Approve and publish", keys: "shift+a" },
  { decision: "approve", label: "Approve", keys: "a", isMain: true },
  {
    decision: "publish",
    label: ({ isPlanned }) => (isPlanned ? "Publish now" : "Publish"),
    keys: "p",
    when: ({ isCurrent }) => isCurrent,
    isMain: true,
  },
  {
    decision: "publish-draft",
    label: "Update",
    keys: "p",
    verb: "unpublish",
    when: ({ hasDraft }) => hasDraft,
    isMain: true,
  },
  {
    decision: "submit",
    label: ({ wasSentBack }) => (wasSentBack ? "Resubmit" : "Submit for review"),
    keys: "r",
    isMain: true,
  },
  { decision: "restore", label: "Restore", keys: "r", isMain: true },
];

function getState({ line, draft, approval }: ReviewedArticle): State {
  return {
    isPlanned: line.publish_at !== null,
    hasDraft: draft !== null,
    isCurrent: approval.is_current,
    wasSentBack: line.review_state === "changes_requested",
  };
}
