import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useCallback, useState } from "react";
import { flushSync } from "react-dom";
import { ErrorNote } from "../../shared/error-note.tsx";
import { KeyHint } from "../../shared/key-hint.tsx";
import { BackLink } from "../../shared/links.tsx";
import { NoAccess } from "../../shared/no-access.tsx";
import { useSession, useWebsite } from "../../shared/session.tsx";
import { useShortcuts } from "../../shared/shortcuts.tsx";
import { UnsavedChangesGuard } from "./editor/unsaved-changes-guard.tsx";
import { UnsavedDraftAlert } from "./editor/unsaved-draft-alert.tsx";
import type { SetField } from "./editor/fields.tsx";
import { NewStateLine } from "./editor/state-line.tsx";
import { openLocalDrafts, tabStorage, type LocalDraft } from "./editor/local-drafts.ts";
import { useDraftAutosave } from "./editor/use-draft-autosave.ts";
import { useCreating } from "./editor/use-new-article.ts";
import { openDrafts } from "./editor/working-copies.ts";
import { useFetchedDrafts } from "./editor/use-fetched-drafts.ts";
import { EMPTY, type EditorValues, isUntouched, toEditorValues } from "./editor/values.ts";
import { EditorForm, FORM_FIELDS } from "./editor/editor-form.tsx";

export function NewArticlePage(): ReactNode {
  const website = useWebsite();
  const back = <BackLink to="/articles">Articles</BackLink>;
  if (website.can("articles.edit")) return <NewArticle back={back} />;
  return <NoAccess title="New article" needs="editor" />;
}

function NewArticle({ back }: { back: ReactNode }): ReactNode {
  const website = useWebsite();
  const { account } = useSession();
  const navigate = useNavigate();
  const [drafts] = useState(() => openDrafts({ accountId: account.id, websiteId: website.id, articleId: null }));
  const [draftId] = useState<string>(() => crypto.randomUUID());
  const [values, setValues] = useState<EditorValues>(EMPTY);
  const [offers, setOffers] = useState(() => drafts.read());
  const [offer] = offers;
  const [tries, setTries] = useState(0);
  const [isCreated, setCreated] = useState(false);
  const { isBusy, error, create } = useCreating(website.id);
  const isDirty = !isUntouched(EMPTY, values) && !isCreated;

  const set = useCallback<SetField>((name, value) => setValues((all) => ({ ...all, [name]: value })), []);
  useFetchedDrafts(drafts, setOffers, (one) => !isUntouched(EMPTY, one.values));
  useDraftAutosave(drafts, { draftId, was: EMPTY, values, isDirty, offers });

  async function save(): Promise<boolean> {
    setTries((before) => before + 1);
    if (isBusy || Object.keys(findMissing(values)).length > 0) return false;
    const made = await create(values);
    if (made === undefined) return false;
    const { id } = made.answer.article;
    if (!made.isWhole) {
      // The edit page offers the rejected values and shows the error.
      openLocalDrafts(tabStorage(), account.id, id).keep([
        { ...toLocalDraft(values), base: toEditorValues(made.answer) },
      ]);
    }
    flushSync(() => setCreated(true));
    await navigate(
      made.isWhole ? { to: "/articles/$id", params: { id } } : { to: "/articles/$id/edit", params: { id } },
    );
    return true;
  }

  useShortcuts([{ keys: "mod+s", label: "Create the article", run: () => void save() }]);

  const notices = (
    <>
      <ErrorNote error={error} title="Couldn’t create it" fields={FORM_FIELDS} />
      {offer !== undefined && (
        <UnsavedDraftAlert
          offer={offer}
          onRestore={() => {
            setValues(offer.values);
            setOffers(offers.slice(1));
          }}
          onDiscard={() => {
            setOffers(offers.slice(1));
          }}
        />
      )}
    </>
  );
  return (
    <>
      <EditorForm
        page={{
          title: "New article",
          back,
          state: <NewStateLine isDirty={isDirty} drafts={drafts} />,
          actions: (
            <Button
              onClick={() => void save()}
              loading={isBusy}
              rightSection={<KeyHint keys="mod+s" isFilled />}
              aria-keyshortcuts="Control+S Meta+S"
            >
              Create
            </Button>
          ),
          notices,
        }}
        base={null}
        was={EMPTY}
        values={values}
        set={set}
        setAll={setValues}
        error={error}
        missing={tries > 0 ? findMissing(values) : {}}
        tries={tries}
      />
      <UnsavedChangesGuard isDirty={isDirty} onSave={save} />
    </>
  );
}

function toLocalDraft(values: EditorValues): LocalDraft {
  return { id: crypto.randomUUID(), at: new Date().toISOString(), base: EMPTY, values };
}

function findMissing({ title, text }: EditorValues): Record<string, string> {
  return {
    ...(title.trim() === "" && { title: "An article needs a title." }),
    ...(text.trim() === "" && { markdown: "An article needs a text." }),
  };
}
