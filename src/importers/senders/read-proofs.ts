/** Finds credentials in the body of a request, without judging them: a content process gets no secret. */
import type { BodyProof, Proofs } from "../../domain/articles/senders/credentials.ts";
import type { Place } from "../../domain/articles/senders/dialect.ts";

/** @param places names with dots between, such as `meta.mac`. */
export function readProofs(body: string, places: readonly Place[]): Proofs {
  const proofs: Record<Place, BodyProof> = {};
  for (const place of places) {
    const proof = readProof(body, place.split("."));
    if (proof !== undefined) proofs[place] = proof;
  }
  return proofs;
}

function readProof(text: string, names: readonly string[]): BodyProof | undefined {
  let member: Member | undefined;
  for (const name of names) {
    member = findMember(text, member?.valueAt.from ?? skipSpace(text, 0), name);
    if (member === undefined) return undefined;
  }
  const value = member && parseText(text.slice(member.valueAt.from, member.valueAt.to));
  return member === undefined || value === undefined ? undefined : { ...member, value };
}

type Member = Pick<BodyProof, "valueAt" | "memberAt">;

/** The member of the object that begins at `start`; undefined: there is none, or more than one. */
function findMember(text: string, start: number, name: string): Member | undefined {
  if (text[start] !== "{") return undefined;
  let found: Member | undefined;
  let comma: number | undefined;
  let at = skipSpace(text, start + 1);
  while (text[at] === '"') {
    const keyAt = at;
    const keyEnd = skipString(text, at);
    at = skipSpace(text, keyEnd);
    if (text[at] !== ":") return undefined;
    const from = skipSpace(text, at + 1);
    const to = skipValue(text, from);
    at = skipSpace(text, to);
    const hasNext = text[at] === ",";
    if (parseText(text.slice(keyAt, keyEnd)) === name) {
      if (found !== undefined) return undefined;
      const end = comma === undefined && hasNext ? at + 1 : to;
      found = { valueAt: { from, to }, memberAt: { from: comma ?? keyAt, to: end } };
    }
    if (!hasNext) break;
    comma = at;
    at = skipSpace(text, at + 1);
  }
  return text[at] === "}" ? found : undefined;
}

function parseText(literal: string): string | undefined {
  if (!literal.startsWith('"')) return undefined;
  try {
    return String(JSON.parse(literal));
  } catch {
    return undefined;
  }
}

/** Where the value ends that begins at `start`: of objects and arrays by their brackets alone. */
function skipValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length;) {
    const character = text[at];
    if (character === '"') {
      at = skipString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      if (depth <= 1) return depth === 0 ? at : at + 1;
      depth -= 1;
    } else if (depth === 0 && (character === "," || isSpace(character))) return at;
    at += 1;
  }
  return text.length;
}

/** Where the text ends that begins at `start`: after its quotation mark. */
function skipString(text: string, start: number): number {
  for (let at = start + 1; ;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text[at])) at += 1;
  return at;
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\n" || character === "\r" || character === "\t";
}
