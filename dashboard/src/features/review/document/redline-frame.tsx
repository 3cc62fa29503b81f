/** The changes between two versions, marked in the article. */
import { Alert, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import type { RedlineReply, ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { ApiError } from "../../../api/client.ts";
import { ErrorNote } from "../../../shared/error-note.tsx";
import { BlockSkeleton } from "../../../shared/skeletons.tsx";
import { FIELD_LABELS } from "../compare/fields.ts";
import type { SideId } from "../compare/side.ts";
import { redlineQuery } from "../queries.ts";
import { ArticleFrame } from "./article-frame.tsx";
import { useTextLanguage } from "./text-language.ts";

interface Compared {
  reviewed: ReviewedArticle;
  from: SideId;
  to: SideId;
}

interface RedlineFrameProps extends Compared {
  base: string | null;
  onShown?: ((shown: Document) => void) | undefined;
  /** The page shows the title itself. */
  isHeadless?: boolean | undefined;
  /** Shows the source instead. */
  onSource: () => void;
}

export function RedlineFrame({
  reviewed,
  from,
  to,
  base,
  isHeadless,
  onShown,
  onSource,
}: RedlineFrameProps): ReactNode {
  const { data, error, refetch } = useQuery(redlineQuery(reviewed, from, to));
  const { title } = reviewed.article;
  const lang = useTextLanguage(reviewed.website_id, reviewed.language);
  const article = useMemo(
    () =>
      data && {
        title,
        html: data.content,
        imageUrl: null,
        imageAlt: null,
        marked: { title: data.title, image: data.image },
      },
    [data, title],
  );
  if (data === undefined || article === undefined) {
    if (error === null) return <BlockSkeleton height={420} />;
    if (!isTooLarge(error)) return <ErrorNote error={error} onRetry={() => void refetch()} />;
    return (
      <Alert color="gray" variant="light" m="md">
        <Group gap="sm">
          <Text size="sm">The texts are too long to show their differences in the article.</Text>
          <Button size="compact-sm" variant="default" onClick={onSource}>
            Compare the source
          </Button>
        </Group>
      </Alert>
    );
  }
  return (
    <>
      {isHeadless !== true && <RedlineCounts reviewed={reviewed} from={from} to={to} />}
      <ArticleFrame
        article={article}
        base={base}
        articleId={reviewed.article.id}
        lang={lang}
        isHeadless={isHeadless}
        onShown={onShown}
      />
    </>
  );
}

/** What changed, in numbers. */
export function RedlineCounts({ reviewed, from, to }: Compared): ReactNode {
  const { data } = useQuery(redlineQuery(reviewed, from, to));
  if (data === undefined) return null;
  return (
    <Text size="sm" c="dimmed" py={4}>
      {describeRedline(data)}
    </Text>
  );
}

/** Whether the title has changes, which the frame then shows. */
export function useMarkedTitle({ reviewed, from, to }: Compared, enabled: boolean): boolean {
  const { data } = useQuery({ ...redlineQuery(reviewed, from, to), enabled });
  return enabled && data?.title.includes("data-redline") === true;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 422 || error.status === 429);
}

/** Such as “12 words added; 3 words removed.” */
function describeRedline(redline: RedlineReply): string {
  const { inserted_words: added, deleted_words: removed, unseen_changes: unseen, fields } = redline;
  const isSame = !`${redline.title}${redline.image}${redline.content}`.includes("data-redline");
  const parts = [
    added > 0 && `${countWords(added)} added`,
    removed > 0 && `${countWords(removed)} removed`,
    unseen > 0 && `${unseen} ${unseen === 1 ? "change" : "changes"} of markup that readers do not see`,
    fields.length > 0 && `other fields: ${fields.map(nameField).join(", ")}`,
  ].filter((part) => part !== false);
  if (isSame && parts.length === 0) return "No difference.";
  if (parts.length === 0) return "No words changed. The notes in the text say what did.";
  return `${parts.join("; ")}.`;
}

function countWords(count: number): string {
  return `${count} ${count === 1 ? "word" : "words"}`;
}

function nameField(name: string): string {
  return (Object.hasOwn(FIELD_LABELS, name) ? FIELD_LABELS[name as keyof typeof FIELD_LABELS] : name).toLowerCase();
}
