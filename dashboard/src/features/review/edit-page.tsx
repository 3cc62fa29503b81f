import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../../api/client.ts";
import { EmptyState } from "../../shared/empty-state.tsx";
import { BackLink, ButtonLink } from "../../shared/links.tsx";
import { Page } from "../../shared/page.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { FormSkeleton } from "../../shared/skeletons.tsx";
import { Edit } from "./editor/edit.tsx";
import { MissingArticle } from "./placeholders.tsx";
import { reviewedQuery } from "./queries.ts";

export function EditPage(): ReactNode {
  const { id } = useParams({ from: "/signed-in/website/articles/$id/edit" });
  const search = useSearch({ from: "/signed-in/website/articles/$id/edit" });
  const website = useWebsite();
  const { data, error, refetch } = useQuery(reviewedQuery(website.id, id));
  const back = (
    <BackLink to="/articles/$id" params={{ id }} search={search}>
      The article
    </BackLink>
  );
  if (data === undefined) {
    return (
      <Page width="wide" title="Edit article" back={back}>
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
  const refusal = !website.can("articles.edit")
    ? "You may read articles of this website. To edit them, ask an owner for the role editor."
    : data.line.deleted_at === null
      ? null
      : "It is in the trash. Restore it first.";
  if (refusal !== null) {
    return (
      <Page width="wide" title={data.article.title} back={back}>
        <EmptyState
          title="This article cannot be edited now"
          actions={
            <ButtonLink to="/articles/$id" params={{ id }} search={search}>
              To the article
            </ButtonLink>
          }
        >
          {refusal}
        </EmptyState>
      </Page>
    );
  }
  return <Edit key={id} latest={data} back={back} />;
}
