import { Button, Checkbox, Group, Progress, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Asset } from "../../../../../../src/http/admin/contract/assets.ts";
import type { PictureTask } from "./picture-task.ts";
import type { PictureValues } from "./picture-values.ts";
import type { ChosenItem } from "./use-chosen-pictures.ts";
import classes from "./picture-dialog.module.css";

interface ChosenPicturesProps {
  items: readonly ChosenItem[];
  task: PictureTask;
  /** What the library knows of the picture that is changed. */
  known: Asset | undefined;
  pictureUrl: (src: string) => string | null;
  onChange: (key: number, values: Partial<PictureValues>, isAlsoInLibrary?: boolean) => void;
  onRemove: ((item: ChosenItem) => void) | null;
}

/** The pictures that are chosen, with their alternative texts and captions. */
export function ChosenPictures({ items, ...props }: ChosenPicturesProps): ReactNode {
  if (items.length === 0) return null;
  return (
    <ul className={classes.chosen} aria-label="Chosen pictures">
      {items.map((item) => (
        <li key={item.key}>
          <Chosen item={item} {...props} />
        </li>
      ))}
    </ul>
  );
}

function Chosen({
  item,
  task,
  known,
  pictureUrl,
  onChange,
  onRemove,
}: Omit<ChosenPicturesProps, "items"> & { item: ChosenItem }): ReactNode {
  const { key, name, values, upload, isAlsoInLibrary } = item;
  const isFormer = task.kind === "change" && task.picture.src === values.src;
  const asset = item.asset ?? (isFormer ? known : undefined);
  const start = task.kind === "change" ? task.start : null;
  const hasCaption = task.kind === "add" || (task.kind === "change" && task.picture.canCaption);
  const hasOther =
    asset !== undefined && asset.alt !== "" && values.alt.trim() !== "" && asset.alt !== values.alt.trim();
  const removeLabel = upload?.state === "uploading" || upload?.state === "waiting" ? "Cancel" : "Leave out";
  const remove = onRemove !== null && (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      aria-label={`${removeLabel} ${name}`}
      onClick={() => onRemove(item)}
    >
      {removeLabel}
    </Button>
  );
  if (upload?.state === "failed") {
    return (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" c="red" role="alert">{`${name}: ${upload.reason}`}</Text>
        {remove}
      </Group>
    );
  }
  const url = asset === undefined ? pictureUrl(values.src) : `${asset.path}?w=320`;
  return (
    <Group align="flex-start" wrap="nowrap" gap="md">
      <div className={classes.thumbnail}>{values.src !== "" && <Thumbnail key={url} url={url} alt={values.alt} />}</div>
      <Stack gap="xs" className={classes.fields}>
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <Text size="sm" fw={550} truncate title={name}>
            {asset?.name ?? name}
          </Text>
          {remove}
        </Group>
        {(upload?.state === "uploading" || upload?.state === "waiting") && (
          <Progress value={upload.progress * 100} aria-label={`Upload of ${name}`} />
        )}
        {task.kind !== "choose" && (
          <>
            <TextInput
              label="Alternative text"
              description="For people who cannot see it. Leave it empty if it is only decoration."
              value={values.alt}
              maxLength={1_000}
              data-autofocus={start === "alt" || undefined}
              onChange={(event) => onChange(key, { alt: event.currentTarget.value })}
            />
            {hasOther && (
              <Checkbox
                size="xs"
                label="Use this text in Pictures, too"
                checked={isAlsoInLibrary}
                onChange={(event) => onChange(key, {}, event.currentTarget.checked)}
              />
            )}
          </>
        )}
        {hasCaption ? (
          <TextInput
            label="Caption"
            value={values.caption}
            data-autofocus={start === "caption" || undefined}
            onChange={(event) => onChange(key, { caption: event.currentTarget.value })}
          />
        ) : (
          task.kind === "change" && (
            <Text size="xs" c="dimmed">
              A picture inside a line of text cannot have a caption.
            </Text>
          )
        )}
      </Stack>
    </Group>
  );
}

function Thumbnail({ url, alt }: { url: string | null; alt: string }): ReactNode {
  const [isBroken, setBroken] = useState(false);
  if (url === null || isBroken) {
    return (
      <Text size="xs" c="dimmed">
        It cannot be loaded.
      </Text>
    );
  }
  return <img src={url} alt={alt} referrerPolicy="no-referrer" onError={() => setBroken(true)} />;
}
