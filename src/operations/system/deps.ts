import type { Millis } from "../../domain/articles/article.ts";
import type { ContentSource, PreparedContent } from "../../domain/articles/content/content.ts";
import type { PostResult } from "../../domain/webhooks/attempt.ts";
import type { Mail, MailOutcome } from "../../domain/system/email.ts";
import type { SecretBox } from "../../domain/system/secret-box.ts";
import type { Store } from "../../store/store.ts";

/** What operations are made of; each takes what it uses. */
export interface Deps {
  store: Store;
  /** The time of the database (`Store.now`), not this process's own. */
  clock: () => Millis;
  /** A new UUIDv7. */
  newId: () => string;
  /** Cryptographically secure. */
  randomBytes: (size: number) => Buffer;
  prepare: Prepare;
  /** Opens and seals what is secret at rest. @throws AppError `misconfigured` when the key cannot be had. */
  secrets: () => SecretBox;
  /** The address as it is kept. @throws AppError `invalid` when it must not be called. */
  checkAddress: (url: string) => Promise<string>;
  /** Sends one message; how it ended is the result. An aborted signal ends it. */
  post: (message: PostMessage, signal?: AbortSignal) => Promise<PostResult>;
  /** Null: no mails go out (the setting SMTP_URL). */
  mail: MailDeps | null;
}

/**
 * Derives everything from an article's content, off the event loop and within limits of time and memory.
 *
 * @param websiteId whose work it is: websites take turns.
 * @param startedAt the time that the article's steps and metrics are to tell.
 * @throws AppError `too_expensive` when it goes over a limit; `busy` when too much of the website's is waiting already;
 * `invalid` for content that is no article.
 */
export type Prepare = (websiteId: string, source: ContentSource, startedAt: Millis) => Promise<PreparedContent>;

/** How mails go out. */
export interface MailDeps {
  /** Where the dashboard is, for links: `https://articles.example.com`. */
  base: string;
  /** Hands one to the server. `id` names it, however often it is tried. Never rejects. */
  send: (mail: Mail, id: string, signal: AbortSignal) => Promise<MailOutcome>;
}

/** One message for one endpoint. */
export interface PostMessage {
  endpointId: string;
  url: string;
  /** PEM of a private certificate authority; null: the public ones. */
  ca: string | null;
  headers: Record<string, string>;
  body: string;
}

export interface Actor {
  /** Id of the person, key, command or schedule. */
  id: string;
  mayApprove: boolean;
  /** The client's address, for the audit log; absent or null on the machine itself. */
  address?: string | null;
}
