/**
 * The page where somebody without an account reviews one text. The token follows `#`, so that no server or log on the way sees it.
 */
import { Alert, Button, Group, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { GuestReview, GuestThread } from "../../../../../src/http/admin/contract/review-links.ts";
import { ApiError, post } from "../../../api/client.ts";
import { ErrorNote, fieldErrors } from "../../../shared/error-note.tsx";
import { Logo } from "../../../shared/logo.tsx";
import { useTabTitle } from "../../../shared/page.tsx";
import { BlockSkeleton } from "../../../shared/skeletons.tsx";
import { readUnsent, useUnsent } from "../../../shared/unsent.ts";
import { highlight } from "../comments/highlights.ts";
import { SelectionButton } from "../comments/selection-button.tsx";
import { indexText } from "../comments/text-index.ts";
import { readSelection } from "../comments/use-commenting.ts";
import { formatDay } from "../compare/side.ts";
import { ArticleFrame } from "../document/article-frame.tsx";
import { textDirection } from "../document/text-language.ts";
import { GuestComments, type GuestDraft, guestKey } from "./guest-comments.tsx";
import classes from "./guest-page.module.css";

const REFETCH_INTERVAL_MS = 30_000;

export function GuestPage(): ReactNode {
  const token = useLocation({ select: ({ hash }) => hash });
  const review = useQuery({
    queryKey: ["guest-review", token],
    queryFn: ({ signal }) => post<GuestReview>("/guest-review", { body: { token }, signal }),
    enabled: token !== "",
    retry: false,
    // Answers to comments come while the page is open.
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  const isBad = token === "" || (review.error instanceof ApiError && review.error.status === 404);
  const article = isBad ? null : (review.data?.article ?? null);
  const title = isBad ? "This link is not valid" : (article?.title ?? "Review");
  useTabTitle(title);
  return (
    <div className={classes.root}>
      <header className={classes.header}>
        <span className={classes.mark}>
          <Logo size={28} />
          {review.data?.website_name ?? "Rostrum"}
        </span>
      </header>
      <main className={classes.main}>
        <Title
          order={1}
          size="h2"
          tabIndex={-1}
          {...(article !== null && { lang: article.language ?? undefined, dir: textDirection(article.language) })}
        >
          {title}
        </Title>
        {isBad && <Text>It has expired or was revoked. Ask the person who sent it for a new one.</Text>}
        {!isBad && <ErrorNote error={review.error} onRetry={() => void review.refetch()} />}
        {review.isLoading && <BlockSkeleton height={420} />}
        {review.data !== undefined && <Body token={token} review={review.data} />}
      </main>
    </div>
  );
}

function Body({ token, review }: { token: string; review: GuestReview }): ReactNode {
  const { article, sender, website_name, website_url, expires_at, decision } = review;
  const [shown, setShown] = useState<Document | null>(null);
  const index = useMemo(() => shown && indexText(shown), [shown]);
  useEffect(() => {
    if (shown !== null && index !== null) highlight(shown, index, review.threads.filter(isOpen), null);
  }, [shown, index, review.threads]);
  const [draft, setDraft] = useUnsent<GuestDraft | null>(guestKey(review, "passage"), null);
  const [name, setName] = useUnsent(guestKey(review, "name"), review.name ?? "");
  const [isNameMissing, setNameMissing] = useState(false);
  const nameField = useRef<HTMLInputElement>(null);
  const threads = <GuestComments {...{ token, review, index, draft, getName }} onEnd={() => setDraft(null)} />;

  /** Asks for the name if there is none. */
  function getName(): string | null {
    const isMissing = name.trim() === "";
    setNameMissing(isMissing);
    if (!isMissing) return name;
    nameField.current?.focus();
    return null;
  }

  if (article === null) {
    return (
      <>
        <Alert color="amber" variant="light">
          The text has changed since this link was sent, so it no longer works. Ask {sender} for a new link.
        </Alert>
        <Unsent review={review} />
        {threads}
      </>
    );
  }
  return (
    <>
      <Text c="dimmed" size="sm">
        {capitalise(sender)} asks you to review this text for {website_name}. The link is valid until{" "}
        {formatDay(expires_at)}.
      </Text>
      {decision !== null && (
        <Alert color="pine" variant="light" role="status">
          {decision === "approve"
            ? "You have approved this text."
            : `You have asked for changes. ${capitalise(sender)} sees what you wrote.`}
        </Alert>
      )}
      <ArticleFrame
        article={{
          title: article.title,
          html: article.content,
          imageUrl: article.featured_image_url,
          imageAlt: article.featured_image_alt,
        }}
        base={website_url}
        articleId={null}
        lang={article.language ?? undefined}
        onShown={setShown}
      />
      <SelectionButton
        hasShortcut={false}
        commenting={{
          shown,
          index,
          mayWrite: review.may_comment,
          draft: draft ?? undefined,
          begin: () => setDraft({ passage: shown && index && readSelection(shown, index) }),
        }}
      />
      <section className={classes.decide} aria-label="Your review">
        <Stack>
          <Title order={2} size="h4">
            Your review
          </Title>
          <TextInput
            ref={nameField}
            label="Your name"
            description="Shown with what you write and decide."
            autoComplete="name"
            value={name}
            maxLength={200}
            onChange={(event) => setName(event.currentTarget.value)}
            error={isNameMissing ? "Enter your name." : undefined}
          />
          {threads}
          {review.decisions.length > 0 && <Decide token={token} review={review} getName={getName} />}
        </Stack>
      </section>
    </>
  );
}

/** What can no longer be sent, to be copied. */
function Unsent({ review }: { review: GuestReview }): ReactNode {
  const texts = ["comment", "reason", ...review.threads.map(({ id }) => id)]
    .map((about) => readUnsent(guestKey(review, about)))
    .filter((text) => typeof text === "string");
  return texts.map((text) => (
    <Textarea key={text} label="Your unsent text" readOnly autosize maxRows={10} value={text} />
  ));
}

function capitalise(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function isOpen(thread: GuestThread): boolean {
  return !thread.is_resolved;
}

interface DecideProps {
  token: string;
  review: GuestReview;
  getName: () => string | null;
}

function Decide({ token, review, getName }: DecideProps): ReactNode {
  const client = useQueryClient();
  const { decisions } = review;
  const [reason, setReason] = useUnsent(guestKey(review, "reason"), "");
  const [isMissing, setMissing] = useState(false);
  const deciding = useMutation({
    mutationFn: ({ name, decision }: { name: string; decision: GuestReview["decisions"][number] }) =>
      post("/guest-review/decision", {
        body: { token, name, decision, ...(decision === "request-changes" && { reason }) },
      }),
    onSuccess: () => setReason(""),
    onSettled: () => client.invalidateQueries({ queryKey: ["guest-review"] }),
  });

  function decide(decision: GuestReview["decisions"][number]): void {
    const name = getName();
    const isLacking = decision === "request-changes" && reason.trim() === "";
    setMissing(isLacking);
    if (name !== null && !isLacking) deciding.mutate({ name, decision });
  }

  return (
    <>
      <Title order={3} size="h5">
        Decision
      </Title>
      <Textarea
        label="What should change?"
        description="Only if you ask for changes."
        autosize
        minRows={3}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={isMissing ? "Describe what should change." : fieldErrors(deciding.error)["reason"]}
      />
      <ErrorNote error={deciding.error} fields={["reason"]} />
      <Group justify="flex-end" gap="sm">
        {decisions.includes("request-changes") && (
          <Button variant="default" disabled={deciding.isPending} onClick={() => decide("request-changes")}>
            Request changes
          </Button>
        )}
        {decisions.includes("approve") && (
          <Button loading={deciding.isPending} onClick={() => decide("approve")}>
            Approve
          </Button>
        )}
      </Group>
    </>
  );
}
