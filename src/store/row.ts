/** Rows of a statement, for the compiler alone: names by its own columns, types by tables.generated.ts. */
import type { ArticleBody, ArticleOrigin, ArticleStatus, ReviewState } from "../domain/articles/article.ts";
import type { ArrivalState } from "../domain/articles/senders/sender.ts";
import type { AssetType } from "../domain/articles/assets/asset.ts";
import type { RevisionAction } from "../domain/articles/revision.ts";
import type { TokenScope } from "../domain/people/access-token.ts";
import type { KeyScope } from "../domain/people/api-key.ts";
import type { LinkPurpose } from "../domain/people/one-time-token.ts";
import type { Role } from "../domain/people/permissions.ts";
import type { AuditEntry } from "../domain/system/audit.ts";
import type { DeadLetterKind } from "../domain/system/dead-letter.ts";
import type { Outcome } from "../domain/webhooks/attempt.ts";
import type { DeliveryOrigin, DeliveryState } from "../domain/webhooks/delivery.ts";
import type { ShownState } from "../domain/webhooks/endpoint.ts";
import type { EventKind } from "../domain/webhooks/event.ts";
import type { ReplayKind } from "../domain/webhooks/replay.ts";
import type * as Generated from "./tables.generated.ts";

/** Columns whose text is one of a few words. */
interface Words {
  arrivals: { state: ArrivalState };
  assets: { type: AssetType };
  articles: { status: ArticleStatus; review_state: ReviewState | null; origin: ArticleOrigin };
  article_bodies: { source: ArticleBody["source"] };
  revisions: { action: RevisionAction };
  api_keys: { scope: KeyScope };
  access_tokens: { scope: TokenScope };
  memberships: { role: Role };
  one_time_links: { purpose: LinkPurpose };
  audit_log: { action: AuditEntry["action"]; target_kind: AuditEntry["targetKind"] };
  attempts: { outcome: Outcome };
  deliveries: { kind: EventKind; origin: DeliveryOrigin; state: DeliveryState };
  endpoints: { state: ShownState["state"] };
  events: { kind: EventKind };
  dead_letters: { kind: DeadLetterKind };
  replay_jobs: { kind: ReplayKind };
}

/** Types of computed columns, by the name that a statement gives them. A name has the same type in all statements. */
interface Computed {
  additive: number;
  articles: number;
  assignee: string | null;
  at: number | null;
  author: string | null;
  bytes: number;
  can_resend: number;
  counted: number | null;
  created_at: number | null;
  day: number;
  definition: string;
  delivered: number;
  depth: number;
  due_at: number | null;
  email: string;
  events: number;
  exhausted: number;
  external_source: string | null;
  hour: number | null;
  is_free: boolean;
  is_superseded: number;
  is_visible: boolean;
  is_unfinished: number;
  open_comments: number;
  resolver: string | null;
  keys: number;
  known: number | null;
  members: number;
  n: number;
  name: string;
  newest_metrics: string;
  no: number | null;
  oldest_no: number | null;
  parked: number;
  person: string | null;
  actor_email: string | null;
  actor_name: string | null;
  requests: number;
  retried: number;
  row_no: number;
  token_at: number | null;
  token_used_at: number | null;
  tokens: number;
  tokens_revoked: number;
  totp: number;
  used_at: number | null;
  version: string;
  waiting: number;
  webhooks: number;
  xid: string;
}

type Tables = {
  [T in keyof Generated.Tables]: T extends keyof Words
    ? Omit<Generated.Tables[T], keyof Words[T]> & Words[T]
    : Generated.Tables[T];
} & {
  /** There while tables are migrated (migration-steps.ts). */
  migration_steps: { migration: string; step: number; position: string };
};

declare const ROW: unique symbol;
/** A statement whose rows the compiler cannot find out, with what they are. */
export type Declared<R> = string & { readonly [ROW]: R };

/** States the rows of a statement that is put together at run time, or too complex for `Row`. Nothing checks it. */
export function declareRow<R>(sql: string): Declared<R> {
  return sql as Declared<R>;
}

/** `unknown` for a text that the compiler does not know. */
export type Row<Sql extends string> = Sql extends Declared<infer R> ? R : Statement<Flat<OneLine<Sql>>>;

type Statement<Sql extends string> = Sql extends `${infer Change}RETURNING ${infer List}`
  ? Columns<List, Source<ChangedTable<Change>, never>>
  : Sql extends `${string}SELECT ${infer List} FROM ${infer From}`
    ? Columns<List, Sources<From, never>>
    : Sql extends `${string}SELECT ${infer List}`
      ? Columns<List, never>
      : unknown;

type OneLine<Sql extends string> = Sql extends `${infer Line}\n${infer Rest}` ? OneLine<`${Line} ${Rest}`> : Sql;

/** Without everything in parentheses, innermost first. */
type Flat<Sql extends string> = Sql extends `${infer Before})${infer Rest}` ? Flat<`${Opened<Before>}${Rest}`> : Sql;

/** The text before the last parenthesis. */
type Opened<Text extends string> = Text extends `${infer Head}(${infer Tail}`
  ? Tail extends `${string}(${string}`
    ? `${Head}(${Opened<Tail>}`
    : Head
  : Text;

type Trim<Text extends string> = Text extends ` ${infer Rest}` | `${infer Rest} ` ? Trim<Rest> : Text;

type ChangedTable<Sql extends string> = Sql extends
  | `INSERT INTO ${infer Table} ${string}`
  | `UPDATE ${infer Table} ${string}`
  | `DELETE FROM ${infer Table} ${string}`
  ? Table
  : never;

/** Tables with the names by which their columns are called; those of a LEFT JOIN may be null. */
type Sources<From extends string, Absent> = From extends `${infer One}JOIN ${infer Rest}`
  ? Source<Trim<One>, Absent> | Sources<Rest, Trim<One> extends `${string}LEFT` ? null : never>
  : Source<Trim<From>, Absent>;

type Source<Text extends string, Absent> = Text extends `${infer Table} ${infer Rest}`
  ? Named<Table, Alias<Table, Trim<Rest>>, Absent>
  : Named<Text, Text, Absent>;

/** Names are written in lower case, words of SQL in upper case. */
type Alias<Table extends string, Rest extends string> = Rest extends `${infer Word} ${string}`
  ? Alias<Table, Word>
  : Rest extends Lowercase<Rest>
    ? Rest
    : Table;

type Named<Table extends string, As extends string, Absent> = Table extends keyof Tables
  ? { as: As; columns: Tables[Table]; absent: Absent }
  : never;

type Columns<List extends string, From> = {
  [Item in Items<List extends `DISTINCT ${infer Rest}` ? Rest : List> as NameOf<Item>]: TypeOf<Item, From>;
};

type Items<List extends string, Found = never> = List extends `${infer Item},${infer Rest}`
  ? Items<Rest, Found | Trim<Item>>
  : Found | Trim<List>;

type NameOf<Item> = Item extends `${string}AS ${infer Name}`
  ? Name extends `"${infer Unquoted}"`
    ? Unquoted
    : Name
  : Item extends `${string}.${infer Name}`
    ? Name
    : Item;

type TypeOf<Item, From> = Item extends `${infer Expression}AS ${string}`
  ? OrElse<InTable<Trim<Expression>, From>, NameOf<Item> extends keyof Computed ? Computed[NameOf<Item>] : unknown>
  : OrElse<InTable<Item, From>, unknown>;

type OrElse<Type, Other> = [Type] extends [never] ? Other : Type;

type InTable<Expression, From> = Expression extends `${infer As}.${infer Name}`
  ? ColumnOf<From, As, Name>
  : ColumnOf<From, string, Expression>;

type ColumnOf<From, As, Name> = From extends { as: As; columns: infer Of; absent: infer Absent }
  ? Name extends keyof Of
    ? Of[Name] | Absent
    : never
  : never;
