import { SegmentedControl, Select, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Webhook } from "../../../../src/http/admin/contract/webhooks.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { ShowEarlier } from "../../shared/show-earlier.tsx";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import classes from "../../shared/unfolding-rows.module.css";
import { DeliveryRow } from "./delivery-row.tsx";
import { deliveriesQuery } from "./requests.ts";
import { validateSearch } from "./search.ts";

const STATES = [
  { value: "", label: "All" },
  { value: "pending", label: "Waiting" },
  { value: "delivered", label: "Delivered" },
  { value: "exhausted", label: "Exhausted" },
  { value: "parked", label: "Parked" },
  { value: "coalesced", label: "Coalesced" },
  { value: "skipped", label: "Skipped" },
];

export function DeliveryLog({ webhook }: { webhook: Webhook }): ReactNode {
  const { state } = useSearch({ from: "/signed-in/website/settings/webhooks/$id" });
  const navigate = useNavigate();
  const query = useInfiniteQuery(deliveriesQuery(webhook.website_id, webhook.id, state));
  const deliveries = query.data?.pages.flatMap((page) => page.deliveries) ?? [];
  const choose = (value: string | null) =>
    void navigate({
      to: "/settings/webhooks/$id",
      params: { id: webhook.id },
      search: validateSearch({ state: value }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <SegmentedControl
        className={classes.wide}
        size="xs"
        w="fit-content"
        aria-label="Which deliveries"
        data={STATES}
        value={state ?? ""}
        onChange={choose}
      />
      <Select
        className={classes.narrow}
        aria-label="Which deliveries"
        data={STATES}
        value={state ?? ""}
        onChange={choose}
        allowDeselect={false}
      />
      <ErrorNote error={query.error} title="The log could not be loaded" onRetry={() => void query.refetch()} />
      {query.isPending && <RowsSkeleton rows={4} rowHeight={66} />}
      {query.data !== undefined && deliveries.length === 0 && !query.hasNextPage && (
        <Text size="sm" c="dimmed" py="lg">
          {state === undefined
            ? "Nothing sent yet. Send a test event, or publish an article."
            : "No deliveries in this state."}
        </Text>
      )}
      {deliveries.length > 0 && (
        <ul className={classes.list}>
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} websiteId={webhook.website_id} />
          ))}
        </ul>
      )}
      <ShowEarlier query={query} />
    </>
  );
}
