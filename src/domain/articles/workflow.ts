/**
 * The transitions of docs/specification.md, section 3, as functions from state to state:
 *
 *     pending ──approve──▶ approved ──publish──▶ published
 *        ▲                  │   ▲                    │
 *        └─request changes──┘   └─────unpublish──────┘
 *
 * A transition that the state forbids throws `conflict`. From any state an article can be moved to the trash, and
 * returns to the same. An approval is bound to the content hash: a text other than the approved one is never published.
 */
import { patternUrl, type Website } from "../system/website.ts";
import type { Article, ArticleBody, PipelineStep } from "./article.ts";
import type { Millis } from "../system/time.ts";
import { AppError } from "../system/errors.ts";
import { isoTime } from "../system/time.ts";
import { allows, explainRefusal, getState, type Verb } from "./verbs.ts";

/** @throws AppError `conflict` unless the state allows the action. `actor`: the id of whoever does it. */
export function assertAllows(verb: Verb, article: Article, actor: string | null = null): void {
  const state = getState(article);
  if (allows(verb, state, actor !== null && article.authorId === actor)) return;
  throw new AppError("conflict", explainRefusal(verb, state));
}

/** Sends a draft to review, or an article back to review after changes were requested. @throws AppError `conflict`. */
export function submit(article: Article): Article {
  assertAllows("submit", article);
  return { ...article, reviewState: article.reviewState === "changes_requested" ? "resubmitted" : "in_review" };
}

/** Undoes a request for changes. @throws AppError `conflict`. */
export function takeBackRequest(article: Article): Article {
  assertAllows("submit", article);
  return { ...article, reviewState: "in_review" };
}

export function withdraw(article: Article): Article {
  assertAllows("withdraw", article);
  return { ...article, reviewState: "draft" };
}

/** @throws AppError `conflict` unless the article is in review, or a draft of the actor's own. */
export function approve(article: Article, now: Millis, actor: string | null = null): Article {
  assertAllows("approve", article, actor);
  return { ...article, status: "approved", reviewState: null, approvedAt: now, approvedHash: article.contentHash };
}

export function unapprove(article: Article): Article {
  assertAllows("unapprove", article);
  return toReview(article);
}

/** Sends the article back to its author. @throws AppError `conflict`; `invalid` without a reason. */
export function requestChanges(article: Article, reason: string): Article {
  assertAllows("request-changes", article);
  if (reason.trim() === "") {
    throw new AppError("invalid", "Describe what should change.", { field: "reason" });
  }
  if (reason.includes("\0")) {
    throw new AppError("invalid", "reason must not contain the NUL character.", { field: "reason" });
  }
  return {
    ...article,
    status: "pending",
    reviewState: "changes_requested",
    approvedAt: null,
    approvedHash: null,
    publishAt: null,
  };
}

/** @throws AppError `conflict` unless the article is approved with the content it has now. */
export function publish(article: Article, now: Millis): Article {
  assertPublishable(article, "publish");
  return { ...article, status: "published", publishedAt: article.publishedAt ?? now, publishAt: null };
}

/** Schedules the publication of an approved article. @throws AppError `invalid` unless `at` is in the future. */
export function schedule(article: Article, at: Millis, now: Millis): Article {
  assertPublishable(article, "schedule");
  if (at <= now) {
    throw new AppError("invalid", `The time to publish at must be in the future; ${isoTime(at)} has passed.`, {
      field: "publish_at",
    });
  }
  return { ...article, publishAt: at };
}

export function unschedule(article: Article): Article {
  assertAllows("unschedule", article);
  return { ...article, publishAt: null };
}

/** @throws AppError `conflict` unless the article is published. */
export function unpublish(article: Article): Article {
  assertAllows("unpublish", article);
  return { ...article, status: "approved" };
}

export function trash(article: Article, now: Millis): Article {
  assertAllows("delete", article);
  return { ...article, deletedAt: now };
}

/** @throws AppError `conflict` unless the article is in the trash. */
export function restore(article: Article): Article {
  assertAllows("restore", article);
  return { ...article, deletedAt: null };
}

/**
 * Returns an approved article whose content changed to `pending`, unless the editor may approve: then it is approved
 * anew. @throws AppError `forbidden` if it is published and the editor may not approve: readers see every change.
 */
export function afterEdit(article: Article, now: Millis, editorMayApprove: boolean): Article {
  if (article.status === "published" && !editorMayApprove) {
    throw new AppError(
      "forbidden",
      "Only people who may approve can change a published article; save the change as a draft copy instead.",
    );
  }
  if (article.status === "pending" || article.approvedHash === article.contentHash) return article;
  if (editorMayApprove) return { ...article, approvedAt: now, approvedHash: article.contentHash };
  return toReview(article);
}

function toReview(article: Article): Article {
  return {
    ...article,
    status: "pending",
    reviewState: "in_review",
    approvedAt: null,
    approvedHash: null,
    publishAt: null,
  };
}

export const OWN_STEPS = ["import", "sanitize", "analyze", "approve", "publish"] as const;
export type OwnStep = (typeof OWN_STEPS)[number];

/** One of our own steps, done in one instant. */
export function stepDone(
  name: OwnStep,
  actor: string,
  at: Millis,
  metadata: Record<string, unknown> = {},
): PipelineStep {
  const time = isoTime(at);
  return {
    name,
    status: "completed",
    started_at: time,
    completed_at: time,
    duration_ms: 0,
    actor,
    error: null,
    metadata,
  };
}

export function stepRefused(actor: string, at: Millis, reason: string): PipelineStep {
  return {
    ...stepDone("approve", actor, at),
    status: "failed",
    error: { code: "changes_requested", message: reason },
  };
}

/** Our own steps in order, with `step` in place of any earlier one of the same name. */
export function withStep(steps: readonly PipelineStep[], step: PipelineStep): PipelineStep[] {
  return OWN_STEPS.flatMap((name) => (name === step.name ? [step] : steps.filter((one) => one.name === name)));
}

export function withoutStep(body: ArticleBody, name: OwnStep): ArticleBody {
  return { ...body, steps: body.steps.filter((step) => step.name !== name) };
}

function assertPublishable(article: Article, verb: Verb): void {
  assertAllows(verb, article);
  if (article.approvedHash !== article.contentHash) {
    throw new AppError(
      "conflict",
      "The article changed since it was approved: have it approved again, then publish it.",
    );
  }
}

/** Sets the address from the website's URL pattern: a published article gets one, and it follows the slug. */
export function withPatternUrl(website: Website, article: Article, before: Article | null): Article {
  if (website.urlPattern === null || article.status !== "published") return article;
  const url = patternUrl(website, article);
  if (url === null) return article;
  const isOurs = before !== null && article.platformUrl === patternUrl(website, before);
  return article.platformUrl === null || isOurs ? { ...article, platformUrl: url } : article;
}
