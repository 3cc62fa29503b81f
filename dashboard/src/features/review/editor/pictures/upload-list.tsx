import { Button, Group, Paper, Progress, Text } from "@mantine/core";
import { type ReactNode, useSyncExternalStore } from "react";
import type { PictureUploads } from "../../../../shared/picture-uploads.ts";
import classes from "./editor-pictures.module.css";

/** The pictures that are uploaded into the text, and those that could not be. */
export function UploadList({ uploads }: { uploads: PictureUploads }): ReactNode {
  const all = useSyncExternalStore(uploads.subscribe, uploads.snapshot).filter(
    ({ state }) => state !== "done" && state !== "cancelled",
  );
  if (all.length === 0) return null;
  return (
    <Paper className={classes.uploads} withBorder shadow="md" role="region" aria-label="Uploads">
      <ul>
        {all.map(({ id, name, state, progress, reason }) => (
          <li key={id}>
            <Group justify="space-between" wrap="nowrap" gap="xs">
              <Text size="sm" truncate title={name}>
                {name}
              </Text>
              {state === "failed" ? (
                <Button size="compact-xs" variant="subtle" color="gray" onClick={() => uploads.dismiss(id)}>
                  Close
                </Button>
              ) : (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  color="gray"
                  aria-label={`Cancel ${name}`}
                  onClick={() => uploads.cancel(id)}
                >
                  Cancel
                </Button>
              )}
            </Group>
            {state === "failed" ? (
              <Text size="xs" c="red" role="alert">{`Not uploaded: ${reason}`}</Text>
            ) : (
              <Progress size="sm" value={progress * 100} aria-label={`Upload of ${name}`} />
            )}
          </li>
        ))}
      </ul>
    </Paper>
  );
}
