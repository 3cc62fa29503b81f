/** What a request of a sender would become: nothing is saved. */
import type { Mapping } from "../../../domain/articles/senders/dialect.ts";
import { combineMapping, parseMapping } from "../../../domain/articles/senders/mapping.ts";
import { type HttpReply, writeReply } from "../../../domain/articles/senders/reply.ts";
import type { ArrivalOutcome, ArrivedArticle, Understood } from "../../../domain/articles/senders/sender.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { patternUrl } from "../../../domain/system/website.ts";
import { findArrivalAnywhere, readArrivalBody } from "../../../store/articles/senders/arrivals.ts";
import { loadWebsite } from "../../../store/system/websites.ts";
import type { Deps, ReadableArrival } from "../../system/deps.ts";
import { dialectOf, openSecret } from "./receive.ts";
import { loadSender } from "./senders.ts";

export interface SampleInput {
  /** Null: the kind's own sample. */
  arrivalId: string | null;
  /** As the customer wrote it; undefined: the sender's. */
  mapping?: unknown;
}

/** @throws AppError `not_found`; `invalid` with the place of the mistake; `conflict` if there is nothing to read. */
export async function trySample(
  deps: Pick<Deps, "store" | "secrets" | "readArrival" | "newId">,
  senderId: string,
  { arrivalId, mapping: given }: SampleInput,
): Promise<{ understood: Understood; reply: HttpReply }> {
  const { sender, website, arrival } = await deps.store.read(async (db) => {
    const its = await loadSender(db, senderId);
    return {
      sender: its,
      website: await loadWebsite(db, its.websiteId),
      arrival: arrivalId === null ? undefined : await findArrivalAnywhere(db, arrivalId),
    };
  });
  const dialect = dialectOf(sender.kind);
  const own = given === undefined ? sender.mapping : given === null ? null : parseMapping(given);
  let read: Pick<ReadableArrival, "request" | "body">;
  if (arrivalId === null) {
    if (dialect.sample === undefined) throw new AppError("conflict", `There is no sample of ${dialect.name}.`);
    const { headers = {}, body } = dialect.sample;
    const named = { "content-type": "application/json", ...lowerCase(headers) };
    read = { request: { method: "POST", path: "", query: {}, headers: named }, body: JSON.stringify(body) };
  } else {
    if (arrival?.senderId !== senderId) throw new AppError("not_found", "This sender has no such arrival.");
    const body = await deps.store.read((db) => readArrivalBody(db, arrivalId));
    if (body === null) throw new AppError("conflict", "What this arrival brought is no longer kept.");
    read = { request: arrival.request, body };
  }
  const mapping: Mapping = combineMapping(dialect, own);
  const understood = await deps.readArrival(website.id, { ...read, mapping, websiteUrl: website.url });
  const stored = understood.articles.map((article) => ({ article, id: deps.newId() }));
  const addresses = new Map(
    stored.map(({ article: { input }, id }) => {
      const { slug = null, language = null } = input;
      return [id, { slug, url: slug === null ? null : patternUrl(website, { id, slug, language }) }];
    }),
  );
  const outcome: ArrivalOutcome = {
    kind: understood.kind,
    event: understood.event,
    problem: understood.problem,
    articles: stored.map(({ article, id }) => toOutcome(article, understood.kind, id)),
  };
  return { understood, reply: writeReply(dialect, outcome, addresses, () => openSecret(deps, sender)) };
}

function toOutcome(
  { externalId, input, places, problem }: ArrivedArticle,
  kind: Understood["kind"],
  id: string,
): ArrivalOutcome["articles"][number] {
  return {
    externalId,
    title: input.title ?? "",
    outcome: problem !== null ? "failed" : kind === "removal" ? "removal_requested" : "created",
    articleId: problem === null ? id : null,
    message: problem,
    places,
  };
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
