import { Alert, Button, Group, Text } from "@mantine/core";
import IconRefresh from "@tabler/icons-react/dist/esm/icons/IconRefresh.mjs";
import { type ReactNode, useMemo, useState } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { useConfirm } from "../../../shared/confirm.tsx";
import { ErrorNote } from "../../../shared/error-note.tsx";
import { lazyComponent, LazyPart } from "../../../shared/lazy-part.tsx";
import { useSession, useWebsite } from "../../../shared/session.tsx";
import { BlockSkeleton } from "../../../shared/skeletons.tsx";
import { useShortcuts } from "../../../shared/shortcuts.tsx";
import { ArticleStatusBadge, DraftBadge } from "../../../shared/status-badge.tsx";
import { updateQuestion } from "../decisions/questions.tsx";
import { useKnownPeople } from "../use-known-people.ts";
import { useResubmit } from "./beside/use-resubmit.ts";
import { MergedNotice } from "./merged-notice.tsx";
import { MergedProvider } from "./merged-passages.ts";
import { UnsavedChangesGuard } from "./unsaved-changes-guard.tsx";
import { UnsavedDraftAlert } from "./unsaved-draft-alert.tsx";
import { SaveActions } from "./save-bar.tsx";
import { StateLine } from "./state-line.tsx";
import { openDrafts } from "./working-copies.ts";
import { useEditor } from "./use-editor.ts";
import { toEditorValues } from "./values.ts";
import { EditorForm, FORM_FIELDS } from "./editor-form.tsx";

const ConflictPanel = lazyComponent(() => import("./conflict-panel.tsx"), "ConflictPanel");

export function EditArticle({ latest, back }: { latest: ReviewedArticle; back: ReactNode }): ReactNode {
  const website = useWebsite();
  const { account } = useSession();
  const [drafts] = useState(() =>
    openDrafts({ accountId: account.id, websiteId: latest.website_id, articleId: latest.article.id }),
  );
  const editor = useEditor(latest, drafts);
  const { isOwnChange, lastBy, lastChange } = useKnownPeople(website.id, latest.article.id);
  const confirm = useConfirm();
  const [tries, setTries] = useState(0);
  const { base, values, conflict } = editor;
  const isPublished = base.line.status === "published";
  const mayPublish = website.can("articles.publish");
  const missing = tries > 0 && values.title.trim() === "" ? { title: "An article needs a title." } : {};

  async function save(live: boolean): Promise<boolean> {
    setTries((before) => before + 1);
    if (values.title.trim() === "" || editor.busy !== null) return false;
    if (live && editor.canUpdate && !(await confirm(updateQuestion(values.title)))) return false;
    return editor.save(live);
  }

  useShortcuts([
    { keys: "mod+s", label: isPublished ? "Save the draft copy" : "Save", run: () => void save(false) },
    ...(isPublished && mayPublish ? [{ keys: "mod+Enter", label: "Save and update", run: () => void save(true) }] : []),
  ]);

  const resubmit = useResubmit(latest, () => save(false));
  const mergedText = editor.merged?.values.text ?? null;
  const merged = useMemo(() => (mergedText === null ? null : { text: mergedText, by: lastBy }), [mergedText, lastBy]);
  const about = consequence(base, website.can("articles.approve"));
  const notices = (
    <>
      <ErrorNote
        error={editor.error}
        title={editor.isDirty ? "Couldn’t save" : "Saved as a draft copy, but readers do not see it yet"}
        fields={FORM_FIELDS}
      />
      {conflict === null && editor.offered !== null && (
        <UnsavedDraftAlert offer={editor.offered} onRestore={editor.restoreDraft} onDiscard={editor.discardOffer} />
      )}
      {editor.newer !== null && (
        <Alert color="amber" variant="light" icon={<IconRefresh size={18} />}>
          <Group justify="space-between" gap="sm">
            <Text size="sm">{lastChange} since you opened it.</Text>
            <Button size="compact-sm" onClick={editor.lookAtNewer}>
              View the changes
            </Button>
          </Group>
        </Alert>
      )}
      {editor.merged !== null && (
        <MergedNotice by={lastBy} merged={editor.merged} onUndo={editor.undoMerge} onDismiss={editor.dismissMerge} />
      )}
      {conflict !== null && (
        <LazyPart fallback={<BlockSkeleton height={240} />}>
          <ConflictPanel
            article={base}
            message={conflict.message}
            onMerge={editor.merge}
            onTheirs={editor.takeTheirs}
            {...(conflict.kind === "other"
              ? {
                  title: isOwnChange ? lastChange : "Somebody else has changed this article",
                  names: isOwnChange
                    ? { theirs: "The other window", mine: "This window" }
                    : { theirs: "Theirs", mine: "Yours" },
                  at: conflict.latest.draft?.saved_at ?? conflict.latest.line.updated_at,
                  theirsLabel: "Load the new version",
                  base: editor.was,
                  mine: values,
                  theirs: toEditorValues(conflict.latest),
                }
              : {
                  title: "The two texts conflict",
                  names: { theirs: "In the editor", mine: "Typed earlier" },
                  theirsLabel: "Keep what is in the editor",
                  base: conflict.offer.base,
                  mine: conflict.offer.values,
                  theirs: values,
                })}
          />
        </LazyPart>
      )}
      {about !== null && (
        <Text size="sm" c="dimmed">
          {about}
        </Text>
      )}
    </>
  );
  return (
    <>
      <MergedProvider value={merged}>
        <EditorForm
          page={{
            title: `Edit: ${base.article.title}`,
            back,
            badges: (
              <>
                <ArticleStatusBadge article={base.line} />
                {base.draft !== null && <DraftBadge />}
              </>
            ),
            state: <StateLine editor={editor} drafts={drafts} />,
            actions: <SaveActions editor={editor} isPublished={isPublished} mayPublish={mayPublish} onSave={save} />,
            notices,
          }}
          base={base}
          latest={latest}
          resubmit={resubmit}
          was={editor.was}
          values={values}
          set={editor.set}
          setAll={editor.setAll}
          error={editor.error}
          missing={missing}
          tries={tries}
        />
      </MergedProvider>
      <UnsavedChangesGuard isDirty={editor.isDirty} onSave={() => save(false)} />
    </>
  );
}

/** Explains what saving will do where that is not obvious. */
function consequence({ line, draft }: ReviewedArticle, mayApprove: boolean): string | null {
  if (line.status === "published") {
    return draft === null
      ? "Changes are saved as a draft copy. Readers see them once you choose “Update”."
      : "This is the draft copy. Readers see it once you choose “Update”.";
  }
  if (line.status === "approved") {
    return mayApprove
      ? "Approved. Your changes will be approved too."
      : "Approved. If you change the text, it has to be approved again.";
  }
  return null;
}
