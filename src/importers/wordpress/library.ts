import type { Millis } from "../../domain/system/time.ts";

/** A file of the media library, with the fields that an article needs. */
export interface Attachment {
  id: string;
  url: string;
  alt: string | undefined;
}

/** The facts that a post's address is made of. */
interface PostPlace {
  /** On its site; undefined: only by its id. */
  url: string | undefined;
  slug: string | undefined;
  publishedAt: Millis | null;
}

/** What posts take from other items of their export. */
export interface Library {
  attachments: Map<string, Attachment>;
  /** Files by the id of the post to which they were uploaded. */
  uploads: Map<string, { order: number; file: Attachment }[]>;
  /** Where posts and pages are, by id. */
  posts: Map<string, PostPlace>;
  /** Texts of reusable blocks by id. */
  blocks: Map<string, string>;
  /** Names of guest authors by login (Co-Authors Plus). */
  guests: Map<string, string>;
  /** Those of the site, as shown, by login. */
  authors: Map<string, string>;
}
