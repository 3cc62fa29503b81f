/**
 * What senders deliver, in this order: the credential is checked over the raw bytes, the request is committed with secrets
 * replaced, a content process reads it, its articles are saved one by one, and the outcome is recorded. A request that was
 * committed is acknowledged: whatever is interrupted afterwards is done again, by the leader, and changes nothing twice.
 */
import { holds, proofPlaces, type Proofs } from "../../../domain/articles/senders/credentials.ts";
import { redactRequest } from "../../../domain/articles/senders/redact-request.ts";
import { combineMapping } from "../../../domain/articles/senders/mapping.ts";
import type { Dialect } from "../../../domain/articles/senders/dialect.ts";
import { ANY_KIND, findDialect } from "../../../domain/articles/senders/dialects.ts";
import type { ArticleAddress } from "../../../domain/articles/senders/reply.ts";
import {
  type Arrival,
  type ArrivalOutcome,
  type ArrivalRequest,
  type ArrivalState,
  type ArrivedArticle,
  type ArrivedOutcome,
  findProblem,
  type Sender,
  type Understood,
} from "../../../domain/articles/senders/sender.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { FairQueue } from "../../../domain/system/fair-queue.ts";
import { foreignText } from "../../../domain/system/foreign-text.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { patternUrl, type Website } from "../../../domain/system/website.ts";
import { findArticle } from "../../../store/articles/articles.ts";
import {
  claimWaiting,
  finishArrival,
  insertArrival,
  readArrivalBody,
} from "../../../store/articles/senders/arrivals.ts";
import { findSenderAnywhere, touchSender } from "../../../store/articles/senders/senders.ts";
import { loadWebsite } from "../../../store/system/websites.ts";
import type { Writer } from "../../../store/store.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import type { OnError } from "../../system/set-aside.ts";
import { copyOfOne, type CopySource, withKnownCopies } from "../assets/copy-pictures.ts";
import { limitArrivals } from "./arrival-retention.ts";
import { explain, failed, PASSING, removeArrived, saveArrived } from "./save-arrived.ts";
import { notifyOfArrival } from "./notices.ts";
import { namePost } from "./wordpress.ts";

export type ArrivalDeps = Pick<
  Deps,
  | "store"
  | "clock"
  | "newId"
  | "secrets"
  | "deriveContent"
  | "readArrival"
  | "readProofs"
  | "assetFiles"
  | "inspectPicture"
  | "copyPicture"
> & {
  /** The service's own address; null: as the sender has called it. */
  publicUrl?: string | null;
  /** Omitted: none waits. */
  turns?: ArrivalTurns;
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
export const REPLY_WITHIN_MS = 4_000;
/** How long the process that received an arrival works on it before another may take it. */
const CLAIM_MS = 60_000;
const FINISHED_AT_ONCE = 4;
/** How long the pictures of an arrival are fetched; those that are left keep their addresses. */
const COPY_MS = 30_000;

/** Where the arrivals of a process wait. */
export interface ArrivalTurns {
  /** Those of a sender one after the other, so that the last of an article is what is kept. */
  senders: FairQueue;
  websites: FairQueue;
  /** Room for the texts that are kept until their turn; the others are read from the database again. */
  bodies: FairQueue;
}

/**
 * Bytes that are understood and saved at once. More arrivals of one website share more commits: sixteen at once take an eighth less
 * time than six. They leave half of its queue of texts to its editors.
 */
const OF_WEBSITES = { capacity: 10_000_000, perKey: 16 };
/** A short arrival takes about as much memory as this. */
const MIN_WEIGHT = 100_000;

const MAX_KEPT_CHARACTERS = 10_000_000;

export function arrivalTurns(): ArrivalTurns {
  return {
    senders: new FairQueue({ capacity: Number.POSITIVE_INFINITY, perKey: 1 }),
    websites: new FairQueue(OF_WEBSITES),
    bodies: new FairQueue({ capacity: MAX_KEPT_CHARACTERS }),
  };
}

/**
 * The sender that a request comes from; undefined for an unknown one, or a credential that does not hold, after the same work.
 *
 * @param body as it arrived.
 */
export async function authenticate(
  deps: Pick<Deps, "store" | "secrets" | "clock" | "readProofs">,
  senderId: string,
  request: ArrivalRequest,
  body: Buffer,
  now: Millis = deps.clock(),
): Promise<Sender | undefined> {
  const found = await deps.store.read((db) => findSenderAnywhere(db, senderId));
  const sender = found?.deletedAt === null ? found : undefined;
  // Sealing takes as long as opening.
  const secret = sender === undefined ? deps.secrets().seal(senderId, senderId) : openSecret(deps, sender);
  const previous =
    sender?.previousSecret != null && (sender.previousUntil ?? 0) > now
      ? open(deps, sender.previousSecret, sender.id)
      : secret;
  const { credentials } = dialectOf(sender?.kind);
  const proofs = sender === undefined ? {} : await readProofs(deps, sender, credentials, body);
  const results = [secret, previous].map((one) => holds(credentials, one, { request, body, proofs }, now));
  return results.includes(true) ? sender : undefined;
}

async function readProofs(
  deps: Pick<Deps, "readProofs">,
  { websiteId }: Sender,
  credentials: Dialect["credentials"],
  body: Buffer,
): Promise<Proofs> {
  const places = proofPlaces(credentials);
  if (places.length === 0) return {};
  try {
    return await deps.readProofs(websiteId, body.toString(), places);
  } catch (error) {
    // A body that cannot be read proves nothing.
    if (error instanceof AppError && !PASSING.has(error.code)) return {};
    throw error;
  }
}

/** @param kind undefined: of an unknown sender. */
export function dialectOf(kind: string | undefined): Dialect {
  return (kind === undefined ? undefined : findDialect(kind)) ?? ANY_KIND;
}

export function openSecret(deps: Pick<Deps, "secrets">, sender: Pick<Sender, "id" | "secret">): string {
  return open(deps, sender.secret, sender.id);
}

/** @throws AppError `service_unavailable`, with the cause: what is wrong with the key is nothing for strangers. */
function open(deps: Pick<Deps, "secrets">, sealed: string, id: string): string {
  try {
    return deps.secrets().open(sealed, id);
  } catch (cause) {
    const message =
      "This sender's secret cannot be checked at the moment. The operator of the service finds the reason in its log.";
    throw new AppError("service_unavailable", message, { cause });
  }
}

/** Also the one before the last rotation, however long ago that was. */
function openSecrets(deps: Pick<Deps, "secrets">, sender: Sender): string[] {
  const { id, previousSecret } = sender;
  return [openSecret(deps, sender), ...(previousSecret === null ? [] : [open(deps, previousSecret, id)])];
}

/** Stores the request, which `authenticate` has let in, then does what it asks for. @throws AppError if it was not stored. */
export async function receive(
  deps: ArrivalDeps,
  sender: Sender,
  request: ArrivalRequest,
  sent: Buffer,
  { address = null, replyWithinMs = REPLY_WITHIN_MS, later = () => undefined }: ReceiveOptions = {},
): Promise<Received> {
  const now = deps.clock();
  const body = toUtf8(request, sent);
  const { credentials } = dialectOf(sender.kind);
  const proofs = await readProofs(deps, sender, credentials, body);
  const redacted = redactRequest(credentials, openSecrets(deps, sender), { request, body, proofs });
  const arrival: Arrival = {
    id: deps.newId(),
    senderId: sender.id,
    websiteId: sender.websiteId,
    at: now,
    state: "waiting",
    request: redacted.request,
    bytes: body.length,
    outcome: null,
  };
  const text = foreignText(redacted.body, redacted.body.length);
  await deps.store.write(
    async (db) => {
      await insertArrival(db, arrival, { body: text, claimedUntil: now + CLAIM_MS });
      await touchSender(db, sender.id, now);
    },
    // Waited for below, once, as the disk is what an arrival takes longest for.
    { waitsForDisk: false, isShort: true },
  );
  const { promise, resolve } = Promise.withResolvers<Arrival>();
  const work = finishReceived(deps, sender, arrival, text, { address, onOutcome: resolve });
  later(work.then(() => forgetExcess(deps, arrival)));
  const timer = setTimeout(resolve, replyWithinMs, arrival);
  try {
    const received = await Promise.race([promise, work]);
    // Nothing is acknowledged before the disk has it: with the article, or now.
    if (!hasSaved(received.outcome?.articles ?? [])) await deps.store.write((db) => touchSender(db, sender.id, now));
    return { arrival: received };
  } finally {
    clearTimeout(timer);
  }
}

/** In the encoding that its sender names, what it says; a signature is checked before, over what came. */
function toUtf8({ headers }: ArrivalRequest, sent: Buffer): Buffer {
  const [, charset] = /;\s*charset="?([\w-]+)/i.exec(headers["content-type"] ?? "") ?? [];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return sent;
  try {
    return Buffer.from(new TextDecoder(charset).decode(sent));
  } catch {
    return sent;
  }
}

/** Until the hourly removal, a sender that repeats ten megabytes would fill the disk. */
async function forgetExcess(deps: ArrivalDeps, arrival: Arrival): Promise<void> {
  if (arrival.bytes < MIN_WEIGHT) return;
  try {
    await limitArrivals(deps, undefined, arrival);
  } catch (error) {
    deps.onError?.(error, "what a sender had sent too much could not be forgotten");
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

async function finishReceived(
  deps: ArrivalDeps,
  sender: Sender,
  arrival: Arrival,
  text: string,
  options: ProcessOptions,
): Promise<Arrival> {
  using room = deps.turns?.bodies.tryEnter(arrival.websiteId, text.length);
  return await finish(deps, sender, arrival, room === undefined ? options : { ...options, body: text });
}

/** Takes up the arrivals that a process left when it ended, or that failed with the database. @returns how many. */
export async function finishWaiting(deps: ArrivalDeps): Promise<number> {
  let count = 0;
  for (;;) {
    const now = deps.clock();
    const claimed = await deps.store.write((db) => claimWaiting(db, now, now + CLAIM_MS, FINISHED_AT_ONCE));
    if (claimed.length === 0) return count;
    count += claimed.length;
    const each = claimed.map(async (arrival) => {
      const sender = await deps.store.read((db) => findSenderAnywhere(db, arrival.senderId));
      if (sender !== undefined) await finish(deps, sender, arrival);
    });
    await Promise.all(each);
  }
}

export interface ProcessOptions {
  address?: string | null;
  /** As it is stored. */
  body?: string;
  /** Called once the articles are saved, if pictures are left to copy. */
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
  { address = null, body, onOutcome }: ProcessOptions = {},
): Promise<Arrival> {
  const saved = await inTurn(deps, arrival, async () => {
    const all = await saveAll(deps, sender, arrival, { address, body });
    if (all.isRecorded) deps.onArrival?.(sender.kind, all.finished.state);
    else if (all.incomplete.length === 0) await record(deps, sender, all.finished);
    return all;
  });
  const { finished, incomplete } = saved;
  if (incomplete.length === 0) return finished;
  onOutcome?.(finished);
  const copied = await copyPictures(deps, saved);
  await inTurn(deps, arrival, async () => {
    for (const article of copied) await saveArrived({ deps, sender, arrival, article, actor: saved.actor });
    await record(deps, sender, finished);
  });
  return finished;
}

async function inTurn<T>(
  { turns }: Pick<ArrivalDeps, "turns">,
  { senderId, websiteId, bytes }: Arrival,
  work: () => Promise<T>,
): Promise<T> {
  using _senders = await turns?.senders.enter(senderId);
  using _websites = await turns?.websites.enter(websiteId, Math.max(bytes, MIN_WEIGHT));
  return await work();
}

interface SavedArticles {
  finished: Arrival;
  /** Whether the outcome was, in the transaction that saved the article. */
  isRecorded: boolean;
  /** Those with pictures that are not copied yet. */
  incomplete: ArrivedArticle[];
  pictures: CopySource;
  actor: Actor;
}

async function saveAll(
  deps: ArrivalDeps,
  sender: Sender,
  arrival: Arrival,
  given: { address: string | null; body: string | undefined },
): Promise<SavedArticles> {
  const { address } = given;
  const { website, body } = await deps.store.read(async (db) => ({
    website: await loadWebsite(db, sender.websiteId),
    body: given.body ?? (await readArrivalBody(db, arrival.id)),
  }));
  const { kind, event, problem, articles, resembles } = await understand(deps, sender, website, arrival, body);
  const actor: Actor = { id: sender.id, mayApprove: false, isMachine: true, address, facts: { arrival: arrival.id } };
  const origin = { actor: actor.id, address };
  const pictures = { website, base: website.assetUrl ?? deps.publicUrl ?? readBase(arrival.request), origin };
  const proposal = sender.kind === "generic" && resembles !== undefined ? { resembles } : {};
  const toFinished = (outcomes: ArrivedOutcome[]): Arrival => {
    const outcome: ArrivalOutcome = { kind, event, problem, articles: outcomes, ...proposal };
    return { ...arrival, state: getState(outcome), outcome };
  };
  const outcomes: ArrivedOutcome[] = [];
  const incomplete: ArrivedArticle[] = [];
  let isRecorded = false;
  for (const arrived of articles) {
    const article = await namePost(deps, sender, arrived, pictures.base);
    const saving = { deps, sender, arrival, article, actor };
    if (article.problem !== null) outcomes.push(failed(article, article.problem));
    else if (kind === "removal") outcomes.push(await removeArrived(saving));
    else if (kind === "article") {
      const { input, isComplete } = await withKnownCopies(deps, article.input, pictures);
      // The outcome of a single one is recorded with it: a commit less.
      const isWhole = isComplete && articles.length === 1;
      const outcome = await saveArrived({ ...saving, article: { ...article, input } }, async (db, one) => {
        if (isWhole) await recordWith(db, deps, sender, toFinished([one]));
      });
      outcomes.push(outcome);
      isRecorded = isWhole && hasSaved(outcomes);
      if (!isComplete && outcome.outcome !== "failed") incomplete.push(article);
    }
  }
  return { finished: toFinished(outcomes), isRecorded, incomplete, pictures, actor };
}

/** Not in the sender's turn: hosts of pictures may be slow. */
async function copyPictures(
  deps: ArrivalDeps,
  { incomplete, pictures }: Pick<SavedArticles, "incomplete" | "pictures">,
): Promise<ArrivedArticle[]> {
  const signal = AbortSignal.timeout(COPY_MS);
  const copied: ArrivedArticle[] = [];
  for (const article of incomplete) {
    try {
      const input = await copyOfOne(deps, article.input, pictures, { signal, onPicture: () => undefined });
      copied.push({ ...article, input });
    } catch (error) {
      explain(deps, error);
    }
  }
  return copied;
}

async function record(deps: ArrivalDeps, sender: Sender, finished: Arrival): Promise<void> {
  // If it is lost, the arrival still waits, and is done again.
  await deps.store.write((db) => recordWith(db, deps, sender, finished), { waitsForDisk: false, isShort: true });
  deps.onArrival?.(sender.kind, finished.state);
}

async function recordWith(db: Writer, deps: ArrivalDeps, sender: Sender, finished: Arrival): Promise<void> {
  const { state, outcome } = finished;
  if (outcome === null) return;
  if (await finishArrival(db, finished, state, outcome)) await notifyOfArrival(db, deps, sender, finished);
}

async function understand(
  deps: ArrivalDeps,
  sender: Sender,
  { url: websiteUrl }: Website,
  { request }: Arrival,
  body: string | null,
): Promise<Understood> {
  if (body === null) return notUnderstood("Its content has been removed; let the sender send it again.");
  const dialect = dialectOf(sender.kind);
  const mapping = combineMapping(dialect, sender.mapping);
  try {
    return await deps.readArrival(sender.websiteId, { request, body, mapping, websiteUrl });
  } catch (error) {
    return notUnderstood(explain(deps, error));
  }
}

function notUnderstood(problem: string): Understood {
  return { kind: "article", event: null, problem, articles: [] };
}

/** The service's address, as the sender has called it. */
function readBase({ headers }: ArrivalRequest): string {
  return `${headers["x-forwarded-proto"] === "https" ? "https" : "http"}://${headers["host"] ?? "localhost"}`;
}

/** The addresses of the arrival's articles, by article id. */
export function findAddresses(
  deps: Pick<Deps, "store">,
  { websiteId, outcome }: Pick<Arrival, "websiteId" | "outcome">,
): Promise<Map<string, ArticleAddress>> {
  return deps.store.read(async (db) => {
    const website = await loadWebsite(db, websiteId);
    const found = new Map<string, ArticleAddress>();
    for (const { articleId } of outcome?.articles ?? []) {
      const article = articleId === null ? undefined : await findArticle(db, websiteId, articleId);
      if (article !== undefined) found.set(article.id, { slug: article.slug, url: patternUrl(website, article) });
    }
    return found;
  });
}

/** Whether a change was saved, for which the disk was waited for. */
function hasSaved(outcomes: readonly ArrivedOutcome[]): boolean {
  return outcomes.some(({ outcome }) => outcome !== "unchanged" && outcome !== "failed");
}

function getState(outcome: ArrivalOutcome): ArrivalState {
  const { kind, articles } = outcome;
  if (findProblem(outcome) !== null) return "needs_attention";
  if (kind === "test" || kind === "other") return "ignored";
  return articles.every(({ articleId }) => articleId === null) ? "ignored" : "stored";
}
