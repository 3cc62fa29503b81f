import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { at, post } from "../../api/client.ts";
import { useAnnounce } from "../../shared/announce.tsx";
import { useConfirm } from "../../shared/confirm.tsx";
import { BackLink } from "../../shared/links.tsx";
import { RequestChanges } from "../../shared/request-changes.tsx";
import { useSession, useWebsite } from "../../shared/session.tsx";
import { useShortcuts } from "../../shared/shortcuts.tsx";
import { commentsQuery } from "./comments/queries.ts";
import { type Compared, CompareModal } from "./compare/compare-modal.tsx";
import { type Decision, listOffers } from "./decisions/actions.ts";
import { buildQuestion } from "./decisions/questions.tsx";
import { Schedule } from "../../shared/schedule.tsx";
import { RefusedNote } from "./decisions/refused-note.tsx";
import { useReviewAction } from "./decisions/use-review-action.ts";
import { sendText } from "./editor/accept-loss.ts";
import { DeliveredLine } from "./delivered-line.tsx";
import { Notices } from "./notices.tsx";
import { People } from "./people.tsx";
import { Panes } from "./panes.tsx";
import { takeAnswer } from "./queries.ts";
import type { ReviewQueue } from "./queue/use-queue.ts";
import type { Tab } from "./sidebar/sidebar.tsx";
import { ReviewHeader } from "./review-header.tsx";
import { useKnownPeople } from "./use-known-people.ts";
import { useSeen } from "./use-seen.ts";

interface ReviewProps {
  latest: ReviewedArticle;
  reviewQueue: ReviewQueue | null;
  tab: Tab;
  onTab: (tab: Tab) => void;
}

export function Review({ latest, reviewQueue, tab, onTab }: ReviewProps): ReactNode {
  const website = useWebsite();
  const navigate = useNavigate();
  const client = useQueryClient();
  const announce = useAnnounce();
  const confirm = useConfirm();
  const { seen, newer, load, take } = useSeen(latest);
  const { busy, refused, dismiss, isSettling, decide, discardDraft } = useReviewAction(seen, reviewQueue, take);
  const [dialog, setDialog] = useState<"request-changes" | "schedule" | "approve-and-schedule" | null>(null);
  const [compared, setCompared] = useState<Compared | null>(null);
  const people = useKnownPeople(website.id, seen.article.id);
  const { id, title } = seen.article;
  const offers = listOffers(seen);
  const { account } = useSession();
  const threads = useQuery(commentsQuery(seen.website_id, id)).data?.threads ?? [];
  const ownComments = threads
    .filter(({ resolved, comments: [first] }) => resolved === null && first?.by.id === account.id)
    .map((thread) => ({ id: thread.id, text: thread.comments[0]?.text ?? "", quote: thread.quote }));

  async function run(decision: Decision): Promise<void> {
    if (decision === "edit") {
      await navigate({ to: "/articles/$id/edit", params: { id }, search: reviewQueue?.queue ?? {} });
    } else if (newer !== null) {
      announce("This article has changed since you opened it. Load the new version first.");
    } else if (decision === "request-changes" || decision === "schedule" || decision === "approve-and-schedule") {
      setDialog(decision);
    } else if (!isSettling()) {
      const question = buildQuestion(decision, seen);
      if (question === null) await decide(decision);
      else await confirm({ ...question, action: () => decide(decision, { inDialog: true }) });
    }
  }

  async function discard(): Promise<void> {
    await confirm({
      title: "Discard the draft copy?",
      body: "Its changes are lost. What readers get stays the same.",
      confirmLabel: "Discard",
      action: discardDraft,
    });
  }

  async function restore(revision: string): Promise<void> {
    const body = { version: seen.line.version, draft_saved_at: seen.draft?.saved_at ?? null };
    const answer = await sendText(confirm, (more) =>
      post<ReviewedArticle>(at`/articles/${id}/revisions/${revision}/restore`, { body: { ...body, ...more } }),
    );
    takeAnswer(client, answer);
    take(answer);
    announce(answer.draft === null ? "The revision was restored." : "The revision was restored as a draft copy.");
  }

  const decisionKeys = offers.flatMap(({ decision, label, keys }) =>
    (decision === "delete" ? [keys, "Backspace"] : [keys]).map((one) => ({
      keys: one,
      label,
      group: "This article",
      once: true,
      run: () => void run(decision),
    })),
  );
  useShortcuts(decisionKeys);

  return (
    <>
      {reviewQueue === null && <BackLink to="/articles">Articles</BackLink>}
      <ReviewHeader
        reviewed={seen}
        offers={offers}
        busy={busy}
        isHeld={newer !== null}
        onDecide={(one) => void run(one)}
      />
      <People reviewed={seen} onChange={take} />
      <DeliveredLine reviewed={seen} />
      <RefusedNote
        refused={refused}
        onClose={dismiss}
        onRetry={refused?.decision === "request-changes" ? () => void run("request-changes") : undefined}
      />
      <Notices
        reviewed={seen}
        newer={newer && { by: people.lastToChange, load }}
        draft={{
          compare: () => setCompared({ from: "current", to: "draft" }),
          discard: website.can("articles.edit") ? () => void discard() : null,
        }}
        compareApproved={() => setCompared({ from: "approved", to: "current" })}
      />
      <Panes
        key={id}
        seen={seen}
        tab={tab}
        onTab={onTab}
        nameOf={people.nameOf}
        onCompare={setCompared}
        onChanged={take}
      />
      <RequestChanges
        key={`changes ${id}`}
        initialReason={getReason(refused?.input)}
        opened={dialog === "request-changes"}
        title={`“${title}” goes back to its author. What you write here is shown with the article until it is approved.`}
        onClose={() => setDialog(null)}
        comments={ownComments}
        onSend={(reason, comments) => decide("request-changes", { input: { reason, comments }, inDialog: true })}
      />
      <Schedule
        opened={dialog === "schedule" || dialog === "approve-and-schedule"}
        planned={seen.line.publish_at}
        onClose={() => setDialog(null)}
        onPlan={(publish_at) =>
          decide(dialog === "approve-and-schedule" ? dialog : "schedule", { input: { publish_at }, inDialog: true })
        }
      />
      <CompareModal
        reviewed={seen}
        compared={compared}
        onClose={() => setCompared(null)}
        onRestore={website.can("articles.edit") && seen.line.deleted_at === null ? restore : null}
      />
    </>
  );
}

/** The text of a refused request, offered again. */
function getReason(input: Record<string, unknown> = {}): string {
  return typeof input["reason"] === "string" ? input["reason"] : "";
}
