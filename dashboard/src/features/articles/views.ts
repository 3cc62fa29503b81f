/** Title, columns and actions of each tab of the list. */
import type { ArticleLine, ArticleView, BulkAction } from "../../../../src/http/admin/contract/articles.ts";
import type { Action } from "../../shared/session.tsx";

interface ViewLabels {
  view: ArticleView;
  label: string;
  /** The date shown in this tab, beside the last change. */
  date: { label: string; of: (article: ArticleLine) => string | null; sort: "created_at" | "published_at" | null };
  /** Shown when the tab is empty. */
  empty: string;
  actions: readonly BulkAction[];
}

const created = { label: "Created", of: (line: ArticleLine) => line.created_at, sort: "created_at" } as const;
const published = { label: "Published", of: (line: ArticleLine) => line.published_at, sort: "published_at" } as const;

export const VIEWS: readonly ViewLabels[] = [
  {
    view: "pending",
    label: "Needs review",
    date: created,
    empty: "No article needs review. New articles, and those for which changes were requested, appear here.",
    actions: ["approve", "approve-and-publish", "delete"],
  },
  {
    view: "approved",
    label: "Approved",
    date: { label: "Approved", of: (line) => line.approved_at, sort: null },
    empty: "No approved article is waiting to be published.",
    actions: ["publish", "delete"],
  },
  {
    view: "scheduled",
    label: "Scheduled",
    date: { label: "Publishes", of: (line) => line.publish_at, sort: null },
    empty: "No publication is scheduled. Open an approved article to schedule one.",
    actions: ["publish", "delete"],
  },
  {
    view: "published",
    label: "Published",
    date: published,
    empty: "Nothing is published yet. Approve an article, then publish it.",
    actions: ["unpublish", "delete"],
  },
  {
    view: "drafts",
    label: "Draft copies",
    date: published,
    empty: "No published article has unpublished changes. Edit one, and its draft copy appears here.",
    actions: [],
  },
  {
    view: "trash",
    label: "Trash",
    date: { label: "Deleted", of: (line) => line.deleted_at, sort: null },
    empty: "The trash is empty.",
    actions: ["restore"],
  },
];

export function getViewLabels(view: ArticleView = "pending"): ViewLabels {
  const labels = VIEWS.find((one) => one.view === view);
  if (labels === undefined) throw new Error(`no view ${view}`);
  return labels;
}

interface BulkLabels {
  label: string;
  may: Action;
  /** “3 articles are …” */
  question: (articles: string) => string;
  consequence: string;
  done: string;
  isDangerous: boolean;
}

export const BULK: Record<BulkAction, BulkLabels> = {
  approve: {
    label: "Approve",
    may: "articles.approve",
    question: (articles) => `Approve ${articles}?`,
    consequence: "They can be published from then on. Readers see nothing yet.",
    done: "approved",
    isDangerous: false,
  },
  publish: {
    label: "Publish",
    may: "articles.publish",
    question: (articles) => `Publish ${articles}?`,
    consequence: "Readers can see them at once, and your webhooks receive article.published.",
    done: "published",
    isDangerous: false,
  },
  "approve-and-publish": {
    label: "Approve and publish",
    may: "articles.publish",
    question: (articles) => `Approve and publish ${articles}?`,
    consequence: "Readers can see them at once, and your webhooks receive article.published.",
    done: "published",
    isDangerous: false,
  },
  unpublish: {
    label: "Unpublish",
    may: "articles.publish",
    question: (articles) => `Unpublish ${articles}?`,
    consequence:
      "Readers can no longer find them, and your webhooks receive article.deleted. They stay approved and can be published again.",
    done: "unpublished",
    isDangerous: true,
  },
  delete: {
    label: "Delete",
    may: "articles.delete",
    question: (articles) => `Move ${articles} to the trash?`,
    consequence:
      "Readers can no longer find those that are published, and your webhooks receive article.deleted. They move to the trash and can be restored.",
    done: "moved to the trash",
    isDangerous: true,
  },
  restore: {
    label: "Restore",
    may: "articles.delete",
    question: (articles) => `Restore ${articles}?`,
    consequence:
      "They come back as they were. What was published is live again at once, and your webhooks receive article.published.",
    done: "restored",
    isDangerous: false,
  },
};

export function formatCount(articles: number): string {
  return articles === 1 ? "1 article" : `${articles.toLocaleString("en")} articles`;
}
