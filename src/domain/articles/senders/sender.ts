/** Services that push articles in formats of their own to an address here, and what each has sent. */
import type { Millis } from "../../system/time.ts";
import type { ArticleInput } from "../article.ts";
import type { ArrivalKind, Mapping, Place, SenderField } from "./dialect.ts";

export interface Sender {
  /** 128 random bits: the address is `/senders/ID`. */
  id: string;
  websiteId: string;
  /** Of a dialect or a protocol. */
  kind: string;
  name: string;
  /** The customer's own, which takes precedence over the dialect's; null: none. */
  mapping: Mapping | null;
  /** Sealed. */
  secret: string;
  /** Sealed; the secret before the last rotation is accepted until `previousUntil`. */
  previousSecret: string | null;
  previousUntil: Millis | null;
  createdAt: Millis;
  lastArrivalAt: Millis | null;
  deletedAt: Millis | null;
}

/**
 * - `waiting`: stored, not understood yet.
 * - `stored`: all its articles are saved, or were already.
 * - `needs_attention`: some article could not be understood or saved.
 * - `ignored`: a test or an event that changes nothing.
 */
export const ARRIVAL_STATES = ["waiting", "stored", "needs_attention", "ignored"] as const;
export type ArrivalState = (typeof ARRIVAL_STATES)[number];

/** A request of a sender, with secrets replaced. */
export interface Arrival {
  id: string;
  senderId: string;
  websiteId: string;
  at: Millis;
  state: ArrivalState;
  request: ArrivalRequest;
  /** The body's length as it arrived. */
  bytes: number;
  outcome: ArrivalOutcome | null;
}

export interface ArrivalRequest {
  method: string;
  /** Below the sender's address, without its query: `` or `/wp-json/wp/v2/posts`. */
  path: string;
  query: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
}

export interface ArrivalOutcome {
  kind: ArrivalKind;
  /** The event as the sender named it; null: it named none. */
  event: string | null;
  /** Why it needs attention as a whole; null: it does not. */
  problem: string | null;
  articles: ArrivedOutcome[];
  /** For a sender of the kind `generic`: the kinds that it looks like. */
  resembles?: readonly string[];
}

export interface ArrivedOutcome {
  /** As the sender calls it. */
  externalId: string;
  title: string;
  outcome: "created" | "updated" | "unchanged" | "held" | "removal_requested" | "failed";
  articleId: string | null;
  /** Why it failed, or which fields are held. */
  message: string | null;
  /** Where each field was found, from the top of the body (`data.articles[].title`), or `header:Name`. */
  places: Readonly<Partial<Record<SenderField | "id", Place>>>;
}

/** Why an arrival needs attention: the first reason. Null: it does not, or is not understood yet. */
export function findProblem(outcome: ArrivalOutcome | null): string | null {
  return outcome?.problem ?? outcome?.articles.find((one) => one.outcome === "failed")?.message ?? null;
}

/** What a content process reads in an arrival. */
export interface Understood {
  kind: ArrivalKind;
  event: string | null;
  /** Why no article could be read; null: there was none to read, or all were read. */
  problem: string | null;
  articles: readonly ArrivedArticle[];
  /** The kinds whose requests look like this one. */
  resembles?: readonly string[];
}

export interface ArrivedArticle {
  externalId: string;
  /** For a removal: empty. */
  input: ArticleInput;
  /** The version that its sender has seen, for a protocol that asks for it. */
  version?: string;
  places: ArrivedOutcome["places"];
  /** Why it could not be read; null: it was. */
  problem: string | null;
  /** What the WordPress protocol names by numbers (`sender_numbers`): not in `input`. */
  numbers?: WordPressNumbers;
}

/** A missing key changes nothing. */
export interface WordPressNumbers {
  categories?: readonly number[];
  tags?: readonly number[];
  /** Null: no picture. */
  featuredMedia?: number | null;
}

/** Whether the text has the form of a sender's id. */
export function isSenderId(text: string): boolean {
  return /^[\da-f]{32}$/.test(text);
}

/** The source of an article that a sender brought. */
export function senderSource(senderId: string, externalId: string): string {
  return `sender:${senderId}:${externalId}`;
}
