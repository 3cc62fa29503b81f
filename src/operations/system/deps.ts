import type { Millis } from "../../domain/system/time.ts";
import type { Asset, PictureFacts } from "../../domain/articles/assets/asset.ts";
import type { SignInStrength } from "../../domain/articles/review-record.ts";
import type { Role } from "../../domain/people/permissions.ts";
import type { Rendition, RenditionType } from "../../domain/articles/assets/rendition.ts";
import type { DerivedContent } from "../../domain/articles/content/content.ts";
import type { ContentSource } from "../../domain/articles/content/content-source.ts";
import type { Redline, RedlineInput } from "../../domain/articles/content/redline/redline.ts";
import type { Followed, FollowInput } from "../../domain/articles/passages.ts";
import type { Proofs } from "../../domain/articles/senders/credentials.ts";
import type { Mapping, Place } from "../../domain/articles/senders/dialect.ts";
import type { ArrivalRequest, Understood } from "../../domain/articles/senders/sender.ts";
import type { NewEvent } from "../../domain/webhooks/event.ts";
import type { PostResult } from "../../domain/webhooks/attempt.ts";
import type { Mail, MailOutcome } from "../../domain/system/email.ts";
import type { AuditEntry } from "../../domain/system/audit.ts";
import type { SecretBox } from "../../domain/system/secret-box.ts";
import type { ChangeFeed, Store, Writer } from "../../store/store.ts";
import type { Passwords } from "./passwords.ts";

export interface Deps {
  store: Store;
  /** The time of the database (`Clock.now`), not this process's own. */
  clock: () => Millis;
  /** A UUIDv7. */
  newId: () => string;
  /** Cryptographically secure. */
  randomBytes: (size: number) => Buffer;
  deriveContent: DeriveContent;
  compare: Compare;
  findPassages: FindPassages;
  readArrival: ReadArrival;
  readProofs: ReadProofs;
  /** Opens and seals secrets at rest. @throws AppError `misconfigured` when the key is unavailable. */
  secrets: () => SecretBox;
  /** The URL as stored. @throws AppError `invalid` when it must not be called. */
  checkAddress: (url: string) => Promise<string>;
  /** Sends one message and resolves with its outcome. An aborted signal ends it. */
  post: (message: PostMessage, signal?: AbortSignal) => Promise<PostResult>;
  /** null: no email is sent (the setting SMTP_URL). */
  mail: MailDeps | null;
  assetFiles: AssetFiles;
  inspectPicture: InspectPicture;
  openRendition: OpenRendition;
  /** Fetches a picture of an article from a public address, for whoever reads the article. */
  fetchPicture: FetchPicture;
  /** Fetches a picture from any address that webhooks may call, for imports. */
  copyPicture: FetchPicture;
  /** The last check of a link to a public address. Starts one if there is none, or for `again`. */
  checkLink: (websiteId: string, url: string, again: boolean) => LinkCheck;
  /** When absent, each server makes its own. */
  passwords?: Passwords;
  /** Makes a span of an event, in its transaction. @returns its `traceparent`. Absent: no traces are exported. */
  traceEvent?: (event: Pick<NewEvent, "id" | "kind" | "websiteId" | "articleId" | "traceparent">) => string;
}

/** `blocked`: its address, or that of a redirect, must not be called. */
type FetchPicture = (websiteId: string, url: string) => Promise<{ type: string; bytes: Buffer } | "blocked" | "failed">;

/** Dependencies of tasks that look for work after commits. */
export interface PollingDeps extends Pick<Deps, "clock"> {
  store: Store & Pick<ChangeFeed, "commitCounter">;
}

export interface LinkCheck {
  /** `broken`: nothing is there. `unclear`: the host refuses checks or fails. `waiting`: the check has not ended. */
  state: "reachable" | "redirected" | "broken" | "unclear" | "waiting";
  /** Such as “HTTP 404”; null if there is nothing to say. */
  reason: string | null;
  /** Where a redirect ends. */
  leadsTo: string | null;
  checkedAt: Millis | null;
}

/**
 * Derives everything from an article's content, off the event loop and with limits on time and memory.
 *
 * @param websiteId the website that the work is for: websites take turns.
 * @param startedAt the time that the article's steps and metrics record.
 * @param isPatient for one of many texts, which nobody would send again: it waits, however many are waiting already.
 * @throws AppError `too_expensive` when it exceeds a limit; `busy` when too much of the website's work is already
 * waiting; `invalid` for content that is no article.
 */
export type DeriveContent = (
  websiteId: string,
  source: ContentSource,
  startedAt: Millis,
  isPatient?: boolean,
) => Promise<DerivedContent>;

/** Marks what changed between two articles, with the same limits. @throws AppError like `DeriveContent`. */
type Compare = (websiteId: string, before: RedlineInput, after: RedlineInput) => Promise<Redline>;

/** Checks an untrusted picture, and writes it to `cleaned`. @throws AppError `invalid`, `too_expensive`, `busy`. */
type InspectPicture = (
  websiteId: string,
  path: string,
  cleaned: string,
) => Promise<{
  facts: PictureFacts;
  /** SHA-256 of the cleaned file, hexadecimal. */
  hash: string;
  bytes: number;
}>;

/** Made at first use and cached; null: none within the limits. @throws AppError `busy` if it is made later. */
export type OpenRendition = (
  asset: Pick<Asset, "websiteId" | "hash">,
  path: string,
  rendition: Rendition,
) => Promise<{ path: string; type: RenditionType; bytes: number } | null>;

/** Storage for the files of assets. A key always names the same file: `<website>/<hash>.<id of the asset>`. */
export interface AssetFiles {
  /** Whether every process of the service sees the same files. */
  readonly isShared: boolean;
  /** Copies a file on this machine into the store. Once this resolves, the file survives a power failure. */
  put: (key: string, path: string) => Promise<void>;
  /** @returns the path on this machine of the file, or of a verified copy; undefined if the store does not have it. */
  open: (key: string) => Promise<string | undefined>;
  has: (key: string) => Promise<boolean>;
  remove: (key: string) => Promise<void>;
  list: () => AsyncIterable<string>;
}
/** Finds the passages of an earlier text in a later one. @throws AppError as `DeriveContent`, with its limits. */
type FindPassages = (websiteId: string, input: FollowInput) => Promise<Followed>;

/** A request of a sender, and how to understand it: each part that `mapping` leaves out is found by common names. */
export interface ReadableArrival {
  request: ArrivalRequest;
  body: string;
  mapping: Mapping;
  /** Null: relative addresses are left as they are. */
  websiteUrl: string | null;
}

/** Finds the articles in a request of a sender. @throws AppError as `DeriveContent`, with its limits. */
type ReadArrival = (websiteId: string, arrival: ReadableArrival) => Promise<Understood>;

/** Finds what a sender's body holds at `proofPlaces` of its credentials. @throws AppError as `DeriveContent`. */
type ReadProofs = (websiteId: string, body: string, places: readonly Place[]) => Promise<Proofs>;

export interface MailDeps {
  /** The base of links to the dashboard, such as `https://articles.example.com`. */
  base: string;
  /** Sends an email. `id` identifies it across attempts. Never rejects. */
  send: (mail: Mail, id: string, signal: AbortSignal) => Promise<MailOutcome>;
}

export interface PostMessage {
  endpointId: string;
  url: string;
  /** PEM of a private certificate authority; null: the public ones. */
  ca: string | null;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

export interface Actor {
  /** Id of the person, access token, sender, command or schedule. */
  id: string;
  mayApprove: boolean;
  /** The command line: no second person is needed. */
  isOperator?: true;
  /** An access token or a sender, which never approves its own changes, and is nobody's second person. */
  isMachine?: true;
  /** A person who is signed in: what a review record says of them. */
  reviewer?: { name: string; role: Role; signedInWith: SignInStrength; issuer: string };
  /** The client's address, for the audit log; absent or null for actions on the machine itself. */
  address?: string | null;
  /** The bulk action that the change is part of; people get one notification for all of it. */
  bulkId?: string;
  /** More about who acts, for the audit log. */
  facts?: AuditEntry["detail"];
  /** Runs in the transaction of each change that the actor makes to an article. */
  inTransaction?: (db: Writer, articleId: string) => Promise<void>;
  /** Trace of the request that makes the change; its events continue it. */
  traceparent?: string;
}
