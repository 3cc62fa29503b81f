import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type ReactNode, useDeferredValue, useEffect, useState } from "react";
import { ApiError } from "../../api/client.ts";
import { rememberArticle } from "../../shared/list-place.ts";
import { useWebsite } from "../../shared/session.tsx";
import { MissingArticle, ReviewSkeleton } from "./placeholders.tsx";
import { reviewedQuery } from "./queries.ts";
import { QueueBar } from "./queue/queue-bar.tsx";
import { useQueue } from "./queue/use-queue.ts";
import type { Tab } from "./sidebar/sidebar.tsx";
import { useRightWebsite } from "./use-right-website.ts";
import { useShownId } from "./use-shown-article.ts";
import { Review } from "./review.tsx";
import classes from "./review.module.css";
import { parseQueue } from "./search.ts";

/** Shows one article to read, assess and decide about; with a list, one after the other. */
export function ReviewPage(): ReactNode {
  const queue = parseQueue({ ...useSearch({ from: "/signed-in/website/articles/$id" }) });
  const website = useWebsite();
  const { id, show } = useShownId(queue);
  // The first rendering of another article only shows what is known; the second one asks.
  const settledId = useDeferredValue(id);
  const reviewQueue = useQueue({ websiteId: website.id, id, settledId, queue, show });
  const settled = useQuery(reviewedQuery(website.id, settledId));
  const client = useQueryClient();
  const { data, error } =
    id === settledId ? settled : { data: client.getQueryData(reviewedQuery(website.id, id).queryKey), error: null };
  const { refetch } = settled;
  // Kept from article to article.
  const [tab, setTab] = useState<Tab>("article");
  useRightWebsite(data);
  useEffect(() => rememberArticle(id), [id]);
  const isMissing = error instanceof ApiError && [400, 403, 404].includes(error.status);
  return (
    <div className={classes.page}>
      {data !== undefined && !isMissing ? (
        <Review latest={data} reviewQueue={reviewQueue} tab={tab} onTab={setTab} />
      ) : (
        <>
          {reviewQueue !== null && (
            <div className={classes.row}>
              <QueueBar reviewQueue={reviewQueue} />
            </div>
          )}
          {error === null ? (
            <ReviewSkeleton />
          ) : (
            <MissingArticle error={error} isMissing={isMissing} onRetry={() => void refetch()} />
          )}
        </>
      )}
    </div>
  );
}
