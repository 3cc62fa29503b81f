import { Alert, Skeleton, Tabs, Text } from "@mantine/core";
import IconFilter from "@tabler/icons-react/dist/esm/icons/IconFilter.mjs";
import { memo, type ReactNode, useMemo, useState } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import type { Finding } from "../../../../../src/domain/articles/findings.ts";
import { ApiError } from "../../../api/client.ts";
import { toMessage } from "../../../shared/error-note.tsx";
import { useTextLanguage } from "../document/text-language.ts";
import { lazyComponent, LazyPart } from "../../../shared/lazy-part.tsx";
import { ScrollingRow } from "../../../shared/scrolling-row.tsx";
import { groupFindings } from "../findings/problems.ts";
import type { Feedback } from "./beside/use-feedback.ts";
import type { Resubmit } from "./beside/use-resubmit.ts";
import { areSameFields, ArticleFields, type FieldsProps } from "./fields.tsx";
import classes from "./preview-pane.module.css";
import type { PreviewState } from "./use-preview.ts";
import { TEXT_FIELDS } from "./values.ts";

const Advice = lazyComponent(() => import("./advice.tsx"), "Advice");
const BesidePanel = lazyComponent(() => import("./beside/beside-panel.tsx"), "BesidePanel");
const PreviewFrame = lazyComponent(() => import("./preview-frame.tsx"), "PreviewFrame");
const SearchPreview = lazyComponent(() => import("../sidebar/search-preview.tsx"), "SearchPreview");

export type PaneTab = "details" | "preview" | "quality" | "search" | "beside";

interface PreviewPaneProps {
  tab: PaneTab;
  onTab: (tab: PaneTab) => void;
  /** The article's other fields. */
  fields: FieldsProps;
  /** The article as it is saved; null: a new one. */
  article: ReviewedArticle | null;
  /** What others said about it; null: it is a new one. */
  feedback: Feedback | null;
  resubmit: Resubmit | null;
  previewed: PreviewState;
  siteName: string;
  /** Base URL of relative image URLs. */
  base: string | null;
  begin: (blocks: readonly Element[]) => Element | undefined;
}

/** Shows the other fields, the rendered text, and suggestions to improve it. A key in the text does not render it. */
export function PreviewPane(props: PreviewPaneProps): ReactNode {
  return <StillPane {...props} />;
}

const StillPane = memo(Pane, (before, now) => {
  const [{ preview, values, error }, next] = [before.previewed, now.previewed];
  const isSame = preview === next.preview && values === next.values && error === next.error;
  return (
    isSame &&
    before.tab === now.tab &&
    before.base === now.base &&
    before.article === now.article &&
    before.feedback === now.feedback &&
    before.resubmit?.isBusy === now.resubmit?.isBusy &&
    before.resubmit?.isDone === now.resubmit?.isDone &&
    before.resubmit?.error === now.resubmit?.error &&
    before.siteName === now.siteName &&
    areSameFields(before.fields, now.fields)
  );
});

function Pane(props: PreviewPaneProps): ReactNode {
  const { tab, onTab, fields, article, feedback, resubmit, previewed, siteName, base, begin } = props;
  const isNew = article === null;
  const { preview, values, error } = previewed;
  const lang = useTextLanguage(fields.websiteId, values.language);
  const integrity = preview?.quality_metrics.integrity;
  const problems = useMemo(() => (integrity === undefined ? [] : groupFindings(integrity)), [integrity]);
  const [chosen, setChosen] = useState<Finding | null>(null);
  const findings = integrity?.findings ?? NO_FINDINGS;
  const active = chosen !== null && findings.includes(chosen) ? chosen : null;
  const wrong = Object.keys(fields.errors).filter((name) => !TEXT_FIELDS.has(name)).length;
  return (
    <Tabs
      value={tab}
      onChange={(value) => onTab(TABS.find((one) => one === value) ?? "preview")}
      className={classes.root}
      keepMounted={false}
    >
      <ScrollingRow>
        <Tabs.List className={classes.tabs}>
          <Tabs.Tab value="details">Details{wrong > 0 && ` (${wrong} to correct)`}</Tabs.Tab>
          {feedback !== null && (
            <Tabs.Tab value="beside">Feedback{feedback.open > 0 && ` (${feedback.open})`}</Tabs.Tab>
          )}
          <Tabs.Tab value="preview">Preview</Tabs.Tab>
          <Tabs.Tab value="quality">
            Quality{preview && ` ${preview.quality_metrics.overall_score}`}
            {problems.length > 0 && ` (${problems.length} to check)`}
          </Tabs.Tab>
          <Tabs.Tab value="search">Search</Tabs.Tab>
        </Tabs.List>
      </ScrollingRow>
      {error != null && (
        <Text size="sm" className={classes.error} role="status">
          {error instanceof ApiError && error.param !== null
            ? "The preview is paused until the marked field is corrected."
            : `The preview is paused: ${toMessage(error)}`}
        </Text>
      )}
      {preview?.loss != null && (
        <Alert color="red" variant="light" icon={<IconFilter size={18} />} className={classes.removed}>
          <Text size="sm">
            {`${Math.round((100 * preview.loss.missing) / preview.loss.total)} % of the text would be lost, first after “${preview.loss.after}”: “${preview.loss.lost}”. Check that every tag there is closed.`}
          </Text>
        </Alert>
      )}
      {preview !== undefined && preview.removed.length > 0 && (
        <Alert color="amber" variant="light" icon={<IconFilter size={18} />} className={classes.removed}>
          <Text size="sm">Removed when it is saved: {preview.removed.join(", ")}.</Text>
        </Alert>
      )}
      <Tabs.Panel value="details" className={classes.panel}>
        <div className={classes.fields}>
          <ArticleFields {...fields} />
        </div>
      </Tabs.Panel>
      <Tabs.Panel value="preview" className={classes.frame}>
        {preview === undefined ? (
          <Empty isNew={isNew} hasFailed={error != null} />
        ) : (
          <Part>
            <PreviewFrame
              article={{
                title: values.title.trim() === "" ? "Untitled" : values.title,
                html: preview.content,
                imageUrl: values.featured_image_url.trim() === "" ? null : values.featured_image_url,
                imageAlt: values.featured_image_alt,
              }}
              base={base}
              articleId={article?.article.id ?? null}
              lang={lang}
              begin={begin}
              findings={findings}
              active={active}
            />
          </Part>
        )}
      </Tabs.Panel>
      <Tabs.Panel value="quality" className={classes.panel} tabIndex={0}>
        {preview === undefined ? (
          <Empty isNew={isNew} hasFailed={error != null} />
        ) : (
          <Part>
            <Advice
              metrics={preview.quality_metrics}
              problems={problems}
              active={active}
              onChoose={(finding) => {
                setChosen(finding);
                onTab("preview");
              }}
            />
          </Part>
        )}
      </Tabs.Panel>
      <Tabs.Panel value="search" className={classes.panel}>
        <Part>
          <SearchPreview
            siteName={siteName}
            url={article?.public_url ?? null}
            slug={values.slug.trim() === "" ? (preview?.slug ?? "") : values.slug}
            title={values.meta_title.trim() === "" ? values.title : values.meta_title}
            metaDescription={values.meta_description}
            excerpt={values.excerpt.trim() === "" ? (preview?.excerpt ?? "") : values.excerpt}
          />
        </Part>
      </Tabs.Panel>
      {feedback !== null && (
        <Tabs.Panel value="beside" className={classes.panel} tabIndex={0}>
          <Part>
            <BesidePanel feedback={feedback} resubmit={resubmit} />
          </Part>
        </Tabs.Panel>
      )}
    </Tabs>
  );
}

/** A part of the panel that is loaded when it is shown. */
function Part({ children }: { children: ReactNode }): ReactNode {
  return <LazyPart fallback={<Skeleton m="lg" h={280} radius="md" />}>{children}</LazyPart>;
}

const NO_FINDINGS: readonly Finding[] = [];

const TABS: readonly PaneTab[] = ["details", "preview", "quality", "search", "beside"];

/** If the preview has failed, the error is shown above. */
function Empty({ isNew, hasFailed }: { isNew: boolean; hasFailed: boolean }): ReactNode {
  if (hasFailed) return null;
  if (!isNew) return <Skeleton m="lg" h={280} radius="md" />;
  return (
    <Text size="sm" c="dimmed" p="lg">
      What you write is shown here, with advice.
    </Text>
  );
}
