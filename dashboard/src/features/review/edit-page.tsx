import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../../api/client.ts";
import { EmptyState } from "../../shared/empty-state.tsx";
import { BackLink, ButtonLink } from "../../shared/links.tsx";
import { NoAccess } from "../../shared/no-access.tsx";
import { Page } from "../../shared/page.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { FormSkeleton } from "../../shared/skeletons.tsx";
import { EditArticle } from "./editor/edit.tsx";
import { MissingArticle } from "./placeholders.tsx";
import { reviewedQuery } from "./queries.ts";
import { useRightWebsite } from "./use-right-website.ts";

export function EditPage(): ReactNode {
  const { id } = useParams({ from: "/signed-in/website/articles/$id/edit" });
  const search = useSearch({ from: "/signed-in/website/articles/$id/edit" });
  const website = useWebsite();
  const { data, error, refetch } = useQuery(reviewedQuery(website.id, id));
  useRightWebsite(data);
  const back = (
    <BackLink to="/articles/$id" params={{ id }} search={search}>
      The article
    </BackLink>
  );
  if (!website.can("articles.edit")) return <NoAccess title="Edit article" needs="editor" />;
  if (data === undefined) {
    return (
      <Page title="Edit article" back={back}>
        {error === null ? (
          <FormSkeleton fields={8} />
        ) : (
          <MissingArticle
            error={error}
            isMissing={error instanceof ApiError && [400, 403, 404].includes(error.status)}
            onRetry={() => void refetch()}
          />
        )}
      </Page>
    );
  }
  if (data.line.deleted_at !== null) {
    return (
      <Page title={data.article.title} back={back}>
        <EmptyState
          title="This article cannot be edited now"
          actions={
            <ButtonLink to="/articles/$id" params={{ id }} search={search}>
              To the article
            </ButtonLink>
          }
        >
          It is in the trash. Restore it first; your unsaved changes are offered then.
        </EmptyState>
      </Page>
    );
  }
  return <EditArticle key={id} latest={data} back={back} />;
}
