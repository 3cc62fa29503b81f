import { Alert, Button, Group, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import type { Format } from "../document/fingerprint.ts";

interface RefusedChangeProps {
  format: Format;
  onUndo: () => void;
  onSource: () => void;
}

/** A change that the format cannot express. It exists only in the editor, so leaving the page is blocked. */
export function RefusedChange({ format, onUndo, onSource }: RefusedChangeProps): ReactNode {
  const warning = useRef<HTMLDivElement>(null);
  useBlocker({
    shouldBlockFn: ({ next }) => {
      if (next.pathname === "/sign-in") return false;
      warning.current?.scrollIntoView({ block: "center" });
      warning.current?.querySelector("button")?.focus();
      return true;
    },
    enableBeforeUnload: true,
  });
  return (
    <Alert ref={warning} color="amber" variant="light" icon={<IconAlertTriangle size={18} />} role="alert" m="xs">
      <Text size="sm">
        {format === "markdown" ? "Markdown" : "HTML"} cannot express this exactly as it is shown, so the article still
        has the text from before this change. Choose what to do before you leave.
      </Text>
      <Group gap={6} mt={6}>
        <Button size="compact-sm" onClick={onUndo}>
          Undo the change
        </Button>
        <Button size="compact-sm" variant="default" onClick={onSource}>
          Continue in the source
        </Button>
      </Group>
    </Alert>
  );
}
