import { Badge, Button, Checkbox, Group, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { AssetReplaced } from "../../../../src/http/admin/contract/assets.ts";
import { formatBytes } from "../../shared/bytes.ts";
import { useConfirm } from "../../shared/confirm.tsx";
import { CopyButton } from "../../shared/copy-button.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { TextLink } from "../../shared/links.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { toast } from "../../shared/toasts.ts";
import classes from "./assets-page.module.css";
import { type Picture, refreshPictures, saveAlt } from "../../shared/pictures.ts";
import { deletePicture, isUsed } from "./requests.ts";
import { ReplaceButton, ReplacedNote } from "./replace-button.tsx";

const MAX_SHOWN_USES = 3;

interface PictureCardProps {
  picture: Picture;
  websiteId: string;
  /** If the picture can be selected. */
  selection?: { isChosen: boolean; onChange: (isChosen: boolean) => void };
}

export function PictureCard({ picture, websiteId, selection }: PictureCardProps): ReactNode {
  const { name, path, width, height, bytes, url } = picture;
  const website = useWebsite();
  const client = useQueryClient();
  const confirm = useConfirm();
  const [replaced, setReplaced] = useState<AssetReplaced | null>(null);

  async function remove(): Promise<void> {
    const isDone = await confirm({
      title: `Delete ${name}?`,
      body: describeLoss(picture),
      confirmLabel: isUsed(picture) ? "Delete anyway" : "Delete",
      action: () => deletePicture(picture),
    });
    if (!isDone) return;
    await refreshPictures(client, websiteId);
    toast("Picture deleted.");
  }

  return (
    <li className={classes.card} data-chosen={selection?.isChosen || undefined}>
      {selection && (
        <Checkbox
          className={classes.choice}
          aria-label={`Select ${name}`}
          checked={selection.isChosen}
          onChange={(event) => selection.onChange(event.currentTarget.checked)}
        />
      )}
      <img className={classes.picture} src={path} alt={picture.alt} loading="lazy" decoding="async" />
      <div className={classes.facts}>
        <Group justify="space-between" gap={4} wrap="nowrap">
          <span className={classes.name} title={name}>
            {name}
          </span>
          <CopyButton value={url} label={`Copy the address of ${name}`} />
        </Group>
        <Text size="sm" c="dimmed">
          {`${width} × ${height} · ${formatBytes(bytes)}`}
        </Text>
        <AltText key={picture.alt} picture={picture} websiteId={websiteId} isReadOnly={!website.can("articles.edit")} />
        <Uses picture={picture} />
        {replaced !== null && <ReplacedNote result={replaced} />}
        <Group mt="auto" gap={4} justify="flex-end">
          {website.can("articles.edit") && picture.use_count > 0 && (
            <ReplaceButton picture={picture} websiteId={websiteId} onReplaced={setReplaced} />
          )}
          {website.can("articles.delete") && (
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              onClick={() => void remove()}
              aria-label={`Delete ${name}`}
            >
              Delete
            </Button>
          )}
        </Group>
      </div>
    </li>
  );
}

function describeLoss({ use_count: count, is_in_unsaved_text: isInUnsavedText }: Picture): string {
  const isGone = "To get it back, you have to upload the file again.";
  if (count > 0) {
    const who = count === 1 ? "An article uses it" : `${count} articles use it`;
    return `${who}: readers will no longer see it there. ${isGone}`;
  }
  if (isInUnsavedText) return `A text that is not saved yet, or a held change, uses it. ${isGone}`;
  return "No article uses it, but other pages that show it will lose it.";
}

function Uses({
  picture: { used_in: uses, use_count: count, is_in_unsaved_text: isInUnsavedText },
}: {
  picture: Picture;
}): ReactNode {
  if (count === 0) {
    return (
      <Badge variant="default" size="sm" tt="none">
        {isInUnsavedText ? "In a text that is not saved" : "Not used"}
      </Badge>
    );
  }
  const more = count - MAX_SHOWN_USES;
  return (
    <ul className={classes.uses} aria-label="Used in">
      {uses.slice(0, MAX_SHOWN_USES).map(({ id, title, is_in_trash: isInTrash }) => (
        <li key={id}>
          <TextLink to="/articles/$id" params={{ id }} size="sm">
            {title}
          </TextLink>
          {isInTrash && " (in the trash)"}
        </li>
      ))}
      {more > 0 && <li>{`and ${more} more`}</li>}
    </ul>
  );
}

interface AltTextProps {
  picture: Picture;
  websiteId: string;
  isReadOnly: boolean;
}

/** Saves when the field loses the focus, and on Enter. */
function AltText({ picture, websiteId, isReadOnly }: AltTextProps): ReactNode {
  const client = useQueryClient();
  const [alt, setAlt] = useState(picture.alt);
  const saving = useMutation({
    mutationFn: () => saveAlt(picture.id, alt),
    onSuccess: async () => {
      toast("Saved.");
      await refreshPictures(client, websiteId);
    },
  });
  const save = () => {
    if (alt.trim() !== picture.alt && !saving.isPending) saving.mutate();
  };
  return (
    <>
      <TextInput
        size="xs"
        label="Alternative text"
        placeholder="What it shows, for people who cannot see it"
        value={alt}
        readOnly={isReadOnly}
        maxLength={1_000}
        onChange={(event) => setAlt(event.currentTarget.value)}
        onBlur={save}
        onKeyDown={(event) => event.key === "Enter" && save()}
      />
      <ErrorNote error={saving.error} />
    </>
  );
}
