import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ArticlePage } from "../../../../src/http/admin/contract/articles.ts";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { apiPath, get, patch } from "../../api/client.ts";
import { CopyButton } from "../../shared/copy-button.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { NoAccess } from "../../shared/no-access.tsx";
import { Page, Section } from "../../shared/page.tsx";
import { useMayEverywhere, useWebsite } from "../../shared/session.tsx";
import { FormSkeleton } from "../../shared/skeletons.tsx";
import { toast } from "../../shared/toasts.ts";
import { DeleteWebsite } from "./delete-website.tsx";
import { FeedsSetting } from "./feeds.tsx";
import { IndexNow } from "./index-now.tsx";
import { IntegrityGateSetting } from "./integrity-gate.tsx";
import { PublishDelay } from "./publish-delay.tsx";
import { Responsible } from "./responsible.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { SecondPerson } from "./second-person.tsx";
import { SeriesSetting } from "./series.tsx";
import { SlugsSetting } from "./slugs-per-language.tsx";
import { WebsiteForm } from "./website-form.tsx";
import classes from "./website-page.module.css";

export function WebsitePage(): ReactNode {
  return useWebsite().can("website.manage") ? <Settings /> : <NoAccess title="Website" needs="owner" />;
}

function Settings(): ReactNode {
  const { id, name } = useWebsite();
  const client = useQueryClient();
  const mayDelete = useMayEverywhere("website.manage");
  const website = useQuery({
    queryKey: ["websites", id],
    queryFn: ({ signal }) => get<Website>(apiPath`/websites/${id}`, { signal }),
  });
  const example = useQuery({
    queryKey: ["articles", id, "example"],
    queryFn: ({ signal }) =>
      get<ArticlePage>("/articles", { query: { website_id: id, view: "published", limit: 1 }, signal }),
  });
  return (
    <Page title="Website" width="narrow" description={`The name of ${name}, and the URLs of its articles.`}>
      <ErrorNote error={website.error} title="It could not be loaded" onRetry={() => void website.refetch()} />
      {website.data === undefined && website.error === null && <FormSkeleton />}
      {website.data !== undefined && (
        <>
          <WebsiteForm
            key={id}
            initial={website.data}
            article={example.data?.articles[0] ?? null}
            submitLabel="Save"
            onSubmit={(_, change) => patch<Website>(apiPath`/websites/${id}`, { body: change })}
            onSaved={async (saved) => {
              client.setQueryData(["websites", id], saved);
              toast("Saved.");
              await client.invalidateQueries({ queryKey: ["session"] });
            }}
          />
          <SecondPerson website={website.data} />
          <IntegrityGateSetting website={website.data} />
          <Responsible website={website.data} />
          <PublishDelay website={website.data} />
          <SeriesSetting website={website.data} />
          <SlugsSetting website={website.data} />
          <FeedsSetting website={website.data} />
          <IndexNow website={website.data} />
          <SecondFactor website={website.data} />
          <Section title="ID" description="Events contain it as website_id, and commands accept it.">
            <div className={classes.id}>
              <code>{id}</code>
              <CopyButton value={id} label="Copy the website's id" />
            </div>
          </Section>
          {mayDelete && <DeleteWebsite website={website.data} />}
        </>
      )}
    </Page>
  );
}
