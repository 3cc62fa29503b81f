/** Adds pictures, or changes one: from this device, from the library or by an address. */
import { Button, Checkbox, Group, Modal, Select, Stack, Tabs, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ClipboardEvent, type DragEvent, type FormEvent, type ReactNode, useState } from "react";
import { picturesQuery } from "../../../../shared/pictures.ts";
import { ScrollingRow } from "../../../../shared/scrolling-row.tsx";
import { useWebsite } from "../../../../shared/session.tsx";
import { ByAddress } from "./by-address.tsx";
import { ChosenPictures } from "./chosen-pictures.tsx";
import { FromDevice } from "./from-device.tsx";
import { Library } from "./library.tsx";
import type { PictureTask } from "./picture-task.ts";
import type { PictureValues } from "./picture-values.ts";
import { useChosenPictures } from "./use-chosen-pictures.ts";

interface PictureDialogProps {
  /** null: it is closed. */
  task: PictureTask | null;
  /** Returns the URL from which to load a picture that is elsewhere; null if it cannot be loaded. */
  pictureUrl: (src: string) => string | null;
  onDone: (pictures: readonly PictureValues[], isRow: boolean) => void;
  onRemove?: () => void;
  onClose: () => void;
}

export function PictureDialog({ task, onClose, ...props }: PictureDialogProps): ReactNode {
  const isNarrow = useMediaQuery("(max-width: 600px)", undefined, { getInitialValueInEffect: false }) ?? false;
  // Keeps the content while the dialog fades out.
  const [last, setLast] = useState(task);
  if (task !== null && task !== last) setLast(task);
  return (
    <Modal
      opened={task !== null}
      onClose={onClose}
      title={last?.kind === "change" ? "Picture" : "Add picture"}
      size={680}
      fullScreen={isNarrow}
      returnFocus={false}
    >
      {last !== null && <Form key={last.key} task={last} onClose={onClose} {...props} />}
    </Modal>
  );
}

function Form({ task, pictureUrl, onDone, onRemove, onClose }: PictureDialogProps & { task: PictureTask }): ReactNode {
  const website = useWebsite();
  const isMany = task.kind === "add";
  const former = task.kind === "change" ? task.picture : null;
  const chosen = useChosenPictures(website.id, former, isMany);
  const { items } = chosen;
  const [isReplacing, setReplacing] = useState(task.kind !== "change" || task.start === "replace");
  const [source, setSource] = useState<string | null>("device");
  const [width, setWidth] = useState(former?.width ?? null);
  const [isRow, setRow] = useState(false);
  // Its alternative text there.
  const isOfLibrary = former !== null && /\/assets\/[0-9a-f-]{36}\/[0-9a-f]{64}/.test(former.src);
  const known = useInfiniteQuery({
    ...picturesQuery(website.id, { search: former?.src ?? "" }),
    enabled: isOfLibrary,
  }).data?.pages[0]?.assets[0];
  const isHtml = task.kind !== "choose" && task.format === "html";
  const ready = items.filter(({ values }) => values.src !== "");
  const isWaiting = items.some(({ upload }) => upload?.state === "waiting" || upload?.state === "uploading");
  const isRowed = isRow && ready.length > 1;

  function submit(event: FormEvent): void {
    event.preventDefault();
    // In React's tree, the dialog is inside the article's form.
    event.stopPropagation();
    if (ready.length === 0 || isWaiting) return;
    chosen.saveAlts(former === null ? undefined : known);
    onDone(
      ready.map(({ values }) => ({
        src: values.src,
        alt: values.alt.trim(),
        caption: values.caption.trim(),
        width: isHtml && !isRowed ? width : null,
      })),
      isRowed,
    );
    onClose();
  }

  function take(event: DragEvent | ClipboardEvent, data: DataTransfer): void {
    const files = [...data.files].filter(({ type }) => type.startsWith("image/"));
    if (files.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    setReplacing(true);
    chosen.addFiles(files);
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack
        gap="md"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => take(event, event.dataTransfer)}
        onPaste={(event) => take(event, event.clipboardData)}
      >
        {isReplacing && (
          <Tabs value={source} onChange={setSource} keepMounted={false}>
            <ScrollingRow>
              <Tabs.List>
                <Tabs.Tab value="device">From this device</Tabs.Tab>
                <Tabs.Tab value="library">Library</Tabs.Tab>
                <Tabs.Tab value="address">By address</Tabs.Tab>
              </Tabs.List>
            </ScrollingRow>
            <Tabs.Panel value="device" pt="md">
              <FromDevice isMany={isMany} onFiles={chosen.addFiles} />
            </Tabs.Panel>
            <Tabs.Panel value="library" pt="md">
              <Library
                websiteId={website.id}
                isMany={isMany}
                isChosen={({ id }) => items.some(({ asset }) => asset?.id === id)}
                onChoose={chosen.toggle}
              />
            </Tabs.Panel>
            <Tabs.Panel value="address" pt="md">
              <ByAddress websiteId={website.id} onAsset={chosen.addAsset} onLink={chosen.addLink} />
            </Tabs.Panel>
          </Tabs>
        )}
        <ChosenPictures
          items={items}
          task={task}
          known={known}
          pictureUrl={pictureUrl}
          onChange={chosen.change}
          onRemove={former === null || items.length > 1 ? chosen.remove : null}
        />
        {isHtml && !isRowed && ready.length > 0 && (
          <Select
            label="Size"
            data={sizes(width)}
            value={String(width ?? "")}
            onChange={(value) => setWidth(value === null || value === "" ? null : Number(value))}
            allowDeselect={false}
            data-autofocus={(task.kind === "change" && task.start === "size") || undefined}
            maw={260}
          />
        )}
        {task.kind !== "choose" && !isHtml && ready.length > 0 && (
          <Text size="xs" c="dimmed">
            Markdown has no picture sizes, and stores a caption as the picture’s title. Your website decides how it is
            shown.
          </Text>
        )}
        {isMany && ready.length > 1 && (
          <Checkbox
            label="Show them in a row"
            checked={isRow}
            onChange={(event) => setRow(event.currentTarget.checked)}
          />
        )}
        <Group justify="flex-end" gap="sm">
          {onRemove !== undefined && task.kind === "change" && (
            <>
              <Button
                variant="subtle"
                color="red"
                mr="auto"
                onClick={() => {
                  onRemove();
                  onClose();
                }}
              >
                Remove
              </Button>
              {!isReplacing && (
                <Button variant="default" onClick={() => setReplacing(true)}>
                  Replace
                </Button>
              )}
            </>
          )}
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={ready.length === 0 || isWaiting}>
            {buttonLabel(task, ready.length)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function buttonLabel({ kind }: PictureTask, count: number): string {
  if (kind === "change") return "Apply";
  if (kind === "choose") return "Use picture";
  return count > 1 ? `Add ${count} pictures` : "Add picture";
}

const WIDTHS = [
  { value: "", label: "Full width" },
  { value: "640", label: "Large (640 px)" },
  { value: "480", label: "Medium (480 px)" },
  { value: "320", label: "Small (320 px)" },
];

function sizes(width: number | null): { value: string; label: string }[] {
  const isListed = width === null || WIDTHS.some(({ value }) => value === String(width));
  return isListed ? WIDTHS : [...WIDTHS, { value: String(width), label: `${width} px` }];
}
