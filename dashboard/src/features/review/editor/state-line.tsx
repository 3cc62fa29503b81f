/** Where the text is: on this device, on the server, with readers; and who else is here. */
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import { useAnnounce } from "../../../shared/announce.tsx";
import { PresenceLine } from "../presence/presence-line.tsx";
import type { Editor } from "./use-editor.ts";
import type { CopyState, DraftStore } from "./working-copies.ts";

interface StateLineProps {
  editor: Editor;
  drafts: DraftStore;
}

export function StateLine({ editor, drafts }: StateLineProps): ReactNode {
  const copy = useCopyState(drafts);
  const { website_id: websiteId, article, line, draft } = editor.base;
  // Once all is with readers, the page is only open.
  const isDone = line.status === "published" && draft === null && !editor.isDirty;
  return (
    <>
      <PresenceLine websiteId={websiteId} articleId={article.id} activity={isDone ? "reading" : "editing"} />
      <span>{[describeText(editor, copy), describeReaders(editor)].filter(Boolean).join(" · ")}</span>
    </>
  );
}

/** The same for an article that does not exist yet. */
export function NewStateLine({ isDirty, drafts }: { isDirty: boolean; drafts: DraftStore }): ReactNode {
  const copy = useCopyState(drafts);
  return isDirty ? PLACES[copy.place](copy) : "";
}

/** Announces only that the server does not have it, and that it has it again: the line itself changes with every pause in typing. */
function useCopyState(drafts: DraftStore): CopyState {
  const copy = useSyncExternalStore(drafts.subscribe, drafts.state);
  const announce = useAnnounce();
  const wasAway = useRef(false);
  useEffect(() => {
    const isAway = UNSAFE.has(copy.place);
    if (copy.place === "sending" || isAway === wasAway.current) return;
    wasAway.current = isAway;
    announce(PLACES[copy.place](copy));
  }, [copy, announce]);
  return copy;
}

function describeText({ isDirty, error, savedAt }: Editor, copy: CopyState): string {
  if (isDirty) return (error === null ? "" : "Couldn’t save. ") + PLACES[copy.place](copy);
  return savedAt === null ? "" : `Saved at ${toTime(savedAt)}`;
}

function describeReaders({ base: { line, draft }, isDirty, savedAt }: Editor): string {
  if (line.status !== "published") return isDirty ? "Others see it once you save" : "";
  if (isDirty || draft !== null) {
    const since = [line.updated_at, line.published_at ?? ""].toSorted().at(-1) ?? line.updated_at;
    return `Readers see the version of ${toTime(new Date(since))}`;
  }
  return savedAt === null ? "" : "Readers see this version";
}

const UNSAFE: ReadonlySet<CopyState["place"]> = new Set(["browser", "unkept", "nowhere"]);

const PLACES: Record<CopyState["place"], (copy: CopyState) => string> = {
  sending: () => "Saving…",
  service: ({ at }) => `Saved on this device and on the server, ${toTime(at ?? new Date())}`,
  browser: () => "Saved on this device; the server is not reachable",
  refused: () => "Saved on this device; too long to be saved on the server before you save the article",
  unkept: () => "Not saved: too long to be kept before you save the article",
  nowhere: () => "Not saved: the server is not reachable, and this browser has no room for it",
};

/** “13:35”; with the day if that is not today. */
function toTime(at: Date): string {
  return (at.toDateString() === new Date().toDateString() ? TIME : DAY_AND_TIME).format(at);
}

const TIME = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });
const DAY_AND_TIME = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
