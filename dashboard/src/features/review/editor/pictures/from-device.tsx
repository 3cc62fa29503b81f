import { Button, FileButton, Stack, Text } from "@mantine/core";
import IconUpload from "@tabler/icons-react/dist/esm/icons/IconUpload.mjs";
import { type ReactNode, useRef } from "react";
import classes from "./picture-dialog.module.css";

/** Files of this device; a phone offers its camera. */
export function FromDevice({
  isMany,
  onFiles,
}: {
  isMany: boolean;
  onFiles: (files: readonly File[]) => void;
}): ReactNode {
  const reset = useRef<() => void>(null);
  return (
    <Stack className={classes.drop} gap="xs" align="center">
      <FileButton
        multiple
        accept="image/*"
        resetRef={reset}
        onChange={(files) => {
          onFiles(files);
          reset.current?.();
        }}
      >
        {(props) => (
          <Button leftSection={<IconUpload size={16} aria-hidden />} variant="default" data-autofocus {...props}>
            {isMany ? "Choose files" : "Choose a file"}
          </Button>
        )}
      </FileButton>
      <Text size="sm" c="dimmed" ta="center">
        {isMany
          ? "Or drop or paste them here. PNG, JPEG, WebP, AVIF, GIF or SVG, up to 25 MB each."
          : "Or drop or paste it here. PNG, JPEG, WebP, AVIF, GIF or SVG, up to 25 MB."}
      </Text>
    </Stack>
  );
}
