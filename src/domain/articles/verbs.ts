/** What can be done with an article in each state: routes, buttons, commands and docs/review.md derive from it. */
import { type Article, REVIEW_STATES } from "./article.ts";
import { type Action, can, type Role } from "../people/permissions.ts";

/** `scheduled`: approved, with a time of publication. */
export const ARTICLE_STATES = [...REVIEW_STATES, "approved", "scheduled", "published", "trash"] as const;
export type ArticleState = (typeof ARTICLE_STATES)[number];

interface VerbRules {
  from: readonly ArticleState[];
  may: Action;
  /** What it does, for the help of the command and the documentation. */
  summary: string;
  /** Completes "Only … can be". */
  participle: string;
  /** Whether it approves the text: also a draft of the actor's own, but not where a second person is needed. */
  approves?: true;
}

const IN_REVIEW = ["in_review", "resubmitted"] as const;
const APPROVED = ["approved", "scheduled"] as const;
const LIVING = [...REVIEW_STATES, ...APPROVED, "published"] as const;

export const VERBS = {
  edit: { from: LIVING, may: "articles.edit", summary: "change an article", participle: "edited" },
  assign: {
    from: LIVING,
    may: "articles.edit",
    summary: "say who takes care of an article",
    participle: "assigned",
  },
  "set-author": {
    from: LIVING,
    may: "articles.approve",
    summary: "give an article another author",
    participle: "given another author",
  },
  label: {
    from: LIVING,
    may: "articles.edit",
    summary: "add and remove tags and categories",
    participle: "labelled",
  },
  submit: {
    from: ["draft", "changes_requested"],
    may: "articles.edit",
    summary: "send a draft, or an article with the changes made, to review",
    participle: "submitted",
  },
  withdraw: {
    from: IN_REVIEW,
    may: "articles.edit",
    summary: "take an article back from review: it is a draft again",
    participle: "withdrawn",
  },
  "request-changes": {
    from: [...IN_REVIEW, ...APPROVED],
    may: "articles.approve",
    summary: "send an article back to its author, and say what should change",
    participle: "sent back",
  },
  approve: {
    from: IN_REVIEW,
    may: "articles.approve",
    summary: "approve an article",
    participle: "approved",
    approves: true,
  },
  unapprove: {
    from: APPROVED,
    may: "articles.approve",
    summary: "take an approval back: the article is in review again",
    participle: "unapproved",
  },
  "approve-and-publish": {
    from: IN_REVIEW,
    may: "articles.publish",
    summary: "approve and publish an article",
    participle: "approved",
    approves: true,
  },
  "approve-and-schedule": {
    from: IN_REVIEW,
    may: "articles.publish",
    summary: "approve an article, and publish it at a time",
    participle: "approved",
    approves: true,
  },
  publish: {
    from: APPROVED,
    may: "articles.publish",
    summary: "publish an approved article, now or later",
    participle: "published",
  },
  schedule: {
    from: APPROVED,
    may: "articles.publish",
    summary: "publish an approved article at a time",
    participle: "scheduled",
  },
  unschedule: {
    from: ["scheduled"],
    may: "articles.publish",
    summary: "cancel the schedule of an article",
    participle: "unscheduled",
  },
  unpublish: {
    from: ["published"],
    may: "articles.publish",
    summary: "unpublish an article",
    participle: "unpublished",
  },
  delete: {
    from: LIVING,
    may: "articles.delete",
    summary: "move an article to the trash",
    participle: "deleted",
  },
  restore: {
    from: ["trash"],
    may: "articles.delete",
    summary: "restore an article from the trash",
    participle: "restored",
  },
} as const satisfies Record<string, VerbRules>;

export type Verb = keyof typeof VERBS;
/** Everything but editing can be done with many articles at once. */
export type BulkVerb = Exclude<Verb, "edit">;

// The compiler widens the keys of an object.
export const ALL_VERBS = Object.keys(VERBS) as Verb[];
export const BULK_VERBS = ALL_VERBS.filter((verb) => verb !== "edit");

export function getState(article: Pick<Article, "status" | "reviewState" | "publishAt" | "deletedAt">): ArticleState {
  if (article.deletedAt !== null) return "trash";
  if (article.status === "pending") return article.reviewState ?? "in_review";
  return article.status === "approved" && article.publishAt !== null ? "scheduled" : article.status;
}

/** Whether the state allows it. `isOwn`: whether the actor is the article's author. */
export function allows(verb: Verb, state: ArticleState, isOwn: boolean): boolean {
  const { from, approves }: VerbRules = VERBS[verb];
  return from.includes(state) || (approves === true && state === "draft" && isOwn);
}

/** What a person can do with an article. `needsOther`: whether somebody else has to approve the text. */
export function listVerbs(
  state: ArticleState,
  { role, isOwn, needsOther }: { role: Role | null; isOwn: boolean; needsOther: boolean },
): Verb[] {
  return ALL_VERBS.filter((verb) => {
    const { may, approves }: VerbRules = VERBS[verb];
    return can(role, may) && allows(verb, state, isOwn) && !(approves === true && needsOther);
  });
}

const STATE_WORDS: Record<ArticleState, string> = {
  draft: "a draft",
  in_review: "in review",
  resubmitted: "in review",
  changes_requested: "back with its author, who was asked for changes",
  approved: "approved",
  scheduled: "scheduled",
  published: "published",
  trash: "in the trash",
};

export function explainRefusal(verb: Verb, state: ArticleState): string {
  if (state === "trash") return "This article is in the trash; restore it first.";
  return `Only an article that is ${listStates(verb)} can be ${VERBS[verb].participle}; this one is ${STATE_WORDS[state]}.`;
}

/** The states that allow it, as in "Possible for an article that is …". */
export function listStates(verb: Verb): string {
  const words = [...new Set(VERBS[verb].from.map((one) => ADJECTIVES[one]))];
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}

const ADJECTIVES: Record<ArticleState, string> = { ...STATE_WORDS, changes_requested: "back with its author" };
