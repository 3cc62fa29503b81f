import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type {
  ArrivalDetail,
  ArrivalPage,
  ArrivalState,
  Rotation,
  RunAgainResult,
  SampleInput,
  SampleResult,
  Sender,
  SenderChange,
  SenderInput,
  SenderKindList,
  SenderList,
  SenderMade,
} from "../../../../src/http/admin/contract/senders.ts";
import { apiPath, del, get, patch, post } from "../../api/client.ts";

export function sendersQuery(websiteId: string) {
  return queryOptions({
    queryKey: ["senders", websiteId],
    queryFn: ({ signal }) => get<SenderList>("/senders", { query: { website_id: websiteId }, signal }),
  });
}

export function kindsQuery(websiteId: string) {
  return queryOptions({
    queryKey: ["sender-kinds"],
    queryFn: ({ signal }) => get<SenderKindList>("/senders/kinds", { query: { website_id: websiteId }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function senderQuery(websiteId: string, id: string) {
  return queryOptions({
    queryKey: ["senders", websiteId, id],
    queryFn: ({ signal }) => get<Sender>(apiPath`/senders/${id}`, { signal }),
  });
}

export function arrivalsQuery({ id, website_id: websiteId }: Sender, state: ArrivalState | undefined) {
  return infiniteQueryOptions({
    queryKey: ["senders", websiteId, id, "arrivals", state],
    queryFn: ({ signal, pageParam }) =>
      get<ArrivalPage>(apiPath`/senders/${id}/arrivals`, { query: { state, before: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
  });
}

/** The newest arrival alone, of this state if one is given. */
export function newestArrivalQuery({ id, website_id: websiteId }: Sender, state?: ArrivalState) {
  return queryOptions({
    queryKey: ["senders", websiteId, id, "newest", state],
    queryFn: ({ signal }) => get<ArrivalPage>(apiPath`/senders/${id}/arrivals`, { query: { state, limit: 1 }, signal }),
  });
}

export function arrivalQuery(websiteId: string, id: string) {
  return queryOptions({
    queryKey: ["senders", websiteId, "arrival", id],
    queryFn: ({ signal }) => get<ArrivalDetail>(apiPath`/arrivals/${id}`, { signal }),
  });
}

export function createSender(input: SenderInput): Promise<SenderMade> {
  return post<SenderMade>("/senders", { body: input });
}

export function changeSender(id: string, change: SenderChange): Promise<Sender> {
  return patch<Sender>(apiPath`/senders/${id}`, { body: change });
}

export function rotateSecret(id: string, rotation: Rotation): Promise<SenderMade> {
  return post<SenderMade>(apiPath`/senders/${id}/rotate`, { body: rotation });
}

export function deleteSender(id: string): Promise<void> {
  return del(apiPath`/senders/${id}`);
}

/** Saves nothing. */
export function trySample(id: string, sample: SampleInput): Promise<SampleResult> {
  return post<SampleResult>(apiPath`/senders/${id}/sample`, { body: sample });
}

export function runAgain(arrivalId: string): Promise<ArrivalDetail> {
  return post<ArrivalDetail>(apiPath`/arrivals/${arrivalId}/run-again`);
}

/** Runs all that need attention again. */
export function runAllAgain(id: string): Promise<RunAgainResult> {
  return post<RunAgainResult>(apiPath`/senders/${id}/run-again`);
}
