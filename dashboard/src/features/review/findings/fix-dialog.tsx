/** Shows what a fix would change in the source, and saves it as an edit that can be undone. */
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import type { Finding, FindingKind, Integrity } from "../../../../../src/domain/articles/findings.ts";
import type { ArticleChanges, ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { apiPath, del, patch } from "../../../api/client.ts";
import { useAnnounce } from "../../../shared/announce.tsx";
import { useConfirm } from "../../../shared/confirm.tsx";
import { ErrorNote, toMessage } from "../../../shared/error-note.tsx";
import { showErrorToast } from "../../../shared/error-toast.tsx";
import { nameFinding } from "../../../shared/finding-kinds.ts";
import { lazyComponent, LazyPart } from "../../../shared/lazy-part.tsx";
import { BlockSkeleton } from "../../../shared/skeletons.tsx";
import type { OfferUndo } from "../../../shared/undo-toast.tsx";
import { sendText } from "../editor/accept-loss.ts";
import { askPreview } from "../editor/use-preview.ts";
import { takeAnswer } from "../queries.ts";
import { proposeFix } from "./fix.ts";

const DiffView = lazyComponent(() => import("../compare/diff-view.tsx"), "DiffView");

interface FixDialogProps {
  reviewed: ReviewedArticle;
  /** null: closed. */
  finding: Finding | null;
  onClose: () => void;
  onChanged: (answer: ReviewedArticle) => void;
  offerUndo: OfferUndo;
}

export function FixDialog({ finding, ...rest }: FixDialogProps): ReactNode {
  return (
    <Modal
      opened={finding !== null}
      onClose={rest.onClose}
      title={finding && `Fix “${nameFinding(finding.kind)}”`}
      size="xl"
    >
      {finding !== null && <Body finding={finding} {...rest} />}
    </Modal>
  );
}

function Body({ reviewed, finding, onClose, onChanged, offerUndo }: FixDialogProps & { finding: Finding }): ReactNode {
  const client = useQueryClient();
  const confirm = useConfirm();
  const announce = useAnnounce();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { article, line, website_id: websiteId } = reviewed;
  const { kind } = finding;
  const proposed = useMemo(() => proposeFix(reviewed, finding), [reviewed, finding]);
  // Only what is gone afterwards was fixed.
  const preview = useQuery({
    queryKey: ["fixes", websiteId, article.id, line.version, proposed],
    queryFn: ({ signal }) => askPreview(websiteId, reviewed, proposed ?? {}, article, signal),
    enabled: proposed !== null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const isFixed =
    preview.data !== undefined &&
    count(preview.data.quality_metrics.integrity, kind) < count(article.quality_metrics.integrity, kind);
  const changes = isFixed ? (proposed ?? undefined) : undefined;
  const before = changes && readBefore(reviewed, changes);

  async function apply(): Promise<void> {
    if (changes === undefined || before === undefined || isBusy) return;
    setBusy(true);
    setError(null);
    try {
      const answer = await sendText(confirm, (more) => save(reviewed, changes, more));
      take(answer);
      onClose();
      const message = `Fixed: ${nameFinding(kind)}`;
      announce(`${message}.`);
      offerUndo({ message, undo: () => undo(answer, before) });
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  }

  async function undo(fixed: ReviewedArticle, earlier: ArticleChanges): Promise<boolean> {
    try {
      const query = { draft_saved_at: fixed.draft?.saved_at };
      take(
        fixed.draft === null
          ? await save(fixed, earlier, {})
          : await del<ReviewedArticle>(apiPath`/articles/${article.id}/draft`, { query }),
      );
      announce("The fix was undone.");
      return true;
    } catch (thrown) {
      showErrorToast({
        title: "The fix was not undone",
        message: toMessage(thrown),
        label: "Try again",
        action: () => void undo(fixed, earlier),
      });
      return false;
    }
  }

  function take(answer: ReviewedArticle): void {
    takeAnswer(client, answer);
    onChanged(answer);
  }

  return (
    <Stack>
      <Text size="sm">{finding.message}</Text>
      <ErrorNote error={preview.error} />
      {changes !== undefined && before !== undefined ? (
        <LazyPart fallback={<BlockSkeleton height={120} />}>
          <DiffView before={readText(before)} after={readText(changes)} names={["Now", "Fixed"]} isSource />
        </LazyPart>
      ) : (
        preview.error === null &&
        (proposed === null || preview.data !== undefined ? (
          <Text size="sm">It cannot be fixed automatically. Edit the text.</Text>
        ) : (
          <BlockSkeleton height={120} />
        ))
      )}
      <ErrorNote error={error} title="Couldn’t save" />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose} disabled={isBusy}>
          Cancel
        </Button>
        <Button data-autofocus onClick={() => void apply()} loading={isBusy} disabled={changes === undefined}>
          Apply the fix
        </Button>
      </Group>
    </Stack>
  );
}

function count({ findings }: Integrity, kind: FindingKind): number {
  return findings.filter((one) => one.kind === kind).length;
}

/** A published article stays as it is: its draft copy gets the fix. */
function save(
  { article, line, draft }: ReviewedArticle,
  changes: ArticleChanges,
  more: { accept_loss?: true },
): Promise<ReviewedArticle> {
  const body = { version: line.version, draft_saved_at: draft?.saved_at ?? null, changes, ...more };
  return patch<ReviewedArticle>(apiPath`/articles/${article.id}`, { body });
}

/** The fields that change, as they are now. */
function readBefore({ article, markdown }: ReviewedArticle, changes: ArticleChanges): ArticleChanges {
  const { title, meta_description, content } = article;
  const now = { title, meta_description, content, markdown };
  return Object.fromEntries(Object.entries(now).filter(([name]) => Object.hasOwn(changes, name)));
}

/** A fix changes one field. */
function readText({ title, meta_description: metaDescription, content, markdown }: ArticleChanges): string {
  return markdown ?? content ?? title ?? metaDescription ?? "";
}
