import { Alert, Button, Checkbox, FileButton, Group, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import IconPhoto from "@tabler/icons-react/dist/esm/icons/IconPhoto.mjs";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import IconTrash from "@tabler/icons-react/dist/esm/icons/IconTrash.mjs";
import IconUpload from "@tabler/icons-react/dist/esm/icons/IconUpload.mjs";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { useAnnounce } from "../../shared/announce.tsx";
import { useConfirm } from "../../shared/confirm.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorNote, toMessage } from "../../shared/error-note.tsx";
import { Page } from "../../shared/page.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import { toast } from "../../shared/toasts.ts";
import classes from "./assets-page.module.css";
import { PictureCard } from "./picture-card.tsx";
import { ACCEPTED, type Picture, picturesQuery, refreshPictures, uploadPicture } from "../../shared/pictures.ts";
import { deleteUnused } from "./requests.ts";

const route = getRouteApi("/signed-in/website/pictures");

/** Pause in typing after which is searched. */
const PAUSE_MS = 200;

/** The pictures of a website: where each is used, and its alternative text. */
export function AssetsPage(): ReactNode {
  const website = useWebsite();
  const isUnused = route.useSearch().show === "unused";
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const { data, error, isPlaceholderData, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    picturesQuery(website.id, { isUnused, search }),
  );
  const { upload, isBusy, failures } = useUpload(website.id);
  const mayEdit = website.can("articles.edit");
  const isLoading = (data === undefined || isPlaceholderData) && error === null;
  const pictures = isPlaceholderData ? [] : (data?.pages.flatMap(({ assets }) => assets) ?? []);
  const hasNone = data !== undefined && !isLoading && pictures.length === 0;
  const isSearch = search !== "";
  const mayChoose = isUnused && website.can("articles.delete");
  const selection = usePictureSelection(mayChoose ? pictures : []);
  const { remove, stillUsed, forgetUsed } = useRemoval(website.id, selection.clear);
  const button = mayEdit && <UploadButton onFiles={upload} isBusy={isBusy} />;

  function show(value: "all" | "unused"): void {
    selection.clear();
    void navigate({ search: (now) => ({ ...now, show: value === "unused" ? "unused" : undefined }), replace: true });
  }

  return (
    <DropZone onFiles={mayEdit && !isBusy ? upload : null} isMarked={mayEdit}>
      <Page
        title="Pictures"
        description={`Pictures for the articles of ${website.name}. Anyone with a picture’s address can see it.`}
        actions={(pictures.length > 0 || isUnused || isSearch) && button}
      >
        <ErrorNote error={error} title="The pictures could not be loaded" onRetry={() => void refetch()} />
        {failures.length > 0 && <Failures failures={failures} />}
        {(isUnused || pictures.length > 0 || isPlaceholderData || typed !== "") && (
          <Group gap="sm">
            <TextInput
              type="search"
              aria-label="Search pictures"
              placeholder="Search names and alternative texts"
              leftSection={<IconSearch size={16} aria-hidden />}
              w={300}
              value={typed}
              onChange={(event) => {
                selection.clear();
                setTyped(event.currentTarget.value);
              }}
            />
            <WhichPictures isUnused={isUnused} count={data?.pages[0]?.unused_count ?? null} onChange={show} />
            {mayChoose && pictures.length > 0 && <SelectAll selection={selection} />}
          </Group>
        )}
        <StillUsed names={stillUsed} onClose={forgetUsed} />
        {isLoading && <RowsSkeleton rows={3} rowHeight={160} />}
        {hasNone && isSearch && (
          <EmptyState icon={<IconPhoto size={28} />} title="No picture found">
            {`No ${isUnused ? "unused " : ""}picture has “${search}” in its name or alternative text.`}
          </EmptyState>
        )}
        {hasNone && isUnused && !isSearch && <NoUnusedPictures onShowAll={() => show("all")} />}
        {hasNone && !isUnused && !isSearch && (
          <EmptyState icon={<IconPhoto size={28} />} title="No pictures yet" actions={button}>
            {mayEdit
              ? "Choose files, or drop them here: PNG, JPEG, WebP, AVIF, GIF or SVG, up to 25 MB each."
              : "Editors can add pictures for articles here."}
          </EmptyState>
        )}
        <ul className={classes.grid}>
          {pictures.map((picture) => (
            <PictureCard
              key={picture.id}
              picture={picture}
              websiteId={website.id}
              {...(mayChoose && {
                selection: {
                  isChosen: selection.has(picture),
                  onChange: (isChosen) => selection.choose(picture, isChosen),
                },
              })}
            />
          ))}
        </ul>
        {hasNextPage && (
          <Group justify="center">
            <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show more
            </Button>
          </Group>
        )}
        {selection.chosen.length > 0 && (
          <SelectionBar count={selection.chosen.length} onDelete={() => void remove(selection.chosen)} />
        )}
      </Page>
    </DropZone>
  );
}

type PictureSelection = ReturnType<typeof usePictureSelection>;

/** The chosen ones of the pictures that are shown. */
function usePictureSelection(shown: readonly Picture[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const chosen = shown.filter(({ id }) => ids.has(id));
  const isAll = chosen.length === shown.length;

  function choose(picture: Picture, isChosen: boolean): void {
    const changed = new Set(ids);
    if (isChosen) changed.add(picture.id);
    else changed.delete(picture.id);
    setIds(changed);
  }

  return {
    chosen,
    isAll,
    has: ({ id }: Picture) => ids.has(id),
    choose,
    toggleAll: () => setIds(new Set(isAll ? [] : shown.map(({ id }) => id))),
    clear: () => setIds(new Set()),
  };
}

const UNUSED = {
  one: "No article uses it, but other pages that show it will lose it.",
  many: "No article uses them, but other pages that show them will lose them.",
};

/** Deletes unused pictures after a confirmation; those that an article uses by now stay. */
function useRemoval(websiteId: string, onRemoved: () => void) {
  const client = useQueryClient();
  const confirm = useConfirm();
  const [stillUsed, setStillUsed] = useState<string[]>([]);

  async function remove(pictures: readonly Picture[]): Promise<void> {
    let names: string[] = [];
    let deleted = 0;
    const isDone = await confirm({
      title: `Delete ${countPictures(pictures.length)}?`,
      body: `${UNUSED[pictures.length === 1 ? "one" : "many"]} A picture that has been used in the meantime is kept.`,
      confirmLabel: "Delete",
      action: async () => {
        const ids = pictures.map(({ id }) => id);
        const result = await deleteUnused(websiteId, ids);
        deleted = result.deleted.length;
        names = result.used.map(({ name }) => name);
      },
    });
    if (!isDone) return;
    onRemoved();
    setStillUsed(names);
    await refreshPictures(client, websiteId);
    if (deleted > 0) toast(`${countPictures(deleted)} deleted.`);
  }

  return { remove, stillUsed, forgetUsed: () => setStillUsed([]) };
}

interface DropZoneProps {
  /** Null: files that are dropped are ignored. */
  onFiles: ((files: File[]) => void) | null;
  /** Whether the zone is marked while files are over it. */
  isMarked: boolean;
  children: ReactNode;
}

function DropZone({ onFiles, isMarked, children }: DropZoneProps): ReactNode {
  const [isOver, setOver] = useState(false);

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    onFiles?.([...event.dataTransfer.files]);
  }

  return (
    <div
      className={classes.drop}
      data-over={(isOver && isMarked) || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {children}
    </div>
  );
}

interface WhichPicturesProps {
  isUnused: boolean;
  /** How many are not used; null if unknown. */
  count: number | null;
  onChange: (value: "all" | "unused") => void;
}

function WhichPictures({ isUnused, count, onChange }: WhichPicturesProps): ReactNode {
  return (
    <SegmentedControl
      aria-label="Which pictures"
      value={isUnused ? "unused" : "all"}
      onChange={onChange}
      data={[
        { value: "all", label: "All" },
        { value: "unused", label: count === null ? "Not used" : `Not used (${count})` },
      ]}
    />
  );
}

function SelectAll({ selection }: { selection: PictureSelection }): ReactNode {
  return (
    <Checkbox
      label="Select all"
      checked={selection.isAll}
      indeterminate={selection.chosen.length > 0 && !selection.isAll}
      onChange={selection.toggleAll}
    />
  );
}

function NoUnusedPictures({ onShowAll }: { onShowAll: () => void }): ReactNode {
  return (
    <EmptyState
      icon={<IconPhoto size={28} />}
      title="No unused pictures"
      actions={
        <Button variant="default" onClick={onShowAll}>
          Show all pictures
        </Button>
      }
    >
      Pictures that no article uses are listed here.
    </EmptyState>
  );
}

function SelectionBar({ count, onDelete }: { count: number; onDelete: () => void }): ReactNode {
  return (
    <div className={classes.bar} role="region" aria-label="Actions for the selected pictures">
      <Text size="sm" fw={550} aria-live="polite">
        {`${countPictures(count)} selected`}
      </Text>
      <Button size="xs" color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={onDelete}>
        Delete
      </Button>
    </div>
  );
}

function StillUsed({ names, onClose }: { names: readonly string[]; onClose: () => void }): ReactNode {
  if (names.length === 0) return null;
  return (
    <Alert
      color="yellow"
      role="status"
      title={names.length === 1 ? "A picture was kept" : `${names.length} pictures were kept`}
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      {`Used since you opened this list: ${names.join(", ")}.`}
    </Alert>
  );
}

function countPictures(count: number): string {
  return count === 1 ? "1 picture" : `${count.toLocaleString("en")} pictures`;
}

function UploadButton({ onFiles, isBusy }: { onFiles: (files: File[]) => void; isBusy: boolean }): ReactNode {
  const reset = useRef<() => void>(null);
  return (
    <FileButton
      multiple
      accept={ACCEPTED}
      resetRef={reset}
      onChange={(files) => {
        onFiles(files);
        reset.current?.();
      }}
    >
      {(props) => (
        <Button leftSection={<IconUpload size={16} />} loading={isBusy} {...props}>
          Upload pictures
        </Button>
      )}
    </FileButton>
  );
}

interface Failure {
  name: string;
  message: string;
}

function Failures({ failures }: { failures: readonly Failure[] }): ReactNode {
  return (
    <Stack gap={4} role="alert">
      {failures.map(({ name, message }) => (
        <Text key={name} size="sm" c="red">
          {`${name}: ${message}`}
        </Text>
      ))}
    </Stack>
  );
}

/** Uploads files one after another; a failed file does not stop the others. */
function useUpload(websiteId: string) {
  const client = useQueryClient();
  const announce = useAnnounce();
  const [isBusy, setBusy] = useState(false);
  const [failures, setFailures] = useState<Failure[]>([]);

  async function upload(files: readonly File[]): Promise<void> {
    if (files.length === 0) return;
    setBusy(true);
    const failed: Failure[] = [];
    for (const file of files) {
      try {
        await uploadPicture(websiteId, file);
      } catch (error) {
        failed.push({ name: file.name, message: toMessage(error) });
      }
    }
    setFailures(failed);
    setBusy(false);
    await refreshPictures(client, websiteId);
    const count = files.length - failed.length;
    if (count > 0) toast(count === 1 ? "Picture uploaded." : `${count} pictures uploaded.`);
    if (failed.length > 0) announce(`${failed.length} not uploaded.`);
  }

  return { upload: (files: File[]) => void upload(files), isBusy, failures };
}
