import { type Static, Type } from "typebox";
import { ARRIVAL_KINDS, type Mapping, SENDER_FIELDS } from "../../../domain/articles/senders/dialect.ts";
import { ARRIVAL_STATES, type ArrivedOutcome } from "../../../domain/articles/senders/sender.ts";
import { count, oneOf, strictObject, textOrNull, time, timeOrNull } from "../../contract/schema-helpers.ts";

const text = (most: number) => Type.String({ maxLength: most });

const secretFrom = oneOf(["rostrum", "sender"] as const, {
  description: "Who makes the secret: `rostrum`, to be pasted there, or the sender, to be pasted here.",
});

const senderKind = Type.Object({
  kind: Type.String(),
  name: Type.String({ description: "The product's name." }),
  is_tried: Type.Boolean({ description: "Whether a whole request was tried, as it is documented." }),
  secret_from: secretFrom,
  setup: Type.String({ description: "What to do there." }),
  has_sample: Type.Boolean(),
  is_for_any: Type.Boolean({ description: "Whether it is for any product." }),
  can_map: Type.Boolean({ description: "Whether fields can be mapped: those of a protocol are fixed." }),
});
export type SenderKind = Static<typeof senderKind>;

export const senderKindList = Type.Object({ kinds: Type.Array(senderKind) });
export type SenderKindList = Static<typeof senderKindList>;

/** The operation checks its form. */
const mapping = Type.Unsafe<Mapping | null>({
  type: ["object", "null"],
  additionalProperties: true,
  description: "Where articles and their fields are; null: the kind's own.",
});

export const sender = Type.Object({
  id: Type.String(),
  website_id: Type.String(),
  kind: senderKind,
  name: Type.String(),
  address: Type.String({ description: "What the sender calls." }),
  mapping,
  created_at: time("When."),
  last_arrival_at: timeOrNull("null: nothing arrived yet."),
  previous_until: timeOrNull("Until then the secret before the last rotation is accepted, too; null: it is not."),
  needs_attention: count("Arrivals that need attention, up to 1,000."),
  waiting: count("Arrivals that are not understood yet, up to 1,000."),
});
export type ArrivalState = (typeof ARRIVAL_STATES)[number];
export type Sender = Static<typeof sender>;

export const senderList = Type.Object({ senders: Type.Array(sender) });
export type SenderList = Static<typeof senderList>;

export const senderInput = strictObject({
  website_id: text(100),
  kind: text(100),
  name: text(1_000),
  secret: Type.Optional(text(4_000)),
});
export type SenderInput = Static<typeof senderInput>;

export const senderChange = strictObject({
  name: Type.Optional(text(1_000)),
  kind: Type.Optional(text(100)),
  mapping: Type.Optional(mapping),
});
export type SenderChange = Static<typeof senderChange>;

export const rotation = strictObject({ secret: Type.Optional(text(4_000)) });
export type Rotation = Static<typeof rotation>;

export const senderMade = Type.Object({
  sender,
  secret: textOrNull("The secret, which cannot be shown again; null: the sender made it."),
  curl: textOrNull("A command that delivers an article; null: the kind has its own form."),
});
export type SenderMade = Static<typeof senderMade>;

const arrivedArticle = Type.Object({
  external_id: Type.String(),
  title: Type.String(),
  outcome: oneOf(
    ["created", "updated", "unchanged", "held", "removal_requested", "failed"] satisfies ArrivedOutcome["outcome"][],
    {},
  ),
  article_id: textOrNull("null: no article is stored for it."),
  message: textOrNull("Why it failed, or which fields are held."),
});

const arrival = Type.Object({
  id: Type.String(),
  sender_id: Type.String(),
  at: time("When it arrived."),
  state: oneOf(ARRIVAL_STATES, {}),
  method: Type.String(),
  path: Type.String({ description: "Below the sender's address." }),
  bytes: count("The body's length."),
  kind: Type.Unsafe<(typeof ARRIVAL_KINDS)[number] | null>({
    type: ["string", "null"],
    description: "What it means; null: it is not understood yet.",
  }),
  event: textOrNull("As the sender named it."),
  problem: textOrNull("Why it needs attention as a whole."),
  resembles: Type.Array(Type.Object({ kind: Type.String(), name: Type.String() }), {
    description: "The kinds that it looks like, if the sender's is for any product.",
  }),
  articles: Type.Array(arrivedArticle),
});
export type Arrival = Static<typeof arrival>;

export const arrivalParameters = strictObject({
  state: Type.Optional(oneOf(ARRIVAL_STATES, {})),
  before: Type.Optional(text(100)),
  limit: Type.Optional(Type.String({ pattern: "^([1-9]\\d?|100)$", description: "1 to 100." })),
});

export const arrivalPage = Type.Object({
  arrivals: Type.Array(arrival),
  next_before: textOrNull("For the next page; null: this is the last one."),
});
export type ArrivalPage = Static<typeof arrivalPage>;

const pair = Type.Object({ name: Type.String(), value: Type.String() });

const places = Type.Array(
  Type.Object({
    external_id: Type.String(),
    title: Type.String(),
    fields: Type.Array(Type.Object({ field: oneOf(["id", ...SENDER_FIELDS], {}), place: Type.String() })),
  }),
  { description: "For each article, where each field was found." },
);

export const arrivalDetail = Type.Object({
  arrival,
  query: Type.Array(pair),
  headers: Type.Array(pair),
  body: textOrNull("As it arrived, with secrets replaced; null: it is no longer kept."),
  is_cut: Type.Boolean({ description: "Whether only the body's beginning is shown." }),
  places,
});
export type ArrivalDetail = Static<typeof arrivalDetail>;

export const sampleInput = strictObject({
  arrival_id: Type.Optional(
    Type.Unsafe<string | null>({
      type: ["string", "null"],
      maxLength: 100,
      description: "The arrival to read; null: the kind's own sample.",
    }),
  ),
  mapping: Type.Optional(mapping),
});
export type SampleInput = Static<typeof sampleInput>;

/** What an arrival would store; nothing is saved. */
export const sampleResult = Type.Object({
  kind: oneOf(ARRIVAL_KINDS, {}),
  event: textOrNull("As the sender names it."),
  problem: textOrNull("Why it would need attention."),
  articles: Type.Array(
    Type.Object({
      external_id: Type.String(),
      problem: textOrNull("Why it could not be stored."),
      fields: Type.Array(
        Type.Object({
          field: oneOf(["id", ...SENDER_FIELDS], {}),
          value: Type.String({ description: "As it would be stored; a long text only in its beginning." }),
          place: textOrNull("Where it was found."),
        }),
      ),
    }),
  ),
  reply: Type.Object({ status: Type.Integer(), body: Type.String() }),
});
export type SampleResult = Static<typeof sampleResult>;

export const runAgainResult = Type.Object({
  runs: count("Arrivals that were run again."),
  done: count("Those that need nothing more."),
  needs_attention: count("Those that still need attention."),
  waiting: count("Those that are run in the background."),
});
export type RunAgainResult = Static<typeof runAgainResult>;
