import { Button, SegmentedControl, Select, Text } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RunAgainResult, Sender } from "../../../../src/http/admin/contract/senders.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { ShowEarlier } from "../../shared/show-earlier.tsx";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import { toast } from "../../shared/toasts.ts";
import classes from "../../shared/unfolding-rows.module.css";
import { ArrivalRow } from "./arrival-row.tsx";
import { arrivalsQuery, runAllAgain } from "./requests.ts";
import { validateSearch } from "./search.ts";

const STATES = [
  { value: "", label: "All" },
  { value: "stored", label: "Stored" },
  { value: "needs_attention", label: "Need attention" },
  { value: "ignored", label: "Nothing to save" },
  { value: "waiting", label: "Waiting" },
];

export function ArrivalLog({ sender }: { sender: Sender }): ReactNode {
  const { state } = useSearch({ from: "/signed-in/website/settings/senders/$id" });
  const navigate = useNavigate();
  const query = useInfiniteQuery(arrivalsQuery(sender, state));
  const arrivals = query.data?.pages.flatMap((page) => page.arrivals) ?? [];
  const choose = (value: string | null) =>
    void navigate({
      to: "/settings/senders/$id",
      params: { id: sender.id },
      search: validateSearch({ state: value }),
      replace: true,
      resetScroll: false,
    });
  const filter = { "aria-label": "Which arrivals", data: STATES, value: state ?? "", onChange: choose };
  return (
    <>
      <SegmentedControl className={classes.wide} size="xs" w="fit-content" {...filter} />
      <Select className={classes.narrow} allowDeselect={false} {...filter} />
      <ErrorNote error={query.error} title="The arrivals could not be loaded" onRetry={() => void query.refetch()} />
      {query.isPending && <RowsSkeleton rows={4} rowHeight={66} />}
      {query.data !== undefined && arrivals.length === 0 && !query.hasNextPage && (
        <Text size="sm" c="dimmed" py="lg">
          {state === undefined
            ? "Nothing has arrived yet. Publish an article there, or let the tool send its test."
            : "No arrivals in this state."}
        </Text>
      )}
      {arrivals.length > 0 && (
        <ul className={classes.list}>
          {arrivals.map((arrival) => (
            <ArrivalRow key={arrival.id} arrival={arrival} sender={sender} />
          ))}
        </ul>
      )}
      <ShowEarlier query={query} />
    </>
  );
}

/** Absent if nothing needs attention. */
export function RunAllAgain({ sender }: { sender: Sender }): ReactNode {
  const client = useQueryClient();
  const running = useMutation({
    mutationFn: () => runAllAgain(sender.id),
    onSuccess: async (ran) => {
      toast(describeRuns(ran));
      await client.invalidateQueries({ queryKey: ["senders", sender.website_id] });
    },
  });
  if (sender.needs_attention === 0 && running.error === null) return null;
  return (
    <div>
      <Button variant="default" size="xs" loading={running.isPending} onClick={() => running.mutate()}>
        Rerun all that need attention
      </Button>
      <ErrorNote error={running.error} />
    </div>
  );
}

export function describeRuns({ runs, needs_attention: left, waiting }: RunAgainResult): string {
  if (runs === 0) return "Nothing needed attention.";
  const ran = runs === 1 ? "One arrival was run again" : `${runs.toLocaleString("en")} arrivals were run again`;
  const rest = [
    ...(left > 0 ? [`${left.toLocaleString("en")} still ${left === 1 ? "needs" : "need"} attention`] : []),
    ...(waiting > 0 ? [`${waiting.toLocaleString("en")} ${waiting === 1 ? "is" : "are"} still being read`] : []),
  ];
  return `${ran}: ${rest.length === 0 ? "none needs attention now" : rest.join(", ")}.`;
}
