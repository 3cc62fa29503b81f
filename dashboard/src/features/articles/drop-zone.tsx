import { Button, FileButton, Group, Stack, Text } from "@mantine/core";
import IconFileImport from "@tabler/icons-react/dist/esm/icons/IconFileImport.mjs";
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { type Drop, readDrop, readFileList, type NamedFile } from "./dropped-files.ts";
import classes from "./drop-zone.module.css";

interface DropZoneProps {
  onFiles: (drop: Drop) => void;
  disabled: boolean;
}

/** Accepts files and folders by drag and drop, or by two buttons. */
export function DropZone({ onFiles, disabled }: DropZoneProps): ReactNode {
  const [isOver, setOver] = useState(false);
  const folder = useRef<HTMLInputElement>(null);
  const resetFiles = useRef<() => void>(null);
  const choose = (files: NamedFile[]) => onFiles({ files, unreadable: [] });
  useNothingBeside();

  function take(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    if (!disabled) void readDrop(event.dataTransfer).then(onFiles);
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
          Markdown with front matter (Jekyll, Hugo, Astro …), Word and AsciiDoc documents, HTML pages, an export of
          WordPress, Ghost, Medium, Substack, Contentful, Strapi and others, a feed, JSON, NDJSON, CSV, or a zip archive
          of these. Formats are detected automatically.
        </Text>
        <Group gap="xs">
          <FileButton
            multiple
            disabled={disabled}
            resetRef={resetFiles}
            onChange={(files) => {
              // Empty: the dialog was cancelled.
              if (files.length > 0) choose(files.map((file) => ({ name: file.name, file })));
              // Otherwise the same files could not be chosen again after a change.
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
            // Missing from React's types, but supported by every browser.
            {...{ webkitdirectory: "" }}
            onChange={({ currentTarget }) => {
              if (currentTarget.files !== null) choose(readFileList(currentTarget.files));
              currentTarget.value = "";
            }}
          />
        </Group>
      </Stack>
    </div>
  );
}

/** Prevents the browser from opening files that are dropped outside the zone, which would replace this page. */
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
