import { Button, FileButton, Group, Stack, Text } from "@mantine/core";
import IconPhoto from "@tabler/icons-react/dist/esm/icons/IconPhoto.mjs";
import IconUpload from "@tabler/icons-react/dist/esm/icons/IconUpload.mjs";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { useAnnounce } from "../../shared/announce.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorNote, toMessage } from "../../shared/error-note.tsx";
import { Page } from "../../shared/page.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import { toast } from "../../shared/toasts.ts";
import classes from "./assets-page.module.css";
import { PictureCard } from "./picture-card.tsx";
import { picturesQuery, uploadPicture } from "./requests.ts";

const ACCEPTED = "image/png,image/jpeg,image/webp,image/avif,image/gif,image/svg+xml";

/** The pictures of a website: where each is used, and its alternative text. */
export function AssetsPage(): ReactNode {
  const website = useWebsite();
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    picturesQuery(website.id),
  );
  const { upload, isBusy, failures } = useUpload(website.id);
  const [isOver, setOver] = useState(false);
  const mayEdit = website.can("articles.edit");
  const pictures = data?.pages.flatMap(({ assets }) => assets) ?? [];
  const button = mayEdit && <UploadButton onFiles={upload} isBusy={isBusy} />;

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    if (mayEdit && !isBusy) upload([...event.dataTransfer.files]);
  }

  return (
    <div
      className={classes.drop}
      data-over={(isOver && mayEdit) || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Page
        title="Pictures"
        description={`Pictures for the articles of ${website.name}. Copy an address into a text; whoever knows it can see the picture.`}
        actions={pictures.length > 0 && button}
      >
        <ErrorNote error={error} title="The pictures could not be loaded" onRetry={() => void refetch()} />
        {failures.length > 0 && <Failures failures={failures} />}
        {data === undefined && error === null && <RowsSkeleton rows={3} rowHeight={160} />}
        {data !== undefined && pictures.length === 0 && (
          <EmptyState icon={<IconPhoto size={28} />} title="No pictures yet" actions={button}>
            {mayEdit
              ? "Choose files, or drop them here: PNG, JPEG, WebP, AVIF, GIF or SVG, up to 25 MB each."
              : "Editors can add pictures for articles here."}
          </EmptyState>
        )}
        <ul className={classes.grid}>
          {pictures.map((picture) => (
            <PictureCard key={picture.id} picture={picture} websiteId={website.id} />
          ))}
        </ul>
        {hasNextPage && (
          <Group justify="center">
            <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show more
            </Button>
          </Group>
        )}
      </Page>
    </div>
  );
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
    await client.invalidateQueries({ queryKey: ["assets", websiteId] });
    const count = files.length - failed.length;
    if (count > 0) toast(count === 1 ? "Picture uploaded." : `${count} pictures uploaded.`);
    if (failed.length > 0) announce(`${failed.length} not uploaded.`);
  }

  return { upload: (files: File[]) => void upload(files), isBusy, failures };
}
