import type { Millis } from "../domain/article.ts";
import type { PrepareContent } from "../domain/content/content.ts";
import type { Store } from "../store/store.ts";

/** What operations are made of; each takes what it uses. */
export interface Deps {
  store: Store;
  clock: () => Millis;
  /** A new UUIDv7. */
  newId: () => string;
  /** Cryptographically secure. */
  randomBytes: (size: number) => Buffer;
  prepare: PrepareContent;
}

export interface Actor {
  /** Of the person, key, command or schedule. */
  id: string;
  mayApprove: boolean;
}
