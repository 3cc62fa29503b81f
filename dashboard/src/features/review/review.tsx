import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { memo, type ReactNode, useDeferredValue, useMemo, useState } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { apiPath, post } from "../../api/client.ts";
import { useAnnounce } from "../../shared/announce.tsx";
import { useConfirm } from "../../shared/confirm.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { focusWhenShown } from "../../shared/focus-when-shown.ts";
import { RequestChanges } from "../../shared/request-changes.tsx";
import { Schedule } from "../../shared/schedule.tsx";
import { useSession, useWebsite } from "../../shared/session.tsx";
import { useShortcuts } from "../../shared/shortcuts.tsx";
import { useStable } from "../../shared/use-stable.ts";
import { commentsQuery } from "./comments/queries.ts";
import { type Compared, CompareModal } from "./compare/compare-modal.tsx";
import { type Decision, isHeld, listOffers } from "./decisions/actions.ts";
import { buildQuestion } from "./decisions/questions.tsx";
import { type ReviewAction, useReviewAction } from "./decisions/use-review-action.ts";
import { ShownArticleProvider } from "./document/article-frames.tsx";
import { sendText } from "./editor/accept-loss.ts";
import { describeHold } from "./findings/gate.ts";
import { HeldNotices } from "./held-notice.tsx";
import { HoldNotice, Notices } from "./notices.tsx";
import { Panes } from "./panes.tsx";
import { takeAnswer } from "./queries.ts";
import { QueueEnd } from "./queue/queue-bar.tsx";
import type { ReviewQueue } from "./queue/use-queue.ts";
import { RequestNotices } from "./request-notices.tsx";
import { ReviewHeader } from "./review-header.tsx";
import type { Tab } from "./sidebar/sidebar.tsx";
import { useKnownPeople } from "./use-known-people.ts";
import { type SeenArticle, useSeen } from "./use-seen.ts";

interface ReviewProps {
  latest: ReviewedArticle;
  reviewQueue: ReviewQueue | null;
  tab: Tab;
  onTab: (tab: Tab) => void;
}

type Dialog = "request-changes" | "schedule" | "approve-and-schedule";

export function Review({ latest, reviewQueue, tab, onTab }: ReviewProps): ReactNode {
  const navigate = useNavigate();
  const announce = useAnnounce();
  const confirm = useConfirm();
  const { seen, newer, load, take } = useSeen(latest);
  const { busy, refused, dismiss, isSettling, decide, discardDraft, offerUndo } = useReviewAction(
    seen,
    reviewQueue,
    take,
  );
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [addition, setAddition] = useState("");
  const [tools, setTools] = useState<HTMLElement | null>(null);
  const { id } = seen.article;
  const offers = listOffers(seen);
  const { nextId = null, previousId = null } = reviewQueue?.position ?? {};
  const secondNextId = reviewQueue?.secondNextId ?? null;
  const shown = useMemo(
    () => ({ reviewed: seen, nearIds: [nextId, secondNextId, previousId].filter((one) => one !== null) }),
    [seen, nextId, secondNextId, previousId],
  );
  // The heading and the text are shown first; all the rest follows when they are on the screen.
  const settled = useDeferredValue(seen);

  async function run(decision: Decision): Promise<void> {
    if (decision === "edit") {
      await navigate({ to: "/articles/$id/edit", params: { id }, search: reviewQueue?.queue ?? {} });
    } else if (newer !== null) {
      announce("This article has changed since you opened it. Load the new version first.");
    } else if (isHeld(decision, seen)) {
      announce(describeHold(seen));
      onTab("findings");
    } else if (decision === "request-changes" || decision === "schedule" || decision === "approve-and-schedule") {
      setDialog(decision);
    } else if (!isSettling()) {
      const question = buildQuestion(decision, seen);
      if (question === null) await decide(decision);
      else await confirm({ ...question, action: () => decide(decision, { inDialog: true }) });
    }
  }

  const acts = useStable({
    run: (decision: Decision) => void run(decision),
    decide,
    discardDraft,
    offerUndo,
    load: () => {
      load();
      // The button is gone.
      focusWhenShown(document.querySelector("#main h1"));
    },
    take,
    onTab,
    requestWith: (text: string) => {
      setAddition(text);
      void run("request-changes");
    },
    closeDialog: () => {
      setDialog(null);
      setAddition("");
    },
  });

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
      <ReviewHeader
        reviewed={seen}
        reviewQueue={reviewQueue}
        offers={offers}
        busy={busy}
        isHeld={newer !== null}
        onDecide={acts.run}
        onTools={setTools}
      />
      {reviewQueue !== null && <QueueEnd reviewQueue={reviewQueue} />}
      <ErrorNote
        error={refused?.error}
        title={refused?.title}
        onClose={dismiss}
        onRetry={refused?.decision === "request-changes" ? () => void run("request-changes") : undefined}
      />
      <ShownArticleProvider value={shown}>
        <Body seen={settled} hasNewer={newer !== null} tab={tab} tools={tools} acts={acts} />
      </ShownArticleProvider>
      <Dialogs seen={settled} dialog={dialog} reason={getReason(refused?.input)} addition={addition} acts={acts} />
    </>
  );
}

interface Acts extends Pick<ReviewAction, "decide" | "discardDraft" | "offerUndo">, Pick<SeenArticle, "load" | "take"> {
  run: (decision: Decision) => void;
  onTab: (tab: Tab) => void;
  /** Starts a request for changes with this text. */
  requestWith: (text: string) => void;
  closeDialog: () => void;
}

interface BodyProps {
  seen: ReviewedArticle;
  hasNewer: boolean;
  tab: Tab;
  /** The element for the tools of the text. */
  tools: HTMLElement | null;
  acts: Acts;
}

const Body = memo(function Body({ seen, hasNewer, tab, tools, acts }: BodyProps): ReactNode {
  const website = useWebsite();
  const client = useQueryClient();
  const announce = useAnnounce();
  const confirm = useConfirm();
  const { id } = seen.article;
  const people = useKnownPeople(website.id, id);
  const [comparing, setComparing] = useState<{ id: string; compared: Compared } | null>(null);
  const setCompared = (compared: Compared | null) => setComparing(compared && { id, compared });

  async function discard(): Promise<void> {
    await confirm({
      title: "Discard the draft copy?",
      body: "Its changes are lost. The live version stays the same.",
      confirmLabel: "Discard",
      action: acts.discardDraft,
    });
  }

  async function restore(revision: string): Promise<void> {
    const body = { version: seen.line.version, draft_saved_at: seen.draft?.saved_at ?? null };
    const answer = await sendText(confirm, (more) =>
      post<ReviewedArticle>(apiPath`/articles/${id}/revisions/${revision}/restore`, { body: { ...body, ...more } }),
    );
    takeAnswer(client, answer);
    acts.take(answer);
    announce(answer.draft === null ? "The revision was restored." : "The revision was restored as a draft copy.");
  }

  return (
    <>
      <Notices
        reviewed={seen}
        newer={hasNewer ? { change: people.lastChange, load: acts.load } : null}
        draft={{
          compare: () => setCompared({ from: "current", to: "draft" }),
          discard: website.can("articles.edit") ? () => void discard() : null,
        }}
        compareApproved={() => setCompared({ from: "approved", to: "current" })}
      />
      <RequestNotices reviewed={seen} onDecide={acts.run} onChange={acts.take} />
      <HoldNotice reviewed={seen} onShow={() => acts.onTab("findings")} />
      <HeldNotices reviewed={seen} onCompare={setCompared} onChange={acts.take} />
      <Panes
        seen={seen}
        tab={tab}
        tools={tools}
        onTab={acts.onTab}
        nameOf={people.nameOf}
        onRequest={seen.verbs.includes("request-changes") ? acts.requestWith : null}
        onCompare={setCompared}
        onChanged={acts.take}
        offerUndo={acts.offerUndo}
      />
      <CompareModal
        reviewed={seen}
        compared={comparing?.id === id ? comparing.compared : null}
        onClose={() => setCompared(null)}
        onRestore={website.can("articles.edit") && seen.line.deleted_at === null ? restore : null}
      />
    </>
  );
});

interface DialogsProps {
  seen: ReviewedArticle;
  dialog: Dialog | null;
  reason: string;
  addition: string;
  acts: Acts;
}

const Dialogs = memo(function Dialogs({ seen, dialog, reason, addition, acts }: DialogsProps): ReactNode {
  const { account } = useSession();
  const { id, title } = seen.article;
  const threads = useQuery(commentsQuery(seen.website_id, id)).data?.threads ?? [];
  const ownComments = threads
    .filter(({ resolved, comments: [first] }) => resolved === null && first?.by.id === account.id)
    .map((thread) => ({ id: thread.id, text: thread.comments[0]?.text ?? "", quote: thread.quote }));
  return (
    <>
      <RequestChanges
        key={`changes ${id}`}
        about={id}
        initialReason={reason}
        addition={addition}
        opened={dialog === "request-changes"}
        title={`“${title}” goes back to its author. What you write here is shown with the article until it is approved.`}
        onClose={acts.closeDialog}
        comments={ownComments}
        onSend={(text, comments) =>
          acts.decide("request-changes", { input: { reason: text, comments }, inDialog: true })
        }
      />
      <Schedule
        opened={dialog === "schedule" || dialog === "approve-and-schedule"}
        planned={seen.line.publish_at}
        onClose={acts.closeDialog}
        onPlan={(publish_at) =>
          acts.decide(dialog === "approve-and-schedule" ? dialog : "schedule", {
            input: { publish_at },
            inDialog: true,
          })
        }
      />
    </>
  );
});

/** The text of a refused request, offered again. */
function getReason(input: Record<string, unknown> = {}): string {
  return typeof input["reason"] === "string" ? input["reason"] : "";
}
