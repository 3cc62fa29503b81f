/**
 * A source that comes again: an import, or a system that sends articles. Each field is compared with what that source
 * brought last, and with what was stored then. What the source did not change is left alone; what it alone changed is
 * applied; what somebody else changed as well is held, as a proposal that a person applies or drops, or that the source
 * withdraws by going back.
 */
import { hash } from "node:crypto";
import { type ArticleInput, type ArticleOrigin, type FullArticle, writtenMarkdown } from "./article.ts";
import { mergeChanges, writtenInput } from "./composition.ts";

/** The source of an article that a client names by an id of its own. */
export function externalSource(externalId: string): string {
  return `api:${externalId}`;
}

export const MAX_EXTERNAL_ID = 200;

/** Such ids are one line of text. */
export function isExternalId(text: string): boolean {
  return text !== "" && text.length <= MAX_EXTERNAL_ID && !/\p{Cc}/u.test(text);
}

/** @param source undefined: none identifies it. */
export function getOrigin(
  actor: { id: string; isMachine?: true | undefined },
  source: string | undefined,
): ArticleOrigin {
  if (source?.startsWith("sender:") === true) return "sender";
  if (actor.isMachine === true) return source === undefined || toExternalId(source) !== null ? "api" : "push";
  if (source === undefined) return "written";
  return actor.id === "import" || actor.id === "cli" ? "import" : "file";
}

/** What a client calls the article; null: the source is none of a client's ids. */
export function toExternalId(source: string | null): string | null {
  const start = externalSource("");
  return source?.startsWith(start) === true ? source.slice(start.length) : null;
}

/** The hashes of each field. One that is missing was absent from the source, and empty in the article. */
export type OriginFields = Partial<Record<OriginField, OriginHashes>>;

interface OriginHashes {
  brought: string;
  /** As it was stored when source and article last agreed. */
  stored: string;
  /** As the source brought it then, if that differs from `brought`. */
  agreed?: string;
}

const PROPOSED = [
  "title",
  "text",
  "slug",
  "excerpt",
  "authors",
  "metaTitle",
  "metaDescription",
  "targetKeyword",
  "seoKeywords",
  "featuredImageUrl",
  "featuredImageAlt",
  "categories",
  "tags",
  "internalLinks",
  "canonicalUrl",
  "aliases",
  "language",
  "translationGroup",
  "publishedAt",
] as const;

/** Fields that are never held: what people did to them stays. */
const NEVER_HELD = [
  "status",
  "createdAt",
  "updatedAt",
  "approvedAt",
  "publishAt",
  "platformUrl",
  "platformPostId",
  "reportedMetrics",
  "pipelineSteps",
  "userId",
] as const;

type ProposedField = (typeof PROPOSED)[number];
type OriginField = ProposedField | (typeof NEVER_HELD)[number];

const FIELDS: readonly OriginField[] = [...PROPOSED, ...NEVER_HELD];

interface Origin {
  /** null: the source brings this article for the first time, and it did not create it. */
  fields: OriginFields | null;
  /** What it brought and people have not settled. */
  held: ArticleInput | null;
}

interface Comparison {
  origin: Origin;
  input: ArticleInput;
  /** The input before pictures got their addresses here, if that differs. */
  original?: ArticleInput | undefined;
  current: FullArticle;
  /** The changes of the draft copy, which count as people's. */
  drafted?: ArticleInput | undefined;
  /** Applies all fields, whoever changed them. */
  overwrite?: boolean | undefined;
  /** If false, the importer may not change the article, so that all changes are held. */
  mayApply?: boolean | undefined;
  /** Applies the changes to the draft copy, which then counts as what the article has now. */
  intoDraft?: boolean | undefined;
}

export interface Decision {
  apply: ArticleInput;
  /** All held changes: earlier ones that are still open, and new ones. */
  held: ArticleInput | null;
  /** The fields that this time's proposal adds. */
  newlyHeld: ProposedField[];
}

/** Decides for each field that the source brings. */
export function decideFields({
  origin,
  input,
  original = input,
  current,
  drafted = {},
  overwrite = false,
  mayApply = true,
  intoDraft = false,
}: Comparison): Decision {
  const { fields } = origin;
  const now = mergeChanges(toOriginInput(current), intoDraft ? drafted : {});
  const apply: ArticleInput = {};
  let held: ArticleInput = origin.held ?? {};
  const newlyHeld: ProposedField[] = [];
  const isAsStored = (name: OriginField) =>
    fields !== null && (fields[name]?.stored ?? "") === storedHash(name, now) && (intoDraft || !isIn(name, drafted));
  for (const name of mayApply && !intoDraft ? FIELDS : PROPOSED) {
    const known = fields?.[name];
    if (!isIn(name, input)) {
      if (known?.agreed === "") held = without(name, held);
      continue;
    }
    const brought = broughtHash(name, original);
    const isNews = fields === null || brought !== (known?.brought ?? "");
    if (!overwrite && !isNews) continue;
    const value = pick(name, input);
    const isWithdrawn = !overwrite && brought === known?.agreed;
    if (mayApply && (overwrite || isAsStored(name))) Object.assign(apply, value);
    else if (isProposed(name) && !isWithdrawn && storedHash(name, input) !== storedHash(name, now)) {
      held = mergeChanges(held, value);
      newlyHeld.push(name);
      continue;
    }
    held = without(name, held);
  }
  // The source's own time of a change goes with the change, unless people changed the article later.
  if (Object.keys(apply).length > 0 && input.updatedAt !== undefined && !intoDraft) {
    const earliest = isAsStored("updatedAt") ? 0 : current.article.updatedAt;
    apply.updatedAt ??= Math.max(input.updatedAt, earliest);
  }
  return { apply, held: Object.keys(held).length === 0 ? null : held, newlyHeld };
}

/** `drafted`: the changes of the draft copy, if the source's changes go there. */
type Recorded = FullArticle & { drafted?: ArticleInput | undefined };

function toRecordedInput({ drafted = {}, ...full }: Recorded): ArticleInput {
  return mergeChanges(toOriginInput(full), drafted);
}

/** What to remember of the source, once its changes have been applied. */
export function recordFields(
  {
    origin: { fields },
    input,
    original = input,
    mayApply = true,
    intoDraft = false,
  }: Omit<Comparison, "current" | "drafted" | "overwrite">,
  { before, after, applied = {} }: { before: Recorded | null; after: Recorded; applied?: ArticleInput },
): OriginFields {
  const [was, is] = [before === null ? null : toRecordedInput(before), toRecordedInput(after)];
  const recorded: OriginFields = {};
  for (const name of FIELDS) {
    const known = fields?.[name];
    const isBrought = isIn(name, input) && ((mayApply && !intoDraft) || isProposed(name));
    const unbrought = known?.agreed === "" ? "" : (known?.brought ?? "");
    const brought = isBrought ? broughtHash(name, original) : unbrought;
    const now = storedHash(name, is);
    const absent = fields === null ? UNKNOWN : "";
    let stored = known?.stored ?? absent;
    const agrees = was !== null && isBrought && now === storedHash(name, input);
    // Also recorded: what follows from the change, such as the time of a publication.
    if (was === null || stored === storedHash(name, was) || agrees) stored = now;
    if (fields === null && was !== null && !isBrought && !agrees) continue;
    const isAgreed = was === null || agrees || isIn(name, applied);
    const agreed = isAgreed ? brought : (known?.agreed ?? known?.brought ?? absent);
    if (brought === "" && stored === "") continue;
    recorded[name] = { brought, stored, ...(agreed !== brought && isProposed(name) && { agreed }) };
  }
  return recorded;
}

/** What to remember after people applied what was held. */
export function recordApplied(fields: OriginFields, held: ArticleInput, after: FullArticle): OriginFields {
  const is = toOriginInput(after);
  const recorded = { ...fields };
  for (const name of FIELDS) {
    const { brought = "" } = fields[name] ?? {};
    if (isIn(name, held)) recorded[name] = { brought, stored: storedHash(name, is) };
  }
  return recorded;
}

/** Whether the source brings another value of the field than before. */
export function bringsNews(name: OriginField, input: ArticleInput, fields: OriginFields | null): boolean {
  return isIn(name, input) && broughtHash(name, input) !== (fields?.[name]?.brought ?? "");
}

/** The API names of the fields that the changes have. */
export function listFields(changes: ArticleInput): string[] {
  return PROPOSED.filter((name) => isIn(name, changes)).map(toApiName);
}

/** The name of a field in the API. */
export function toApiName(field: string): string {
  return field === "text" ? "content" : field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What nobody has stored. */
const UNKNOWN = "?";

/** The article as an input that would store what it has. */
function toOriginInput(full: FullArticle): ArticleInput {
  const { article, body } = full;
  const markdown = writtenMarkdown(body);
  const { content: _content, markdown: _markdown, ...written } = writtenInput(full);
  return {
    ...written,
    ...(markdown === null ? { content: body.html } : { markdown }),
    internalLinks: body.linksSupplied ? body.internalLinks : null,
    status: article.status,
    createdAt: article.createdAt,
    updatedAt: article.updatedAt,
    approvedAt: article.approvedAt,
    publishAt: article.publishAt,
    reportedMetrics: body.reportedMetrics,
    pipelineSteps: body.suppliedSteps,
    userId: article.userId,
  };
}

function isProposed(name: OriginField): name is ProposedField {
  return PROPOSED.some((one) => one === name);
}

function isIn(name: OriginField, input: ArticleInput): boolean {
  return name === "text" ? input.content !== undefined || input.markdown !== undefined : input[name] !== undefined;
}

function pick(name: OriginField, { content, markdown, ...others }: ArticleInput): ArticleInput {
  if (name !== "text") return { [name]: others[name] };
  return { ...(content === undefined ? {} : { content }), ...(markdown === undefined ? {} : { markdown }) };
}

function without(name: OriginField, input: ArticleInput): ArticleInput {
  if (!isIn(name, input)) return input;
  if (name === "text") {
    const { content: _content, markdown: _markdown, ...others } = input;
    return others;
  }
  const { [name]: _removed, ...others } = input;
  return others;
}

function broughtHash(name: OriginField, input: ArticleInput): string {
  return name === "text" ? `${hashValue(input.content)},${hashValue(input.markdown)}` : hashValue(input[name]);
}

/** A text counts as it was written: the HTML beside Markdown is derived from it. */
function storedHash(name: OriginField, input: ArticleInput): string {
  return name === "text" ? hashValue(input.markdown ?? input.content) : hashValue(input[name]);
}

/** 96 bits: only two values of one field are ever compared. */
function hashValue(value: unknown): string {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return "";
  return hash("sha256", typeof value === "string" ? value : JSON.stringify(value), "base64url").slice(0, 16);
}
