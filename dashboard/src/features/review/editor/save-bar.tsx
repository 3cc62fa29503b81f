import { Button, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { KeyHint } from "../../../shared/key-hint.tsx";
import classes from "./save-bar.module.css";
import { SourceChanges } from "./source-changes.tsx";
import { StateLine } from "./state-line.tsx";
import type { Editor } from "./use-editor.ts";
import type { DraftStore } from "./working-copies.ts";

interface SaveBarProps {
  editor: Editor;
  drafts: DraftStore;
  isPublished: boolean;
  mayPublish: boolean;
  onSave: (live: boolean) => Promise<boolean>;
}

/** Always visible, however long the article is. */
export function SaveBar({ editor, drafts, isPublished, mayPublish, onSave }: SaveBarProps): ReactNode {
  const { was, values, isDirty, busy, canUpdate, conflict } = editor;
  const isHeld = conflict !== null;
  const mayUpdate = isPublished && mayPublish;
  return (
    <StickyBar>
      <Text size="sm" c="dimmed" className={classes.state}>
        <StateLine editor={editor} drafts={drafts} />
      </Text>
      {was.source === values.source && <SourceChanges saved={was.text} text={values.text} />}
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
    </StickyBar>
  );
}

/** Sticks to the bottom of the window, above the content. */
export function StickyBar({ children }: { children: ReactNode }): ReactNode {
  return <div className={classes.bar}>{children}</div>;
}
