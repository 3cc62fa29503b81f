import { Alert } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconRefresh from "@tabler/icons-react/dist/esm/icons/IconRefresh.mjs";
import IconRocket from "@tabler/icons-react/dist/esm/icons/IconRocket.mjs";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Overview } from "../../../../src/http/admin/contract/overview.ts";
import { get } from "../../api/client.ts";
import { DEFAULT_QUEUE, type Queue } from "../../shared/article-queue.ts";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { ButtonLink, TextLink } from "../../shared/links.tsx";
import { Page, Section } from "../../shared/page.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { BlockSkeleton } from "../../shared/skeletons.tsx";
import { TimeChart } from "../../shared/time-chart.tsx";
import { ArticleLines } from "./article-lines.tsx";
import classes from "./overview-page.module.css";

const RECHECK_REFETCH_MS = 5_000;

export function OverviewPage(): ReactNode {
  const website = useWebsite();
  const { data, error, refetch } = useQuery({
    queryKey: ["overview", website.id],
    queryFn: ({ signal }) => get<Overview>("/overview", { query: { website_id: website.id }, signal }),
    refetchInterval: ({ state }) => (state.data?.recheck == null ? false : RECHECK_REFETCH_MS),
  });
  return (
    <Page title={website.name} tabTitle="Overview" actions={data !== undefined && <Start overview={data} />}>
      <ErrorNote error={error} title="The overview could not be loaded" onRetry={() => void refetch()} />
      {data === undefined && error === null && <Skeletons />}
      {data !== undefined && (isEmpty(data) ? <Nothing /> : <Content overview={data} />)}
    </Page>
  );
}

function Content({ overview }: { overview: Overview }): ReactNode {
  const website = useWebsite();
  const { counts, deliveries, reads, waiting, scheduled, published } = overview;
  return (
    <>
      <Warnings overview={overview} />
      {overview.recheck !== null && (
        <Alert role="status" icon={<IconRefresh size={18} />} title="Scores are being updated">
          {Math.floor(100 * overview.recheck)} % of the articles have their new scores. Nothing changes for readers.
        </Alert>
      )}
      <nav className={classes.tiles} aria-label="Articles">
        <Tile view="in_review" label="To review" count={counts.in_review} />
        <Tile view="approved" label="Approved" count={counts.approved} />
        <Tile view="scheduled" label="Scheduled" count={counts.scheduled} />
        <Tile view="published" label="Published" count={counts.published} />
        <Tile view="drafts" label="Draft copies" count={counts.drafts} />
      </nav>
      <div className={classes.columns}>
        <Section title="Waiting longest">
          <ArticleLines lines={waiting} view="in_review" date="state_since" none="Everything is reviewed." />
        </Section>
        <Section title="Recently published">
          <ArticleLines lines={published} view="published" date="state_since" none="Nothing is published yet." />
        </Section>
      </div>
      {scheduled.length > 0 && (
        <Section title="Up next">
          <ArticleLines lines={scheduled} view="scheduled" date="publish_at" none="" />
        </Section>
      )}
      <div className={classes.columns}>
        {website.can("webhooks.manage") && (
          <Section title="Webhooks" actions={<TextLink to="/settings/webhooks">All</TextLink>}>
            <TimeChart
              title="Deliveries"
              series={[
                { label: "Delivered", tone: "good" },
                { label: "Retried", tone: "waiting" },
                { label: "Exhausted", tone: "bad" },
              ]}
              steps={deliveries.map((one) => ({
                start: one.hour,
                values: [one.delivered, one.retried, one.exhausted],
              }))}
            />
          </Section>
        )}
        <Section
          title="Reads"
          actions={website.can("keys.manage") && <TextLink to="/settings/api-keys">Keys</TextLink>}
        >
          <TimeChart
            title="Requests to the API"
            series={[{ label: "Requests", tone: "good" }]}
            steps={reads.map(({ hour, requests }) => ({ start: hour, values: [requests] }))}
          />
        </Section>
      </div>
    </>
  );
}

function Tile({ view, label, count }: { view: Queue; label: string; count: number }): ReactNode {
  return (
    <Link to="/articles" search={view === DEFAULT_QUEUE ? {} : { view }} className={classes.tile}>
      <span className={classes.count}>{count.toLocaleString("en")}</span>
      <span className={classes.label}>{label}</span>
    </Link>
  );
}

function Start({ overview }: { overview: Overview }): ReactNode {
  const website = useWebsite();
  const [first] = overview.waiting;
  if (first === undefined || !website.can("articles.approve")) return null;
  return (
    <ButtonLink to="/articles/$id" params={{ id: first.id }} search={{ view: DEFAULT_QUEUE, sort: "state_since" }}>
      Start reviewing
    </ButtonLink>
  );
}

function Warnings({ overview }: { overview: Overview }): ReactNode {
  return overview.warnings.map(({ webhook_id: id, name, url, state, message }) => (
    <Alert
      key={id}
      role="status"
      color={state === "disabled" ? "red" : "amber"}
      icon={<IconAlertTriangle size={18} />}
      title={`Webhook ${name === "" ? url : name}`}
      styles={{ title: { overflowWrap: "anywhere" } }}
    >
      {message}{" "}
      <TextLink to="/settings/webhooks/$id" params={{ id }} inherit>
        View the webhook
      </TextLink>
    </Alert>
  ));
}

function Nothing(): ReactNode {
  const website = useWebsite();
  const mayStart = website.can("keys.manage");
  return (
    <EmptyState
      icon={<IconRocket size={28} />}
      title="No articles yet"
      actions={
        <>
          {website.can("articles.import") && <ButtonLink to="/import">Import articles</ButtonLink>}
          {mayStart && (
            <ButtonLink to="/getting-started" variant="default">
              Getting started
            </ButtonLink>
          )}
        </>
      }
    >
      {website.can("articles.import")
        ? "Import articles, or write the first one. Their progress is shown here."
        : "Their progress is shown here as soon as somebody imports or writes them."}
    </EmptyState>
  );
}

function Skeletons(): ReactNode {
  return (
    <>
      <BlockSkeleton height={82} />
      <div className={classes.columns}>
        <BlockSkeleton height={260} />
        <BlockSkeleton height={260} />
      </div>
    </>
  );
}

function isEmpty({ counts }: Overview): boolean {
  return Object.values(counts).every((count) => count === 0);
}
