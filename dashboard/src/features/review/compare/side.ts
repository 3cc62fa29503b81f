/** The sides of a comparison. */
import type { Comparison, RevisionContent } from "../../../../../src/http/admin/contract/review.ts";

/** A revision's ID, the side of held changes, or the name of a version that any article may have. */
export type SideId = "current" | "approved" | "live" | "draft" | (string & {});

export interface Side {
  id: SideId;
  name: string;
  content: RevisionContent;
}

/** The named versions that exist, without single revisions. */
export function namedSides({ current, approved, live, draft, held }: Comparison): Side[] {
  const sides: (Side | null)[] = [
    { id: "current", name: draft === null ? "Current version" : "Live version", content: current },
    draft && { id: "draft", name: "Draft copy", content: draft },
    approved && {
      id: "approved",
      name: `Approved (${formatDay(approved.at)}, ${approved.by.name})`,
      content: approved.content,
    },
    live && draft === null ? { id: "live", name: `Live version (${formatDay(live.at)})`, content: live.content } : null,
    ...held.map(({ side, source, content }) => ({ id: side, name: `Held changes (${nameSource(source)})`, content })),
  ];
  return sides.filter((side) => side !== null);
}

/** A file's path, without the format that tells it from others; addresses and ids as they are. */
export function nameSource(source: string): string {
  return source.replace(/^(?:markdown|html):/, "");
}

/** “3 May 2026, 14:05”. */
export function formatDay(at: string): string {
  return DAY.format(new Date(at));
}

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
