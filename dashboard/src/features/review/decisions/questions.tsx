/** The questions before decisions that change what readers get. Approving changes nothing for readers and needs no question. */
import { Text } from "@mantine/core";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import type { Confirmation } from "../../../shared/confirm.tsx";
import type { Decision } from "./actions.ts";

type Question = Pick<Confirmation, "title" | "body" | "confirmLabel" | "danger">;

/** @returns null if the decision needs no confirmation. */
export function buildQuestion(decision: Decision, reviewed: ReviewedArticle): Question | null {
  const { article, line, publish_delay_seconds: delay } = reviewed;
  // What can be undone for some seconds needs no question.
  if (delay > 0 && (decision === "publish" || decision === "approve-and-publish")) return null;
  // An article in the trash keeps its status and returns to it when restored.
  const words = WORDS[decision]?.(line.status === "published") ?? null;
  if (words === null) return null;
  return about(article.title, words);
}

/** The editor's question before a text goes live. `title`: the new one. */
export function updateQuestion(title: string): Question {
  return about(title, UPDATE);
}

function about(title: string, { consequence, ...question }: Words): Question {
  return {
    ...question,
    body: (
      <>
        <Text fw={550} size="sm" mb={6} lineClamp={3} style={{ overflowWrap: "anywhere" }}>
          “{title}”
        </Text>
        {consequence}
      </>
    ),
  };
}

interface Words {
  title: string;
  consequence: string;
  confirmLabel: string;
  danger: boolean;
}

const UPDATE: Words = {
  title: "Update the published article?",
  consequence: "Readers get the changes at once, and your webhooks receive article.updated.",
  confirmLabel: "Update",
  danger: false,
};

const WORDS: Partial<Record<Decision, (isPublished: boolean) => Words | null>> = {
  publish: () => ({
    title: "Publish this article?",
    consequence: "Readers can see it at once, and your webhooks receive article.published.",
    confirmLabel: "Publish",
    danger: false,
  }),
  "approve-and-publish": () => ({
    title: "Approve and publish this article?",
    consequence: "Readers can see it at once, and your webhooks receive article.published.",
    confirmLabel: "Approve and publish",
    danger: false,
  }),
  "publish-draft": () => UPDATE,
  unpublish: () => ({
    title: "Unpublish this article?",
    consequence:
      "Readers can no longer find it, and your webhooks receive article.deleted. It stays approved and can be published again.",
    confirmLabel: "Unpublish",
    danger: true,
  }),
  delete: (isPublished) => ({
    title: isPublished ? "Delete this published article?" : "Delete this article?",
    consequence: isPublished
      ? "Readers can no longer find it, and your webhooks receive article.deleted. It moves to the trash and can be restored."
      : "It moves to the trash and can be restored. It is not published, but your webhooks receive article.deleted.",
    confirmLabel: "Delete",
    danger: true,
  }),
  restore: (isPublished) =>
    isPublished
      ? {
          title: "Restore this published article?",
          consequence: "It is live again at once, and your webhooks receive article.published.",
          confirmLabel: "Restore",
          danger: false,
        }
      : null,
};
