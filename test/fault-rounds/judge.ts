/**
 * Judges what the service did by what an outsider saw: the changes that were asked for, the webhooks that arrived, and what
 * was read. Imports nothing of the service, and knows only what its documents promise.
 */

export type EventKind = "article.published" | "article.updated" | "article.deleted";

/** A change that was requested. Those of one article are requested one after the other. */
export interface Change {
  articleId: string;
  /** Index among the changes of its article. */
  index: number;
  kind: EventKind;
  /** The article's meta description afterwards, unique within the article; null if it is deleted. */
  token: string | null;
  node: number;
  /** Milliseconds of one monotonic clock, like all times here. */
  orderedAt: number;
  /** `unknown`: the request was cut off or answered with 5xx, so the change may happen now, later or never. */
  outcome: "acknowledged" | "refused" | "unknown";
  endedAt: number | null;
  /** A scheduled publication must not come before this; null: it is not scheduled. */
  notBefore: number | null;
}

/** A webhook that arrived completely. */
export interface Arrival {
  endpoint: string;
  eventId: string;
  sequence: number;
  kind: EventKind;
  articleId: string;
  /** The meta description in its payload. */
  token: string | null;
  at: number;
  status: number;
  isSignatureValid: boolean;
}

/** The article's `api_url`, read from one node because of a webhook. */
export interface Read {
  articleId: string;
  /** Index of the change that the webhook reports. */
  index: number;
  node: number;
  startedAt: number;
  endedAt: number;
  /** null if there was no answer. */
  status: number | null;
  token: string | null;
}

export interface Observations {
  changes: readonly Change[];
  arrivals: readonly Arrival[];
  reads: readonly Read[];
  endpoints: readonly string[];
  /** The final reads of every article from every node. `index` is that of its last acknowledged change. */
  lastReads: readonly Read[];
}

export type Rule = "lost" | "stale" | "order" | "invented" | "early" | "signature";

export interface Violation {
  rule: Rule;
  detail: string;
}

/** Tolerance between the judge's clock and the database's, on one machine. */
const CLOCK_TOLERANCE_MS = 20;

export function judge(seen: Observations): Violation[] {
  const violations: Violation[] = [];
  const report = (rule: Rule, detail: string) => violations.push({ rule, detail });
  const changesOf = Map.groupBy(seen.changes, ({ articleId }) => articleId);
  judgeLoss(seen, report);
  for (const arrivals of Map.groupBy(seen.arrivals, laneOf).values()) judgeOrder(arrivals, changesOf, report);
  for (const arrival of seen.arrivals) judgeArrival(arrival, changesOf.get(arrival.articleId) ?? [], report);
  for (const read of [...seen.reads, ...seen.lastReads]) {
    judgeRead(read, changesOf.get(read.articleId) ?? [], report);
  }
  for (const read of seen.lastReads) {
    if (!isAnswer(read)) report("lost", `node ${read.node} answers ${read.status} for ${read.articleId} in the end`);
  }
  return violations;
}

type Report = (rule: Rule, detail: string) => void;

/** A refused deletion is requested again. */
export function findChange(arrival: Pick<Arrival, "kind" | "token">, changes: readonly Change[]): Change | undefined {
  const found = changes.filter(
    ({ kind, token }) => kind === arrival.kind && (token === null || token === arrival.token),
  );
  return found.find(({ outcome }) => outcome !== "refused") ?? found[0];
}

/** Each acknowledged change has arrived at each endpoint, and was accepted there. */
function judgeLoss({ changes, arrivals, endpoints }: Observations, report: Report): void {
  const accepted = new Set(
    arrivals.filter(({ status }) => status < 300).map((one) => `${laneOf(one)} ${one.kind} ${tokenOf(one)}`),
  );
  for (const change of changes) {
    if (change.outcome !== "acknowledged") continue;
    for (const endpoint of endpoints) {
      if (accepted.has(`${laneOf({ endpoint, articleId: change.articleId })} ${change.kind} ${tokenOf(change)}`))
        continue;
      report("lost", `${endpoint} never had ${nameOf(change)}`);
    }
  }
}

/** Checks the webhooks for one article at one endpoint, in order of arrival. */
function judgeOrder(arrivals: readonly Arrival[], changesOf: Map<string, Change[]>, report: Report): void {
  let newest: Arrival | undefined;
  for (const arrival of arrivals) {
    const { endpoint, articleId, sequence } = arrival;
    if (newest !== undefined && sequence < newest.sequence) {
      const isRepeat = arrivals.some((one) => one.eventId === arrival.eventId && one.at < arrival.at);
      report(
        "order",
        `${endpoint} had event ${sequence} of ${articleId} ${Math.round(arrival.at - newest.at)} ms after ` +
          `event ${newest.sequence}${isRepeat ? ", a repeat" : ""}`,
      );
    } else newest = arrival;
  }
  const acknowledged = (changesOf.get(arrivals[0]?.articleId ?? "") ?? []).filter(
    ({ outcome }) => outcome === "acknowledged",
  );
  let last = 0;
  for (const change of acknowledged) {
    const sequence = arrivals.find((one) => findChange(one, [change]) !== undefined)?.sequence ?? last;
    if (sequence < last) report("order", `the event of ${nameOf(change)} is number ${sequence}, after ${last}`);
    last = sequence;
  }
}

function judgeArrival(arrival: Arrival, changes: readonly Change[], report: Report): void {
  const { kind, articleId, token, at, isSignatureValid } = arrival;
  if (!isSignatureValid) report("signature", `${kind} of ${articleId}, event ${arrival.sequence}`);
  const change = findChange(arrival, changes);
  if (change === undefined) return report("invented", `${kind} of ${articleId}: ${token}`);
  if (change.outcome === "refused") report("invented", `${nameOf(change)} was refused, and has an event`);
  if (change.notBefore !== null && at < change.notBefore - CLOCK_TOLERANCE_MS) {
    report("early", `${nameOf(change)} came ${Math.round(change.notBefore - at)} ms before its time`);
  }
}

/** A read shows the result of the change, or of a later one requested before the answer. */
function judgeRead(read: Read, changes: readonly Change[], report: Report): void {
  const { status, token, index, endedAt, articleId, node } = read;
  if (!isAnswer(read)) return;
  const isExplained = changes.some(
    (one) =>
      one.index >= index &&
      one.orderedAt <= endedAt &&
      one.outcome !== "refused" &&
      (one.token === null ? status !== 200 : status === 200 && one.token === token),
  );
  if (isExplained) return;
  report("stale", `node ${node} answered ${status} ${token} for ${articleId} after change ${index} was made known`);
}

/** No answer and 503 say nothing about the article. 403 means that it is not published, as the key is for published articles. */
export function isAnswer({ status }: Read): boolean {
  return status === 200 || status === 403 || status === 404;
}

const laneOf = ({ endpoint, articleId }: Pick<Arrival, "endpoint" | "articleId">) => `${endpoint} ${articleId}`;

/** An article is deleted once: its event needs no token. */
const tokenOf = ({ kind, token }: Pick<Change, "kind" | "token">) => (kind === "article.deleted" ? "" : token);

function nameOf({ kind, articleId, index, node, orderedAt }: Change): string {
  return `${kind} of ${articleId} (change ${index}, by node ${node} at ${Math.round(orderedAt)} ms)`;
}
