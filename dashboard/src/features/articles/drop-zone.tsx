import { Button, FileButton, Group, Stack, Text } from "@mantine/core";
import IconFileImport from "@tabler/icons-react/dist/esm/icons/IconFileImport.mjs";
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { filesOfDrop, filesOfList, type NamedFile } from "./dropped-files.ts";
import classes from "./drop-zone.module.css";

interface DropZoneProps {
  /** None, when what was dropped holds no files. */
  onFiles: (files: NamedFile[]) => void;
  disabled: boolean;
}

/** Files and folders: dropped, or chosen with the two buttons. */
export function DropZone({ onFiles, disabled }: DropZoneProps): ReactNode {
  const [isOver, setOver] = useState(false);
  const folder = useRef<HTMLInputElement>(null);
  const resetFiles = useRef<() => void>(null);
  useNothingBeside();

  function take(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    // What the browser may not read is nothing that could be imported.
    if (!disabled) void filesOfDrop(event.dataTransfer).then(onFiles, () => onFiles([]));
  }

  function leave({ currentTarget, relatedTarget }: DragEvent): void {
    const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
    if (!isInside) setOver(false);
  }

  return (
    <div
      className={classes.root}
      data-over={(isOver && !disabled) || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        event.dataTransfer.dropEffect = disabled ? "none" : "copy";
        setOver(true);
      }}
      onDragLeave={leave}
      onDrop={take}
    >
      <Stack align="center" gap="sm">
        <IconFileImport size={32} stroke={1.4} aria-hidden />
        <Text fw={550}>Drop files or a folder here</Text>
        <Text size="sm" c="dimmed" ta="center" maw={460}>
          Markdown with front matter (Jekyll, Hugo, Astro …), a WordPress export (WXR), a Ghost or Medium export, HTML
          pages, JSON or NDJSON. The format is recognised automatically.
        </Text>
        <Group gap="xs">
          <FileButton
            multiple
            disabled={disabled}
            resetRef={resetFiles}
            onChange={(files) => {
              // None: the dialog was closed.
              if (files.length > 0) onFiles(files.map((file) => ({ name: file.name, file })));
              // Or the same files could not be chosen again after they were changed.
              resetFiles.current?.();
            }}
          >
            {(props) => (
              <Button variant="default" {...props}>
                Choose files
              </Button>
            )}
          </FileButton>
          <Button variant="default" disabled={disabled} onClick={() => folder.current?.click()}>
            Choose a folder
          </Button>
          <input
            ref={folder}
            type="file"
            hidden
            // React's types do not know it; every browser does.
            {...{ webkitdirectory: "" }}
            onChange={({ currentTarget }) => {
              if (currentTarget.files !== null) onFiles(filesOfList(currentTarget.files));
              currentTarget.value = "";
            }}
          />
        </Group>
      </Stack>
    </div>
  );
}

/** What is dropped beside the zone would else be opened by the browser, in place of this page. */
function useNothingBeside(): void {
  useEffect(() => {
    const refuse = (event: globalThis.DragEvent): void => {
      if (event.defaultPrevented || event.dataTransfer?.types.includes("Files") !== true) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    };
    window.addEventListener("dragover", refuse);
    window.addEventListener("drop", refuse);
    return () => {
      window.removeEventListener("dragover", refuse);
      window.removeEventListener("drop", refuse);
    };
  }, []);
}
