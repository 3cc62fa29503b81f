/**
 * What senders deliver, in this order: the credential is checked over the raw bytes, the request is committed with secrets
 * replaced, a content process reads it, its articles are saved one by one, and the outcome is recorded. A request that was
 * committed is acknowledged: whatever is interrupted afterwards is done again, by the leader, and changes nothing twice.
 */
import { timingSafeEqual } from "node:crypto";
import { type Credential } from "../../../domain/articles/senders/dialect.ts";
import {
  type Arrival,
  type ArrivalOutcome,
  type ArrivalRequest,
  type ArrivalState,
  type ArrivedArticle,
  type ArrivedOutcome,
  type Sender,
  senderSource,
  type Understood,
} from "../../../domain/articles/senders/sender.ts";
import { AppError, type ErrorCode } from "../../../domain/system/errors.ts";
import { foreignText } from "../../../domain/system/foreign-text.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { claimWaiting, finishArrival, insertArrival, readArrivalBody } from "../../../store/articles/arrivals.ts";
import { findSenderAnywhere, touchSender } from "../../../store/articles/senders.ts";
import { isOutage } from "../../../store/system/outage.ts";
import { loadWebsite } from "../../../store/system/websites.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import type { OnError } from "../../system/set-aside.ts";
import { upsertArticle } from "../import/upserts.ts";
import { requestRemoval } from "../review/removal-requests.ts";
import { findKnown } from "../write/source-edit.ts";

export type ArrivalDeps = Pick<
  Deps,
  | "store"
  | "clock"
  | "newId"
  | "secrets"
  | "deriveContent"
  | "readArrival"
  | "assetFiles"
  | "inspectPicture"
  | "copyPicture"
> & {
  /** The service's own address; null: as the sender has called it. */
  publicUrl?: string | null;
  /** Called once it is known what became of an arrival. */
  onArrival?: (kind: string, state: ArrivalState) => void;
  onError?: OnError;
};

export interface Received {
  /** With its outcome, or still waiting if it takes longer: then it was received, and the work goes on. */
  arrival: Arrival;
}

export interface ReceiveOptions {
  /** The client's, for the audit log. */
  address?: string | null;
  /** How long to wait for the outcome. */
  replyWithinMs?: number;
  /** Takes the work that goes on after the reply. */
  later?: (work: Promise<void>) => void;
}

/** Senders wait five seconds at least. */
const REPLY_WITHIN_MS = 4_000;
/** How long the process that received an arrival works on it before another may take it. */
const CLAIM_MS = 60_000;
const CLAIMED_AT_ONCE = 10;

/**
 * The sender that a request comes from; undefined for an unknown one, or a credential that does not hold, after the same work.
 *
 * @param body as it arrived.
 */
export async function authenticate(
  deps: Pick<Deps, "store" | "secrets" | "clock">,
  senderId: string,
  request: ArrivalRequest,
  _body: Buffer,
  now: Millis = deps.clock(),
): Promise<Sender | undefined> {
  const found = await deps.store.read((db) => findSenderAnywhere(db, senderId));
  const sender = found?.deletedAt === null ? found : undefined;
  // Sealing takes as long as opening.
  const secret = sender === undefined ? deps.secrets().seal(senderId, senderId) : openSecret(deps, sender);
  const previous =
    sender?.previousSecret != null && (sender.previousUntil ?? 0) > now
      ? deps.secrets().open(sender.previousSecret, sender.id)
      : secret;
  const holds = [secret, previous].map((one) => CREDENTIALS.some((credential) => holdsFor(credential, one, request)));
  return holds.includes(true) ? sender : undefined;
}

export function openSecret(deps: Pick<Deps, "secrets">, sender: Pick<Sender, "id" | "secret">): string {
  return deps.secrets().open(sender.secret, sender.id);
}

/** Stores the request, which `authenticate` has let in, then does what it asks for. @throws AppError if it was not stored. */
export async function receive(
  deps: ArrivalDeps,
  sender: Sender,
  request: ArrivalRequest,
  body: Buffer,
  { address = null, replyWithinMs = REPLY_WITHIN_MS, later = () => undefined }: ReceiveOptions = {},
): Promise<Received> {
  const now = deps.clock();
  const secret = openSecret(deps, sender);
  const arrival: Arrival = {
    id: deps.newId(),
    senderId: sender.id,
    websiteId: sender.websiteId,
    at: now,
    state: "waiting",
    request: redactRequest(request, secret),
    bytes: body.length,
    outcome: null,
  };
  const text = foreignText(body.toString(), body.length).replaceAll(secret, "•");
  await deps.store.write(async (db) => {
    await insertArrival(db, arrival, { body: text, claimedUntil: now + CLAIM_MS });
    await touchSender(db, sender.id, now);
  });
  const { promise, resolve } = Promise.withResolvers<Arrival>();
  const work = finish(deps, sender, arrival, { address, onOutcome: resolve });
  later(work.then(() => undefined));
  const timer = setTimeout(resolve, replyWithinMs, arrival);
  try {
    return { arrival: await Promise.race([promise, work]) };
  } finally {
    clearTimeout(timer);
  }
}

/** Does what an arrival asks for. @returns it, still waiting if it must be tried again; then the reason was reported. */
async function finish(
  deps: ArrivalDeps,
  sender: Sender,
  arrival: Arrival,
  options: ProcessOptions = {},
): Promise<Arrival> {
  try {
    return await processArrival(deps, sender, arrival, options);
  } catch (error) {
    deps.onError?.(error, `arrival ${arrival.id} of a sender could not be processed; it is tried again`);
    return arrival;
  }
}

/** Takes up the arrivals that a process left when it ended, or that failed with the database. @returns how many. */
export async function finishWaiting(deps: ArrivalDeps): Promise<number> {
  const now = deps.clock();
  const claimed = await deps.store.write((db) => claimWaiting(db, now, now + CLAIM_MS, CLAIMED_AT_ONCE));
  for (const arrival of claimed) {
    const sender = await deps.store.read((db) => findSenderAnywhere(db, arrival.senderId));
    if (sender !== undefined) await finish(deps, sender, arrival);
  }
  return claimed.length;
}

export interface ProcessOptions {
  address?: string | null;
  /** Called once the articles are saved; pictures are copied afterwards. */
  onOutcome?: (arrival: Arrival) => void;
}

/**
 * Understands a stored arrival, saves its articles and records the outcome. Repeating it changes nothing twice.
 *
 * @throws AppError `busy`, `unavailable`, `service_unavailable`, `misconfigured`: it still waits, and can be repeated.
 */
export async function processArrival(
  deps: ArrivalDeps,
  sender: Sender,
  arrival: Arrival,
  { address = null, onOutcome }: ProcessOptions = {},
): Promise<Arrival> {
  const understood = await understand(deps, sender, arrival);
  const actor: Actor = { id: sender.id, mayApprove: false, isMachine: true, address, facts: { arrival: arrival.id } };
  const articles: ArrivedOutcome[] = [];
  if (understood.kind === "article" || understood.kind === "removal") {
    for (const article of understood.articles) {
      articles.push(await save(deps, sender, article, { kind: understood.kind, actor }));
    }
  }
  const { kind, event, problem } = understood;
  const outcome: ArrivalOutcome = { kind, event, problem, articles };
  const finished: Arrival = { ...arrival, state: getState(outcome), outcome };
  onOutcome?.(finished);
  await deps.store.write((db) => finishArrival(db, arrival, finished.state, outcome));
  deps.onArrival?.(sender.kind, finished.state);
  return finished;
}

async function understand(deps: ArrivalDeps, sender: Sender, { id, request }: Arrival): Promise<Understood> {
  const { body, website } = await deps.store.read(async (db) => ({
    body: await readArrivalBody(db, id),
    website: await loadWebsite(db, sender.websiteId),
  }));
  if (body === null) return notUnderstood("Its content has been removed; let the sender send it again.");
  const mapping = sender.mapping ?? {};
  try {
    return await deps.readArrival(sender.websiteId, { request, body, mapping, websiteUrl: website.url });
  } catch (error) {
    return notUnderstood(explain(deps, error));
  }
}

function notUnderstood(problem: string): Understood {
  return { kind: "article", event: null, problem, articles: [] };
}

async function save(
  deps: ArrivalDeps,
  sender: Sender,
  article: ArrivedArticle,
  { kind, actor }: { kind: "article" | "removal"; actor: Actor },
): Promise<ArrivedOutcome> {
  const { externalId, input, took, problem } = article;
  const arrived = { externalId, title: input.title ?? "", took };
  if (problem !== null) return { ...arrived, outcome: "failed", articleId: null, message: problem };
  const source = senderSource(sender.id, externalId);
  try {
    if (kind === "removal") return { ...arrived, ...(await remove(deps, sender, source, actor)) };
    const { outcome, full, heldFields } = await upsertArticle(deps, sender.websiteId, { source, input }, { actor });
    const message = heldFields.length === 0 ? null : `People have changed the same: ${heldFields.join(", ")}.`;
    return { ...arrived, title: full.article.title, outcome, articleId: full.article.id, message };
  } catch (error) {
    return { ...arrived, outcome: "failed", articleId: null, message: explain(deps, error) };
  }
}

async function remove(
  deps: ArrivalDeps,
  sender: Sender,
  source: string,
  actor: Actor,
): Promise<Pick<ArrivedOutcome, "title" | "outcome" | "articleId" | "message">> {
  const { article } = await deps.store.read((db) => findKnown(db, sender.websiteId, { source, id: undefined }));
  if (article === undefined) {
    return { title: "", outcome: "unchanged", articleId: null, message: "It has brought no article of this id." };
  }
  const { id: articleId, title } = article;
  if (article.deletedAt !== null) return { title, outcome: "unchanged", articleId, message: "It is in the trash." };
  await requestRemoval(deps, articleId, `${sender.name} has deleted it.`, actor);
  return { title, outcome: "removal_requested", articleId, message: null };
}

/** These pass, so that the arrival is tried again. */
const PASSING: ReadonlySet<ErrorCode> = new Set(["busy", "unavailable", "service_unavailable", "misconfigured"]);

/** What people are told of an error that would come again. @throws any other. */
function explain(deps: Pick<ArrivalDeps, "onError">, error: unknown): string {
  if (isOutage(error) || (error instanceof AppError && PASSING.has(error.code))) throw error;
  if (error instanceof AppError) return error.message;
  deps.onError?.(error, "an arrival of a sender failed");
  return "The service failed, and its log says how. Run it again when that is mended.";
}

function getState({ kind, problem, articles }: ArrivalOutcome): ArrivalState {
  if (kind === "test" || kind === "other") return "ignored";
  if (problem !== null || articles.some(({ outcome }) => outcome === "failed")) return "needs_attention";
  return articles.every(({ articleId }) => articleId === null) ? "ignored" : "stored";
}

/* Until credentials.ts has all forms. */
const CREDENTIALS: readonly Credential[] = [{ by: "bearer" }, { by: "header", name: "X-Webhook-Secret" }];

function holdsFor(credential: Credential, secret: string, { headers }: ArrivalRequest): boolean {
  const given =
    credential.by === "bearer"
      ? /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1]
      : credential.by === "header"
        ? headers[credential.name.toLowerCase()]
        : undefined;
  const [left, right] = [Buffer.from(given ?? ""), Buffer.from(secret)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function redactRequest(request: ArrivalRequest, secret: string): ArrivalRequest {
  const clean = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        name === "authorization" || name === "cookie" ? "•" : value.replaceAll(secret, "•"),
      ]),
    );
  const { method, path, query, headers } = request;
  return { method, path: path.replaceAll(secret, "•"), query: clean(query), headers: clean(headers) };
}
