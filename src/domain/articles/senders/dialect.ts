/**
 * What a sender's format is: data, never code, so that a customer's own mapping has the same form. `importers/senders/` finds
 * what a dialect leaves out.
 */

/** A place in the body (`data.articles[]`, `meta.title`, `images[0]`; empty: the body itself), or `header:Name`, `query:name`. */
export type Place = string;

export type Credential =
  /** `Authorization: Bearer SECRET`, or another scheme; null: the bare secret. */
  | { by: "bearer"; scheme?: string | null }
  | { by: "header"; name: string }
  /** The password of `Authorization: Basic` (RFC 7617); any user name. */
  | { by: "basic" }
  /** The last part of the path: `/senders/ID/SECRET`. */
  | { by: "path" }
  | { by: "query"; name: string }
  /** In the body, so that it is read before it is checked. */
  | { by: "field"; at: Place }
  /** HMAC-SHA256 of the body's bytes, hexadecimal. */
  | {
      by: "hmac";
      header: string;
      /** Text before the digest, such as `sha256=`. */
      prefix?: string;
      /** Signed before the body, with a dot between; a signature with a time is refused after five minutes. */
      timestamp?: { header: string; unit: "s" | "ms" | "iso" };
    }
  /** HMAC-SHA256 of the JSON without this member, which holds the digest, as PHP's `json_encode` writes it. */
  | { by: "signed-field"; at: Place }
  /** A token of HS256 (RFC 7519) with the hexadecimal key of `ID:KEY`, as clients of Ghost sign. */
  | { by: "jwt"; scheme: string; audience: string; maxAgeSeconds: number };

/** What an arrival means; `other`: it is answered and listed, and changes nothing. */
export const ARRIVAL_KINDS = ["article", "removal", "test", "other"] as const;
export type ArrivalKind = (typeof ARRIVAL_KINDS)[number];

export const SENDER_FIELDS = [
  "title",
  "slug",
  "html",
  "markdown",
  /** HTML or Markdown. */
  "content",
  "excerpt",
  "meta_description",
  "meta_title",
  "image",
  "image_alt",
  "language",
  "keyword",
  "keywords",
  "tags",
  "categories",
  "author",
  "published_at",
  "status",
  "canonical_url",
] as const;
export type SenderField = (typeof SENDER_FIELDS)[number];

/** Where an article is in a body, and what it means. Each part is optional: what is missing is found by common names. */
export interface Mapping {
  /** The event's name, and what its values mean; a value that is not listed is `other`. */
  event?: { at: readonly Place[]; means: Readonly<Record<string, ArrivalKind>> };
  /** An arrival for which any of these holds is a test: `test=true`, `id^=test-` (begins with), `slug!` (is missing); in the body, or in each article. */
  test?: readonly string[];
  /** Where the articles are. */
  articles?: readonly Place[];
  /** Fields at unusual places, which are looked at first: in the article, then in the body around a single one. */
  fields?: Readonly<Partial<Record<SenderField, readonly Place[]>>>;
  /** What `content` holds, if its text does not tell. */
  text?: "html" | "markdown";
  /**
   * What identifies an article when it comes again. `id+language` joins two with a colon, if both are there: one id may come in
   * several languages.
   */
  id?: readonly Place[];
}

export interface Reply {
  /** 200 if omitted. */
  status?: number;
  /**
   * JSON in which a text that is only `$id`, `$external_id`, `$url`, `$slug`, `$title`, `$count`, `$duplicate` or `$message` stands
   * for a value. An array of one is repeated for each article; elsewhere the first article's values are given.
   */
  body: unknown;
  /** The member that gets the HMAC-SHA256 of the answer, which is written as PHP's `json_encode` does. */
  signedIn?: string;
}

export interface Dialect extends Mapping {
  kind: string;
  /** The product's name. */
  name: string;
  /** Who makes the secret: Rostrum, to be pasted there, or the product, to be pasted here. */
  secretFrom: "rostrum" | "sender";
  /** One of them has to hold. */
  credentials: readonly [Credential, ...Credential[]];
  /** Whether a whole request was tried, as it is documented; otherwise only the names of its fields are known. */
  isTried: boolean;
  /** Answered by code at paths below the sender's address. */
  protocol?: "wordpress" | "ghost";
  /** What a user does there, in one or two sentences, with the product's own labels where they are known. */
  setup: string;
  reply: Reply;
  /** The answer to tests and unknown events, if it differs. */
  testReply?: Reply;
  /** A request in the documented form: tests send it, and "Send a sample" shows what would be saved. */
  sample?: Sample;
}

export interface Sample {
  headers?: Readonly<Record<string, string>>;
  body: unknown;
}
