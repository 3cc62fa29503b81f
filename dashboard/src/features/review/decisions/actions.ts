/** The actions that the workflow allows in an article's state, with their shortcuts. */
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import type { Action } from "../../../shared/session.tsx";

export type Decision =
  | "approve"
  | "approve-and-publish"
  | "publish"
  | "publish-draft"
  | "schedule"
  | "request-changes"
  | "unpublish"
  | "edit"
  | "delete"
  | "restore";

export interface Offer {
  decision: Decision;
  label: string;
  /** In the syntax of `useShortcuts`. */
  keys: string;
  /** Whether it is the main action in this state. */
  isMain: boolean;
}

/** In the order of the buttons. `may`: whether the user has the permission on the article's website. */
export function listOffers(reviewed: ReviewedArticle, may: (action: Action) => boolean): Offer[] {
  return RULES.filter((rule) => rule.needs.every(may) && rule.when(getState(reviewed))).map(
    ({ decision, label, keys, isMain }) => ({
      decision,
      label: typeof label === "string" ? label : label(getState(reviewed)),
      keys,
      isMain: isMain === true,
    }),
  );
}

/** The completed action, shown when the next article is already open: “Approved”. */
export const DONE: Record<Exclude<Decision, "edit">, string> = {
  approve: "Approved",
  "approve-and-publish": "Approved and published",
  publish: "Published",
  "publish-draft": "Updated",
  schedule: "Scheduled",
  "request-changes": "Changes requested",
  unpublish: "Unpublished",
  delete: "Moved to the trash",
  restore: "Restored",
};

interface State {
  status: "pending" | "approved" | "published" | "trash";
  isPlanned: boolean;
  hasDraft: boolean;
  /** Whether the approved version is the current one. */
  isCurrent: boolean;
}

interface Rule {
  decision: Decision;
  label: string | ((state: State) => string);
  keys: string;
  needs: readonly Action[];
  when: (state: State) => boolean;
  isMain?: boolean;
}

const RULES: readonly Rule[] = [
  {
    decision: "edit",
    label: "Edit",
    keys: "e",
    needs: ["articles.edit"],
    when: ({ status }) => status !== "trash",
  },
  {
    decision: "delete",
    label: "Delete",
    keys: "Delete",
    needs: ["articles.delete"],
    when: ({ status }) => status !== "trash",
  },
  {
    decision: "request-changes",
    label: "Request changes",
    keys: "c",
    needs: ["articles.approve"],
    when: ({ status }) => status === "approved",
  },
  {
    decision: "unpublish",
    label: "Unpublish",
    keys: "u",
    needs: ["articles.publish"],
    when: ({ status }) => status === "published",
  },
  {
    decision: "schedule",
    label: ({ isPlanned }) => (isPlanned ? "Reschedule" : "Schedule"),
    keys: "s",
    needs: ["articles.publish"],
    when: ({ status, isCurrent }) => status === "approved" && isCurrent,
  },
  {
    decision: "approve-and-publish",
    label: "Approve & publish",
    keys: "shift+a",
    needs: ["articles.approve", "articles.publish"],
    when: ({ status }) => status === "pending",
  },
  {
    decision: "approve",
    label: "Approve",
    keys: "a",
    needs: ["articles.approve"],
    when: ({ status }) => status === "pending",
    isMain: true,
  },
  {
    decision: "publish",
    label: ({ isPlanned }) => (isPlanned ? "Publish now" : "Publish"),
    keys: "p",
    needs: ["articles.publish"],
    when: ({ status, isCurrent }) => status === "approved" && isCurrent,
    isMain: true,
  },
  {
    decision: "publish-draft",
    label: "Update",
    keys: "p",
    needs: ["articles.publish"],
    when: ({ status, hasDraft }) => status === "published" && hasDraft,
    isMain: true,
  },
  {
    decision: "restore",
    label: "Restore",
    keys: "r",
    needs: ["articles.delete"],
    when: ({ status }) => status === "trash",
    isMain: true,
  },
];

function getState({ line, draft, approval }: ReviewedArticle): State {
  return {
    status: line.deleted_at === null ? line.status : "trash",
    isPlanned: line.publish_at !== null,
    hasDraft: draft !== null,
    isCurrent: approval.is_current,
  };
}
