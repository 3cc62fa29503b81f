import { Alert, Button, Group, Text } from "@mantine/core";
import IconHistory from "@tabler/icons-react/dist/esm/icons/IconHistory.mjs";
import type { ReactNode } from "react";
import { Time } from "../../../shared/time.tsx";
import type { LocalDraft } from "./local-drafts.ts";
import type { EditorValues } from "./values.ts";

/** Offers input that was typed and never saved, here or on another device. */
export function UnsavedDraftAlert(props: {
  offer: LocalDraft;
  onRestore: () => void;
  onDiscard: () => void;
}): ReactNode {
  const { at, device, values } = props.offer;
  const title = values.title.trim();
  const words = countWords(values);
  return (
    <Alert color="blue" variant="light" icon={<IconHistory size={18} />}>
      <Group justify="space-between" gap="sm">
        <Text component="div" size="sm">
          You have unsaved changes from <Time at={at} />
          {title === "" ? "" : `: “${title}”`}, {words.toLocaleString("en")} {words === 1 ? "word" : "words"}
          {device === undefined ? "" : `, typed in ${device}`}.
        </Text>
        <Group gap={6}>
          <Button size="compact-sm" onClick={props.onRestore}>
            Restore it
          </Button>
          <Button size="compact-sm" variant="default" onClick={props.onDiscard}>
            Discard it
          </Button>
        </Group>
      </Group>
    </Alert>
  );
}

/** About as many as the service counts; markup is left out. */
function countWords({ source, text }: EditorValues): number {
  const plain = source === "html" ? text.replaceAll(/<[^>]*>/g, " ") : text;
  return plain.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0;
}
