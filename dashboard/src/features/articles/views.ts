/** Title and columns of each tab of the list. */
import type { ArticleListItem, BulkAction } from "../../../../src/http/admin/contract/articles.ts";
import { DEFAULT_QUEUE, type Queue } from "../../shared/article-queue.ts";

interface ViewLabels {
  view: Queue;
  label: string;
  /** The date shown in this tab, beside the last change. */
  date: { label: string; of: (article: ArticleListItem) => string | null; sort: "created_at" | "published_at" | null };
  /** Shown when the tab is empty. */
  empty: string;
  /** Whether its articles differ in their state, so that each row shows it. */
  isMixed?: true;
}

const created = { label: "Created", of: (line: ArticleListItem) => line.created_at, sort: "created_at" } as const;
const published = {
  label: "Published",
  of: (line: ArticleListItem) => line.published_at,
  sort: "published_at",
} as const;

export const VIEWS: readonly ViewLabels[] = [
  {
    view: "in_review",
    label: "To review",
    date: created,
    empty: "No article is waiting for review. Articles appear here when they are submitted or imported.",
  },
  {
    view: "resubmitted",
    label: "Resubmitted",
    date: created,
    empty: "No article has come back. Articles appear here when the requested changes have been made.",
  },
  {
    view: "with_author",
    label: "With the author",
    date: created,
    empty: "No article is being written. Drafts, and articles for which changes were requested, appear here.",
    isMixed: true,
  },
  {
    view: "mine",
    label: "Mine",
    date: created,
    empty: "You have no unpublished articles. Those that you write, or that are assigned to you, appear here.",
    isMixed: true,
  },
  {
    view: "approved",
    label: "Approved",
    date: { label: "Approved", of: (line) => line.approved_at, sort: null },
    empty: "No approved article is waiting to be published.",
  },
  {
    view: "scheduled",
    label: "Scheduled",
    date: { label: "Publishes", of: (line) => line.publish_at, sort: null },
    empty: "No publication is scheduled. Open an approved article to schedule one.",
  },
  {
    view: "published",
    label: "Published",
    date: published,
    empty: "Nothing is published yet. Approve an article, then publish it.",
  },
  {
    view: "drafts",
    label: "Draft copies",
    date: published,
    empty: "No published article has unpublished changes. Edit one, and its draft copy appears here.",
  },
  {
    view: "held",
    label: "Held changes",
    date: created,
    empty:
      "No changes of a source are waiting. Those to what was also changed here, or that an importer may not make, appear here.",
    isMixed: true,
  },
  {
    view: "all",
    label: "All",
    date: created,
    empty: "There are no articles.",
    isMixed: true,
  },
  {
    view: "trash",
    label: "Trash",
    date: { label: "Deleted", of: (line) => line.deleted_at, sort: null },
    empty: "The trash is empty.",
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
      one: "It is a draft again.",
      many: "They are drafts again.",
    },
    done: "withdrawn",
    isDangerous: false,
  },
  unapprove: {
    label: "Take back approval",
    question: (articles) => `Take back the approval of ${articles}?`,
    consequence: {
      one: "It is in review again, and no longer scheduled if it was.",
      many: "They are in review again, and what was scheduled is no longer.",
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
      one: "It can be published from then on. Readers see nothing yet.",
      many: "They can be published from then on. Readers see nothing yet.",
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
      one: "Readers can no longer find it if it is published, and your webhooks receive article.deleted. It moves to the trash and can be restored.",
      many: "Readers can no longer find those that are published, and your webhooks receive article.deleted. They move to the trash and can be restored.",
    },
    done: "moved to the trash",
    isDangerous: true,
    event: "article.deleted",
  },
  restore: {
    label: "Restore",
    question: (articles) => `Restore ${articles}?`,
    consequence: {
      one: "It comes back as it was. If it was published, it is live again at once, and your webhooks receive article.published.",
      many: "They come back as they were. What was published is live again at once, and your webhooks receive article.published.",
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
