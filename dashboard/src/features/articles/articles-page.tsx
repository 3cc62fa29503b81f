import { ActionIcon, Group, Menu, Text } from "@mantine/core";
import IconArticle from "@tabler/icons-react/dist/esm/icons/IconArticle.mjs";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import IconDownload from "@tabler/icons-react/dist/esm/icons/IconDownload.mjs";
import IconPlus from "@tabler/icons-react/dist/esm/icons/IconPlus.mjs";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { ArticleCounts, BulkAction } from "../../../../src/http/admin/contract/articles.ts";
import { ApiError, buildUrl } from "../../api/client.ts";
import { DEFAULT_QUEUE } from "../../shared/article-queue.ts";
import { useAnnounce } from "../../shared/announce.tsx";
import { useConfirm } from "../../shared/confirm.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { ButtonLink } from "../../shared/links.tsx";
import { Page } from "../../shared/page.tsx";
import { useSession, useWebsite } from "../../shared/session.tsx";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import { toast } from "../../shared/toasts.ts";
import { useUndoToast } from "../../shared/undo-toast.tsx";
import { ArticleTable } from "./article-table.tsx";
import { type BulkOutcome, findOppositeOf, useBulk } from "./bulk.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { FilterBar, NO_FILTERS } from "./filter-bar.tsx";
import { NoMatches, NoWords } from "./no-matches.tsx";
import { Paging } from "./paging.tsx";
import { countsQuery, pageQuery } from "./queries.ts";
import { SelectEverything } from "./select-everything.tsx";
import { BulkErrors } from "./bulk-errors.tsx";
import { useRowKeys } from "./row-keys.ts";
import { type ArticlesSearch, PAGE_SIZES, toQueue } from "./search.ts";
import { useSelection } from "./selection.ts";
import { useKeptPlace } from "./use-kept-place.ts";
import { BULK, describeConsequence, formatCount } from "./views.ts";
import { ViewTabs } from "./view-tabs.tsx";

const route = getRouteApi("/signed-in/website/articles");

export function ArticlesPage(): ReactNode {
  const website = useWebsite();
  const counts = useQuery(countsQuery(website.id));
  const isNew = counts.data !== undefined && isEmpty(counts.data);
  return (
    <Page title="Articles" actions={<Actions hasArticles={!isNew} />}>
      {isNew ? <NoArticles /> : <List />}
    </Page>
  );
}

function List(): ReactNode {
  const website = useWebsite();
  const { trash_days: trashDays } = useSession();
  const search = route.useSearch();
  const { view = DEFAULT_QUEUE, from = 0, size = PAGE_SIZES[0] } = search;
  const go = useGo();
  const { data, error, isPlaceholderData, refetch } = useQuery(pageQuery(website.id, search));
  // Keep the previous numbers until the new ones arrive.
  const counts = useQuery({ ...countsQuery(website.id, search), placeholderData: keepPreviousData });
  const lines = data?.articles ?? [];
  const actions = data?.bulk ?? [];
  const selection = useSelection(view, JSON.stringify(toQueue(search)), lines);
  const table = useRef<HTMLDivElement>(null);
  const last = useKeptPlace(table, { ...search, view }, lines);
  const bulk = useBulk(website.id);
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null);
  const announce = useAnnounce();
  const confirm = useConfirm();
  const offerUndo = useUndoToast();
  const searchField = useRef<HTMLInputElement>(null);
  useRowKeys({
    table,
    searchField,
    lines,
    selection: actions.length > 0 ? selection : null,
    page: { from, size, total: data?.total ?? 0, go },
  });

  // Articles have left the list while its last page was open.
  const isPastEnd = data !== undefined && !isPlaceholderData && from > 0 && from >= data.total;
  useEffect(() => {
    if (isPastEnd) go({ from: lastPage(data.total, size) });
  }, [isPastEnd, data, size, go]);

  function show(done: BulkOutcome): void {
    selection.keep(new Set(done.refused.map(({ article }) => article.id)));
    setOutcome(done.refusals > 0 || done.end !== null ? done : null);
    const message = `${formatCount(done.done)} ${BULK[done.action].done}`;
    const opposite = findOppositeOf(done.action, search);
    if (opposite !== null && done.done > 0) {
      offerUndo({ message, undo: () => undo(done.changed, opposite) });
    } else if (done.refusals === 0 && done.end === null) toast(`${message}.`);
    announce(`${message}.`);
  }

  /** Asks first if articles may be published again. */
  async function undo(changed: BulkOutcome["changed"], opposite: BulkAction): Promise<boolean> {
    const { label, question } = BULK[opposite];
    const body = describeConsequence(opposite, changed.length);
    const title = question(formatCount(changed.length));
    const isAsked = opposite === "restore";
    if (isAsked && !(await confirm({ title, body, confirmLabel: label, danger: false }))) return false;
    const articles = changed.map(({ id, title }) => ({ id, title }));
    const undone = await bulk.run(opposite, { articles });
    const message = `${formatCount(undone.done)} ${BULK[opposite].done}.`;
    if (undone.end !== null) {
      // Its articles are handled in order.
      const rest = articles.slice(undone.done + undone.refusals);
      const left = `${formatCount(rest.length)} not undone`;
      undone.end = `Stopped: ${left}.`;
      offerUndo({ message: left, undo: () => undo(rest, opposite) });
    }
    setOutcome(undone.refusals > 0 || undone.end !== null ? undone : null);
    if (undone.refusals === 0 && undone.end === null) toast(message);
    announce(message);
    return true;
  }

  return (
    <>
      <ViewTabs search={search} counts={counts.data} />
      <FilterBar
        websiteId={website.id}
        search={search}
        onChange={(change) => go({ ...change, from: undefined }, !("q" in change))}
        searchRef={searchField}
      />
      {view === "trash" && trashDays !== null && (
        <Text size="sm" c="dimmed">
          {`Articles in the trash are permanently deleted after ${trashDays === 1 ? "one day" : `${trashDays} days`}.`}
        </Text>
      )}
      {outcome !== null && <BulkErrors outcome={outcome} onClose={() => setOutcome(null)} />}
      {error instanceof ApiError && error.param === "q" ? (
        <NoWords message={error.message} onClear={() => go({ q: undefined }, true)} />
      ) : (
        <ErrorNote error={error} title="The list could not be loaded" onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <RowsSkeleton rows={8} rowHeight={52} />}
      {data !== undefined && data.total === 0 && (
        <NoMatches
          search={search}
          counts={counts.isPlaceholderData ? undefined : counts.data}
          onClear={() => go({ q: undefined, ...NO_FILTERS }, true)}
        />
      )}
      {data !== undefined && lines.length > 0 && (
        <div ref={table}>
          {actions.length > 0 && <SelectEverything selection={selection} lines={lines} total={data.total} />}
          <ArticleTable
            lines={lines}
            search={search}
            onSort={(sort) => go({ sort, from: undefined })}
            selection={actions.length > 0 ? selection : null}
            isStale={isPlaceholderData}
            last={last}
          />
        </div>
      )}
      <BulkBar
        selection={selection}
        search={{ ...search, view }}
        total={data?.total ?? 0}
        actions={actions}
        bulk={bulk}
        onDone={show}
      />
      {data !== undefined && data.total > 0 && (
        <Paging
          total={data.total}
          from={from}
          size={size}
          onFrom={(next) => go({ from: next || undefined }, true)}
          onSize={(next) => go({ size: next, from: undefined })}
        />
      )}
    </>
  );
}

/** Changes the search parameters. A page, tab or filter adds a history entry; a search that is typed does not. */
function useGo(): (change: ArticlesSearch, isPlace?: boolean) => void {
  const navigate = route.useNavigate();
  return (change, isPlace = false) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: !isPlace, resetScroll: isPlace });
}

function Actions({ hasArticles }: { hasArticles: boolean }): ReactNode {
  const website = useWebsite();
  return (
    <Group gap="xs">
      {hasArticles && (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="default" size={36} aria-label="More">
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              component="a"
              href={buildUrl("/exports", { website_id: website.id })}
              download
              leftSection={<IconDownload size={16} />}
            >
              Export all articles
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {website.can("articles.edit") && (
        <ButtonLink to="/articles/new" leftSection={<IconPlus size={16} />}>
          New article
        </ButtonLink>
      )}
    </Group>
  );
}

function NoArticles(): ReactNode {
  const website = useWebsite();
  return (
    <EmptyState
      icon={<IconArticle size={28} />}
      title="No articles yet"
      actions={website.can("articles.import") && <ButtonLink to="/import">Import articles</ButtonLink>}
    >
      {website.can("articles.import")
        ? "Import them from Markdown files, WordPress, Ghost, Medium, Jekyll or JSON, or write the first one here."
        : "They appear here as soon as somebody imports or writes them."}
    </EmptyState>
  );
}

function isEmpty({ all, trash }: ArticleCounts): boolean {
  return all + trash === 0;
}

function lastPage(total: number, size: number): number | undefined {
  return Math.floor(Math.max(0, total - 1) / size) * size || undefined;
}
