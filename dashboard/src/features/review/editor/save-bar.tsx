import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { KeyHint } from "../../../shared/key-hint.tsx";
import type { Editor } from "./use-editor.ts";

interface SaveActionsProps {
  editor: Editor;
  isPublished: boolean;
  mayPublish: boolean;
  onSave: (live: boolean) => Promise<boolean>;
}

export function SaveActions({ editor, isPublished, mayPublish, onSave }: SaveActionsProps): ReactNode {
  const { isDirty, busy, canUpdate, conflict } = editor;
  const isHeld = conflict !== null;
  const mayUpdate = isPublished && mayPublish;
  return (
    <>
      <Button
        variant={mayUpdate ? "default" : "filled"}
        onClick={() => void onSave(false)}
        loading={busy === "save"}
        disabled={!isDirty || isHeld || busy === "update"}
        rightSection={<KeyHint keys="mod+s" isFilled={!mayUpdate} />}
        aria-keyshortcuts="Control+S Meta+S"
      >
        {isPublished ? "Save draft copy" : "Save"}
      </Button>
      {mayUpdate && (
        <Button
          onClick={() => void onSave(true)}
          loading={busy === "update"}
          disabled={!canUpdate || busy === "save"}
          rightSection={<KeyHint keys="mod+Enter" isFilled />}
          aria-keyshortcuts="Control+Enter Meta+Enter"
        >
          {isDirty ? "Save and update" : "Update"}
        </Button>
      )}
    </>
  );
}
