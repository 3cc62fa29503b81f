/** Title and columns of each tab of the list. */
import type { ArticleListItem, BulkAction } from "../../../../src/http/admin/contract/articles.ts";
import { DEFAULT_QUEUE, type Queue } from "../../shared/article-queue.ts";

interface ViewLabels {
  view: Queue;
  label: string;
  /** The date shown in this tab, beside the last change. */
  date: {
    label: string;
    of: (article: ArticleListItem) => string | null;
    sort: "created_at" | "published_at" | "state_since" | null;
  };
  /** Shown when the tab is empty: that it is, and what appears in it. */
  none: string;
  empty: string;
  /** Whether its articles differ in their state, so that each row shows it. */
  isMixed?: true;
}

const created = { label: "Created", of: (line: ArticleListItem) => line.created_at, sort: "created_at" } as const;
const waiting = {
  label: "Waiting since",
  of: (line: ArticleListItem) => line.state_since,
  sort: "state_since",
} as const;
const published = {
  label: "Published",
  of: (line: ArticleListItem) => line.published_at,
  sort: "published_at",
} as const;

export const VIEWS: readonly ViewLabels[] = [
  {
    view: "in_review",
    label: "To review",
    date: waiting,
    none: "Nothing to review",
    empty: "Articles appear here when they are submitted or imported.",
  },
  {
    view: "resubmitted",
    label: "Resubmitted",
    date: waiting,
    none: "No resubmitted articles",
    empty: "Articles appear here when the requested changes have been made.",
  },
  {
    view: "with_author",
    label: "With the author",
    date: created,
    none: "No drafts",
    empty: "Drafts, and articles for which changes were requested, appear here.",
    isMixed: true,
  },
  {
    view: "mine",
    label: "Mine",
    date: created,
    none: "You have no unpublished articles",
    empty: "Articles that you write, or that are assigned to you, appear here.",
    isMixed: true,
  },
  {
    view: "approved",
    label: "Approved",
    date: { label: "Approved", of: (line) => line.approved_at, sort: null },
    none: "No approved articles",
    empty: "Approved articles wait here until they are published.",
  },
  {
    view: "scheduled",
    label: "Scheduled",
    date: { label: "Publishes", of: (line) => line.publish_at, sort: null },
    none: "No scheduled articles",
    empty: "Open an approved article to schedule its publication.",
  },
  {
    view: "published",
    label: "Published",
    date: published,
    none: "No published articles",
    empty: "Approve an article, then publish it.",
  },
  {
    view: "drafts",
    label: "Draft copies",
    date: published,
    none: "No draft copies",
    empty: "Edit a published article, and its draft copy appears here until you update it.",
  },
  {
    view: "held",
    label: "Held changes",
    date: created,
    none: "No held changes",
    empty: "When a source changes an article that was also changed here, its changes wait here for you to compare.",
    isMixed: true,
  },
  {
    view: "all",
    label: "All",
    date: created,
    none: "No articles",
    empty: "Write one, or import some.",
    isMixed: true,
  },
  {
    view: "trash",
    label: "Trash",
    date: { label: "Deleted", of: (line) => line.deleted_at, sort: null },
    none: "Trash is empty",
    empty: "Deleted articles can be restored from here.",
  },
];

export function getViewLabels(view: Queue = DEFAULT_QUEUE): ViewLabels {
  const labels = VIEWS.find((one) => one.view === view);
  if (labels === undefined) throw new Error(`no view ${view}`);
  return labels;
}

interface BulkLabels {
  label: string;
  /** “3 articles are …” */
  question: (articles: string) => string;
  /** For one article and for several; none where a dialog asks for an input. */
  consequence?: { one: string; many: string };
  done: string;
  isDangerous: boolean;
  /** The webhook event that the action sends. */
  event?: "article.published" | "article.deleted";
}

/** Those with an input have a dialog of their own instead of a question (bulk-dialogs.tsx). */
export const BULK: Record<BulkAction, BulkLabels> = {
  assign: {
    label: "Assign",
    question: (articles) => `Assign ${articles}`,
    done: "assigned",
    isDangerous: false,
  },
  "set-author": {
    label: "Change author",
    question: (articles) => `Change the author of ${articles}`,
    done: "given another author",
    isDangerous: false,
  },
  label: {
    label: "Tags and categories",
    question: (articles) => `Tags and categories of ${articles}`,
    done: "labelled",
    isDangerous: false,
  },
  submit: {
    label: "Submit",
    question: (articles) => `Submit ${articles} for review?`,
    consequence: {
      one: "It moves to the review queue.",
      many: "They move to the review queue.",
    },
    done: "submitted",
    isDangerous: false,
  },
  withdraw: {
    label: "Withdraw",
    question: (articles) => `Withdraw ${articles} from review?`,
    consequence: {
      one: "It becomes a draft again.",
      many: "They become drafts again.",
    },
    done: "withdrawn",
    isDangerous: false,
  },
  unapprove: {
    label: "Take back approval",
    question: (articles) => `Take back the approval of ${articles}?`,
    consequence: {
      one: "It goes back to review. If it is scheduled, the schedule is cancelled.",
      many: "They go back to review, and their schedules are cancelled.",
    },
    done: "back in review",
    isDangerous: false,
  },
  "approve-and-schedule": {
    label: "Approve and schedule",
    question: (articles) => `Approve and schedule ${articles}`,
    done: "approved and scheduled",
    isDangerous: false,
  },
  schedule: {
    label: "Schedule",
    question: (articles) => `Schedule ${articles}`,
    done: "scheduled",
    isDangerous: false,
  },
  unschedule: {
    label: "Cancel schedule",
    question: (articles) => `Cancel the schedule of ${articles}?`,
    consequence: {
      one: "It stays approved and can be published.",
      many: "They stay approved and can be published.",
    },
    done: "no longer scheduled",
    isDangerous: false,
  },
  "request-changes": {
    label: "Request changes",
    question: (articles) => `Request changes to ${articles}`,
    done: "sent back",
    isDangerous: false,
  },
  approve: {
    label: "Approve",
    question: (articles) => `Approve ${articles}?`,
    consequence: {
      one: "It can then be published. Readers do not see it yet.",
      many: "They can then be published. Readers do not see them yet.",
    },
    done: "approved",
    isDangerous: false,
  },
  publish: {
    label: "Publish",
    question: (articles) => `Publish ${articles}?`,
    consequence: {
      one: "Readers can see it at once, and your webhooks receive article.published.",
      many: "Readers can see them at once, and your webhooks receive article.published.",
    },
    done: "published",
    isDangerous: false,
    event: "article.published",
  },
  "approve-and-publish": {
    label: "Approve and publish",
    question: (articles) => `Approve and publish ${articles}?`,
    consequence: {
      one: "Readers can see it at once, and your webhooks receive article.published.",
      many: "Readers can see them at once, and your webhooks receive article.published.",
    },
    done: "published",
    isDangerous: false,
    event: "article.published",
  },
  unpublish: {
    label: "Unpublish",
    question: (articles) => `Unpublish ${articles}?`,
    consequence: {
      one: "Readers can no longer find it, and your webhooks receive article.deleted. It stays approved and can be published again.",
      many: "Readers can no longer find them, and your webhooks receive article.deleted. They stay approved and can be published again.",
    },
    done: "unpublished",
    isDangerous: true,
    event: "article.deleted",
  },
  delete: {
    label: "Delete",
    question: (articles) => `Move ${articles} to the trash?`,
    consequence: {
      one: "It moves to the trash and can be restored. If it is published, readers can no longer find it. Your webhooks receive article.deleted.",
      many: "They move to the trash and can be restored. Readers can no longer find those that are published. Your webhooks receive article.deleted.",
    },
    done: "moved to the trash",
    isDangerous: true,
    event: "article.deleted",
  },
  restore: {
    label: "Restore",
    question: (articles) => `Restore ${articles}?`,
    consequence: {
      one: "It comes back as it was. If it was published, it goes live again at once, and your webhooks receive article.published.",
      many: "They come back as they were. Those that were published go live again at once, and your webhooks receive article.published.",
    },
    done: "restored",
    isDangerous: false,
    event: "article.published",
  },
};

export function formatCount(articles: number): string {
  return articles === 1 ? "1 article" : `${articles.toLocaleString("en")} articles`;
}

/** What the action does to that many articles. */
export function describeConsequence(action: BulkAction, articles: number): string {
  return BULK[action].consequence?.[articles === 1 ? "one" : "many"] ?? "";
}
