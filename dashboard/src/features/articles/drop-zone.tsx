import { Button, FileButton, Group, Stack, Text } from "@mantine/core";
import IconFileImport from "@tabler/icons-react/dist/esm/icons/IconFileImport.mjs";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { filesOfDrop, filesOfList, type NamedFile } from "./dropped-files.ts";
import classes from "./drop-zone.module.css";

interface DropZoneProps {
  onFiles: (files: NamedFile[]) => void;
  disabled: boolean;
}

/** Files and folders: dropped, or chosen with the two buttons. */
export function DropZone({ onFiles, disabled }: DropZoneProps): ReactNode {
  const [isOver, setOver] = useState(false);
  const folder = useRef<HTMLInputElement>(null);

  function take(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    if (!disabled) void filesOfDrop(event.dataTransfer).then(onFiles);
  }

  return (
    <div
      className={classes.root}
      data-over={(isOver && !disabled) || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={take}
    >
      <Stack align="center" gap="sm">
        <IconFileImport size={32} stroke={1.4} aria-hidden />
        <Text fw={550}>Drop files or a folder here</Text>
        <Text size="sm" c="dimmed" ta="center" maw={460}>
          Markdown with front matter (Jekyll, Hugo, Astro …), a WordPress export (WXR), a Ghost or Medium export, HTML
          pages, JSON or NDJSON. What a file is, is recognised by itself.
        </Text>
        <Group gap="xs">
          <FileButton
            multiple
            disabled={disabled}
            onChange={(files) => onFiles(files.map((file) => ({ name: file.name, file })))}
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
