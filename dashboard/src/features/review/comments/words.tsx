/** A comment's plain text, with links and the names of mentioned people. */
import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import type { Comment } from "../../../../../src/http/admin/contract/comments.ts";

type Person = Comment["mentions"][number];

/** A mention, or an http(s) URL. */
const SPECIAL = /(<@[\w-]{1,100}>|https?:\/\/[^\s<>"']{1,2000})/;

export function CommentText({ text, mentions }: Pick<Comment, "text" | "mentions">): ReactNode {
  return splitText(text).map(({ part, place }) => <Part key={place} part={part} mentions={mentions} />);
}

function splitText(text: string): { part: string; place: number }[] {
  let place = 0;
  const parts: { part: string; place: number }[] = [];
  for (const part of text.split(SPECIAL)) {
    if (part !== "") parts.push({ part, place });
    place += part.length;
  }
  return parts;
}

function Part({ part, mentions }: { part: string; mentions: readonly Person[] }): ReactNode {
  if (part.startsWith("<@") && part.endsWith(">")) return <b>@{findName(part.slice(2, -1), mentions)}</b>;
  if (!/^https?:\/\//.test(part)) return part;
  // Punctuation after a URL belongs to the sentence.
  const address = part.replace(/[.,;:!?)]$/, "");
  if (URL.parse(address) === null) return part;
  return (
    <>
      <Anchor href={address} target="_blank" rel="noopener noreferrer nofollow" underline="always" inherit>
        {address}
      </Anchor>
      {part.slice(address.length)}
    </>
  );
}

function findName(id: string, mentions: readonly Person[]): string {
  return mentions.find((person) => person.id === id)?.name ?? "somebody";
}

/** The text as typed in a field, with names. */
export function toTyped(text: string, people: readonly Person[]): string {
  return text.replaceAll(/<@([\w-]{1,100})>/g, (whole, id: string) => {
    const person = people.find((one) => one.id === id);
    return person === undefined ? whole : `@${person.name}`;
  });
}

/** The text as sent, with accounts. */
export function toSent(typed: string, people: readonly Person[]): string {
  // Longer names first, because one may begin with another.
  const byLength = people.toSorted((one, other) => other.name.length - one.name.length);
  return byLength.reduce((text, { id, name }) => text.replaceAll(`@${name}`, `<@${id}>`), typed);
}
