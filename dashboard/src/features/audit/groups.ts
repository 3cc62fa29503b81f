import { type AuditEntry, buildSentence } from "./messages.ts";

/** Entries of one bulk action, the newest first; mostly of a single entry. */
export type EntryGroup = readonly [AuditEntry, ...AuditEntry[]];

const MIN_ENTRIES = 3;
const MAX_PAUSE_MS = 60_000;

/** Puts together what one person did to different articles in one go. */
export function groupEntries(entries: readonly AuditEntry[]): EntryGroup[] {
  const groups: [AuditEntry, ...AuditEntry[]][] = [];
  for (const entry of entries) {
    const group = groups.at(-1);
    if (group !== undefined && belongs(group, entry)) group.push(entry);
    else groups.push([entry]);
  }
  return groups.flatMap((group): EntryGroup[] => (group.length < MIN_ENTRIES ? group.map((one) => [one]) : [group]));
}

function belongs(group: EntryGroup, entry: AuditEntry): boolean {
  const last = group.at(-1) ?? group[0];
  return (
    entry.target.kind === "article" &&
    last.target.kind === "article" &&
    buildSentence(entry).after !== null &&
    entry.action === last.action &&
    entry.actor.id === last.actor.id &&
    entry.address === last.address &&
    entry.website_id === last.website_id &&
    Date.parse(last.at) - Date.parse(entry.at) <= MAX_PAUSE_MS &&
    group.every(({ target }) => target.id !== entry.target.id)
  );
}
