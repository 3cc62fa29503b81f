/** The questions before decisions that change what readers get. Approving changes nothing for readers and needs no question. */
import { List, Text } from "@mantine/core";
import type { ComponentProps, ReactNode } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import type { Confirmation } from "../../../shared/confirm.tsx";
import { ReceiverNote } from "../../../shared/receivers.tsx";
import type { Decision } from "./actions.ts";
import { listMissing } from "./checklist.ts";

type Question = Pick<Confirmation, "title" | "body" | "confirmLabel" | "danger">;

/** @returns null if the decision needs no confirmation. */
export function buildQuestion(decision: Decision, reviewed: ReviewedArticle): Question | null {
  const { article, line, publish_delay_seconds: delay, website_id: websiteId } = reviewed;
  if (decision === "publish" || decision === "approve-and-publish") {
    const missing = listMissing(reviewed);
    if (missing.length > 0) return checklistQuestion(decision, reviewed, missing);
    // An action that can be undone for some seconds needs no confirmation.
    if (delay > 0) return null;
  }
  if (decision === "submit") return openItemsQuestion(reviewed);
  // An article in the trash keeps its status and returns to it when restored.
  const words = WORDS[decision]?.(line.status === "published") ?? null;
  if (words === null) return null;
  const event = EVENTS[decision]?.(line.status === "published") ?? null;
  return about(article.title, words, event === null ? null : <ReceiverNote websiteId={websiteId} event={event} />);
}

/** The webhook event that each decision sends. */
const EVENTS: Partial<Record<Decision, (isPublished: boolean) => ComponentProps<typeof ReceiverNote>["event"] | null>> =
  {
    publish: () => "article.published",
    "approve-and-publish": () => "article.published",
    "publish-draft": () => "article.updated",
    unpublish: () => "article.deleted",
    delete: () => "article.deleted",
    restore: (isPublished) => (isPublished ? "article.published" : null),
  };

function checklistQuestion(
  decision: "publish" | "approve-and-publish",
  { article, publish_delay_seconds: delay, website_id: websiteId }: ReviewedArticle,
  missing: readonly string[],
): Question {
  return about(
    article.title,
    {
      title: decision === "publish" ? "Publish this article?" : "Approve and publish this article?",
      consequence: (
        <>
          Something is missing:
          <List size="sm" my="xs">
            {missing.map((message) => (
              <List.Item key={message}>{message}</List.Item>
            ))}
          </List>
          {delay > 0
            ? `Goes live in ${delay} seconds. You can undo until then.`
            : "Readers can see it at once, and your webhooks receive article.published."}
        </>
      ),
      confirmLabel: decision === "publish" ? "Publish" : "Approve and publish",
      danger: false,
    },
    <ReceiverNote websiteId={websiteId} event="article.published" />,
  );
}

/** @returns null unless reviewers have asked for something that is not ticked. */
export function openItemsQuestion({ article, line, request }: ReviewedArticle): Question | null {
  const items = line.review_state === "changes_requested" ? (request?.items ?? []) : [];
  const open = items.filter((item) => !item.is_done);
  if (open.length === 0) return null;
  const consequence = (
    <>
      Not ticked as done:
      <List size="sm" my="xs">
        {open.map(({ text }) => (
          <List.Item key={text} style={{ overflowWrap: "anywhere" }}>
            {text}
          </List.Item>
        ))}
      </List>
      The reviewer sees what is done and what is not.
    </>
  );
  return about(article.title, {
    title: "Resubmit this article?",
    consequence,
    confirmLabel: "Resubmit",
    danger: false,
  });
}

/** The editor's question before a text goes live. `title`: the new one. */
export function updateQuestion(title: string): Question {
  return about(title, UPDATE);
}

function about(title: string, { consequence, ...question }: Words, receivers: ReactNode = null): Question {
  return {
    ...question,
    body: (
      <>
        <Text fw={550} size="sm" mb={6} lineClamp={3} style={{ overflowWrap: "anywhere" }}>
          “{title}”
        </Text>
        {consequence}
        {receivers}
      </>
    ),
  };
}

interface Words {
  title: string;
  consequence: ReactNode;
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
