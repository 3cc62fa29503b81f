/** Compares two versions of an article and restores the older one. */
import { Button, Group, Modal, SegmentedControl, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { ErrorNote } from "../../../shared/error-note.tsx";
import { lazyComponent, LazyPart } from "../../../shared/lazy-part.tsx";
import { BlockSkeleton } from "../../../shared/skeletons.tsx";
import { RedlineFrame } from "../document/redline-frame.tsx";
import { comparisonQuery, revisionQuery, websiteQuery } from "../queries.ts";
import classes from "./compare-modal.module.css";
import type { SourceView } from "./differences.tsx";
import { formatDay, type SideId, namedSides } from "./side.ts";

const Differences = lazyComponent(() => import("./differences.tsx"), "Differences");

export interface Compared {
  from: SideId;
  /** Absent: the current version. */
  to?: SideId | undefined;
  /** The view to open first. Default: the changes in the article. */
  view?: CompareView | undefined;
}

interface CompareModalProps {
  reviewed: ReviewedArticle;
  /** null: closed. */
  compared: Compared | null;
  onClose: () => void;
  /** null: the user may not restore. @throws an error that is shown here. */
  onRestore: ((revision: string) => Promise<void>) | null;
}

export function CompareModal({ reviewed, compared, onClose, onRestore }: CompareModalProps): ReactNode {
  return (
    <Modal
      opened={compared !== null}
      onClose={onClose}
      title={`Compare: ${reviewed.article.title}`}
      size="min(1280px, 94vw)"
      centered={false}
      yOffset="4dvh"
      classNames={{ title: classes.title }}
    >
      {compared !== null && (
        <Body key={compared.from} reviewed={reviewed} compared={compared} onClose={onClose} onRestore={onRestore} />
      )}
    </Modal>
  );
}

function Body({ reviewed, compared, onClose, onRestore }: CompareModalProps & { compared: Compared }): ReactNode {
  const { website_id, article } = reviewed;
  const [toId, setToId] = useState<SideId | undefined>(compared.to);
  const [view, setView] = useState<CompareView | null>(compared.view ?? null);
  const [restoring, setRestoring] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null });
  const comparison = useQuery(comparisonQuery(website_id, article.id));
  const standing = comparison.data === undefined ? [] : namedSides(comparison.data);
  const isRevision = !["current", "approved", "live", "draft"].includes(compared.from);
  const revision = useQuery({ ...revisionQuery(website_id, article.id, compared.from), enabled: isRevision });
  const from = isRevision
    ? revision.data && {
        id: compared.from,
        name: `${formatDay(revision.data.at)}, ${revision.data.by.name}`,
        content: revision.data.content,
      }
    : standing.find(({ id }) => id === compared.from);
  const others = standing.filter(({ id }) => id !== compared.from);
  const to = others.find(({ id }) => id === toId) ?? others[0];
  const website = useQuery(websiteQuery(website_id));
  // Show the tab with differences first.
  const isTextSame = from?.content.content === to?.content.content;
  const shown = view ?? (from !== undefined && to !== undefined && isTextSame ? "fields" : "article");
  const error = comparison.error ?? revision.error;

  async function restore(): Promise<void> {
    setRestoring({ isBusy: true, error: null });
    try {
      await onRestore?.(compared.from);
      onClose();
    } catch (thrown) {
      setRestoring({ isBusy: false, error: thrown });
    }
  }

  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <SegmentedControl
          size="xs"
          value={shown}
          onChange={setView}
          data={[
            { value: "article", label: "Article" },
            { value: "markdown", label: "Markdown" },
            { value: "html", label: "HTML" },
            { value: "fields", label: "Fields" },
          ]}
          aria-label="What is compared"
        />
        {isRevision && onRestore !== null && (
          <Button size="xs" variant="default" loading={restoring.isBusy} onClick={() => void restore()}>
            Restore this revision
          </Button>
        )}
      </Group>
      <ErrorNote error={restoring.error} title="It was not restored" />
      <ErrorNote error={error} onRetry={() => void Promise.all([comparison.refetch(), revision.refetch()])} />
      <div className={classes.names}>
        <Text size="sm" fw={600}>
          {from?.name ?? "…"}
        </Text>
        {others.length > 1 ? (
          <Select
            size="xs"
            aria-label="Compare with"
            allowDeselect={false}
            value={to?.id ?? null}
            onChange={(value) => setToId(value ?? undefined)}
            data={others.map(({ id, name }) => ({ value: id, label: name }))}
          />
        ) : (
          <Text size="sm" fw={600}>
            {to?.name ?? "…"}
          </Text>
        )}
      </div>
      {from !== undefined && to !== undefined ? (
        <LazyPart fallback={<BlockSkeleton height={320} />}>
          {shown === "article" ? (
            <RedlineFrame
              reviewed={reviewed}
              from={from.id}
              to={to.id}
              base={reviewed.public_url ?? website.data?.url ?? null}
              onSource={() => setView("markdown")}
            />
          ) : (
            <Differences before={from} after={to} view={shown} />
          )}
        </LazyPart>
      ) : (
        error === null && <BlockSkeleton height={320} />
      )}
    </Stack>
  );
}

type CompareView = "article" | SourceView;
